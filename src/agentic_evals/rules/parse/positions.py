"""JSON pointers to lines and columns of JSON text, worked out only when something is wrong."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_BOM: Final = b"\xef\xbb\xbf"
_STRANGE_NUMBER: Final = re.compile(rb'("(?:[^"\\]++|\\.)*+")|NaN|-?Infinity', re.DOTALL)

Trail: TypeAlias = "tuple[Trail, str] | None"
"""A path from the top, its last step outermost: it costs nothing until somebody asks for the pointer."""


def escape(token: str) -> str:
    """Escape one reference token of a JSON pointer (RFC 6901, section 3)."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """Undo `escape`."""
    return token.replace("~1", "/").replace("~0", "~")


def tokens(pointer: str) -> Iterator[str]:
    """Yield the reference tokens of a JSON pointer."""
    return map(unescape, pointer.split("/")[1:])


def pointer_of(trail: Trail) -> str:
    """Return the JSON pointer of a trail."""
    steps: list[str] = []
    while trail is not None:
        trail, token = trail
        steps.append(escape(token))
    return "".join(f"/{step}" for step in reversed(steps))


def of_pointer(data: bytes, pointer: str) -> tuple[int, int]:
    """Return line and column, from 1, of the value at a JSON pointer; of its key, where it has one.

    Where the pointer leads nowhere, the nearest enclosing value's place is returned: a missing
    key is reported at the object that lacks it.
    """
    return _tree(data).place(pointer)


def duplicate_keys(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield pointer, line and column of each key that stands again in its object."""
    return _tree(data).duplicates()


class _Tree:
    """A parsed text that remembers the members of every object that was asked about."""

    def __init__(self, data: bytes) -> None:
        import tree_sitter_json
        from tree_sitter import Language, Parser

        self._data = data
        self._bom = data.startswith(_BOM)
        self._ascii = data.isascii()
        source = b"   " + data[3:] if self._bom else data
        if b"NaN" in data or b"Infinity" in data:  # Python reads them, the grammar does not: digits stand in
            source = _STRANGE_NUMBER.sub(lambda match: match[1] or b"1" * len(match[0]), source)
        self._tree = Parser(Language(tree_sitter_json.language())).parse(source)
        self._known: dict[int, dict[str, tuple[Node, Node]]] = {}
        root = self._tree.root_node
        self._root = next((child for child in root.named_children if child.type != "comment"), root)

    def place(self, pointer: str) -> tuple[int, int]:
        node = at = self._root
        for token in tokens(pointer):
            found = self._inner(node).get(token)
            if found is None:
                break
            at, node = found
        return self._where(at)

    def duplicates(self) -> Iterator[tuple[str, int, int]]:
        stack: list[tuple[Node, Trail]] = [(self._root, None)]
        while stack:
            node, trail = stack.pop()
            if node.type == "object":
                seen: set[str] = set()
                for key, name, value in _members(node):
                    if name in seen:
                        yield (pointer_of((trail, name)), *self._where(key))
                    seen.add(name)
                    stack.append((value, (trail, name)))
            elif node.type == "array":
                stack.extend((item, (trail, str(index))) for index, item in enumerate(node.named_children))

    def _inner(self, node: Node) -> dict[str, tuple[Node, Node]]:
        """Return what to point at, and the value itself, by key or by index."""
        known = self._known.get(node.id)
        if known is None:
            known = {}
            if node.type == "object":
                known = {name: (key, value) for key, name, value in _members(node)}
            elif node.type == "array":
                known = {str(index): (item, item) for index, item in enumerate(node.named_children)}
            self._known[node.id] = known
        return known

    def _where(self, node: Node) -> tuple[int, int]:
        """Count characters, not bytes, from the start of the line; a byte order mark is no character."""
        row, column = node.start_point
        if not self._ascii:
            line = self._data[node.start_byte - column : node.start_byte]
            column = len(line.decode("utf-8", "replace")) - (self._bom and row == 0)
        return row + 1, column + 1


@lru_cache(maxsize=2)
def _tree(data: bytes) -> _Tree:
    return _Tree(data)


def _members(node: Node) -> Iterator[tuple[Node, str, Node]]:
    for pair in node.named_children:
        key = pair.child_by_field_name("key") if pair.type == "pair" else None
        if key is not None and key.text is not None:
            yield key, _decoded(key.text), pair.child_by_field_name("value") or key


def _decoded(text: bytes) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return text.decode("utf-8", "replace").strip('"')
    return value if isinstance(value, str) else str(value)
