"""The bash grammar: shell text to a syntax tree, or the reason why there is none."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import tree_sitter

_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]")
_STAND_IN: Final = "."
"""For the grammar, whose scanner reads outside its tables at characters beyond ASCII; none of them has a meaning in
shell text, and a full stop is no part of a name either."""

_LARGEST: Final = 1_000_000
_MOST: Final[Mapping[str, int]] = {"=(": 256, "|": 1000, "`": 400}
"""Recovery from an error takes quadratic time and memory in the number of these; no sane text comes near."""

_DEEPEST: Final = 100
_LEFT_DEEP: Final = frozenset({"list", "pipeline", "binary_expression"})
"""Long sequences that the grammar builds as deep trees; they are walked without recursion."""

_SLICE: Final = 64
_READS_PER_SLICE: Final = 20
_SPARE_READS: Final = 200
"""A text that parses is read about three times; one that sends the parser back again and again is given up."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Node:
    """A node of the syntax tree."""

    kind: str
    start: int
    end: int
    content: str
    children: tuple["Node", ...]

    @property
    def text(self) -> str:
        """The source of the node."""
        return self.content[self.start : self.end]

    @property
    def first(self) -> str:
        """The kind of the first child; empty where there is none."""
        return self.children[0].kind if self.children else ""

    def child(self, *kinds: str) -> "Node | None":
        """Return the first child of one of these kinds."""
        return next((child for child in self.children if child.kind in kinds), None)

    def descendants(self) -> Iterator["Node"]:
        """Yield the node and everything below it, in the order of the source."""
        pending = [self]
        while pending:
            current = pending.pop()
            yield current
            pending.extend(reversed(current.children))


class _Reader:
    """Hands the source out in slices, and nothing more once the parser has asked too often."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._left = _SPARE_READS + _READS_PER_SLICE * (len(content) // _SLICE + 1)

    @property
    def exhausted(self) -> bool:
        return self._left <= 0

    def __call__(self, offset: int, _point: "tree_sitter.Point") -> bytes:
        self._left -= 1
        return b"" if self.exhausted else self._content[offset : offset + _SLICE]


@cache
def _parser() -> "tree_sitter.Parser":
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def parse_shell(text: str) -> Node | str:
    """Return the root of the syntax tree of a shell text, or the problem that leaves it without one."""
    excess = _excess(text)
    if excess is not None:
        return excess
    reader = _Reader(_BEYOND_ASCII.sub(_STAND_IN, text).encode("ascii"))
    root = _parser().parse(reader).root_node
    if reader.exhausted:
        return "shell text is too tangled to parse"
    if root.has_error:
        return f"shell text does not parse at line {_error_line(root)}"
    return _copied(root, text) or "shell text nests too deeply"


def _excess(text: str) -> str | None:
    if "\x00" in text:
        return "shell text contains a NUL character"
    if len(text) > _LARGEST:
        return f"shell text is longer than {_LARGEST} characters"
    for token, most in _MOST.items():
        if text.count(token) > most:
            return f"shell text holds more than {most} times {token!r}"
    return None


def _copied(root: "tree_sitter.Node", content: str) -> Node | None:
    """Copy a tree, the leaves first and without recursion, so that depth costs no stack; None where it is too deep."""
    order: list[tree_sitter.Node] = []
    pending = [(root, 0)]
    while pending:
        current, depth = pending.pop()
        if depth > _DEEPEST:
            return None
        order.append(current)
        below = depth + (current.type not in _LEFT_DEEP)
        pending.extend((child, below) for child in current.children)
    done: list[Node] = []
    for node in reversed(order):
        first = len(done) - node.child_count
        children = tuple(done[first:])
        del done[first:]
        done.append(Node(node.type, node.start_byte, node.end_byte, content, children))
    return done[0]


def _error_line(root: "tree_sitter.Node") -> int:
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_error or node.is_missing:
            return node.start_point.row + 1
        pending.extend(reversed(node.children))
    return 1
