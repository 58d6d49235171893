"""Command lines in the precedence of the shell: the grammar nests pipes, redirections and here-documents otherwise."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from agentic_evals.rules.commands.found import Unreadable
from agentic_evals.rules.commands.grammar import Node
from agentic_evals.rules.commands.programs import RESERVED

LINES: Final = frozenset({"list", "pipeline", "negated_command", "redirected_statement"})
"""Nodes that join commands, and whose nesting is not relied on; the order of the source is."""

_MISREAD: Final = "shell text is misread: the grammar took a line end for a blank; end the line with `;`"
_PIPES: Final = frozenset({"|", "|&"})
_JOINTS: Final = frozenset({"&&", "||"})
_OPERATORS: Final = _PIPES | _JOINTS | {"!"}
_REDIRECTS: Final = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
_HEREDOC: Final = frozenset({"<<", "<<-", "file_descriptor", "heredoc_start", "heredoc_body", "heredoc_end"})


@dataclass(slots=True)
class Stage:
    """One command of a pipeline, with the redirections and the words that follow it."""

    node: Node | None
    redirects: list[Node] = field(default_factory=list)
    words: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Pipeline:
    """The commands between two of `&&` and `||`."""

    operator: str = "\n"
    """What stands before it; a line end for the first and for what the grammar took for more of the same line."""
    negations: int = 0
    stages: list[Stage] = field(default_factory=list)


def pipelines(node: Node) -> list[Pipeline]:
    """Return the pipelines of a command line, in order."""
    found = [Pipeline()]
    pending = [node]
    while pending:
        current = pending.pop()
        if current.kind in LINES:
            _refuse_line_ends(current)
            pending.extend(reversed(current.children))
        elif current.kind == "heredoc_redirect":
            _stage(found).redirects.append(current)
            pending.extend(child for child in reversed(current.children) if child.kind not in _HEREDOC)
        elif current.kind in _REDIRECTS:
            _stage(found).redirects.append(current)
        elif current.kind in _OPERATORS:
            _operate(found, current.kind)
        elif _is_word(found):
            _stage(found).words.append(current)
        elif current.kind == "command":
            first, *more = split_lines(current)
            _stage(found).node = first
            found.extend(Pipeline(stages=[Stage(line)]) for line in more)
        elif current.kind != "comment":
            _stage(found).node = current
    return found


def split_lines(command: Node) -> list[Node]:
    """Return the commands that the grammar took for one although a line ends between their words."""
    ends = list(_line_ends(command))
    bounds = zip([0, *ends], [*ends, len(command.children)], strict=True)
    return [_line(command, command.children[start:end], first=start == 0) for start, end in bounds]


def _line(command: Node, children: tuple[Node, ...], *, first: bool) -> Node:
    if children[0].kind == "subshell" and len(children) == 1:
        return children[0]
    misread = not first and (children[0].text in RESERVED or "=" in children[0].text)
    if misread or any(child.kind == "subshell" for child in children):
        raise Unreadable(_MISREAD)
    if len(children) == len(command.children):
        return command
    return replace(command, start=children[0].start, end=children[-1].end, children=children)


def _line_ends(node: Node) -> Iterator[int]:
    """Yield the places of the children that stand on another line than the one before them, without a backslash."""
    for place, child in enumerate(node.children[1:], start=1):
        gap = node.content[node.children[place - 1].end : child.start]
        if "\n" in gap.replace("\\\n", ""):
            yield place


def _refuse_line_ends(node: Node) -> None:
    for place in _line_ends(node):
        before = node.children[place - 1].kind
        if before not in _OPERATORS and before not in {"comment", "heredoc_redirect"}:
            raise Unreadable(_MISREAD)


def _operate(found: list[Pipeline], operator: str) -> None:
    if operator in _JOINTS:
        found.append(Pipeline(operator))
    elif operator == "!":
        if found[-1].stages:
            raise Unreadable("`!` stands inside a pipeline")
        found[-1].negations += 1
    else:
        _stage(found)
        found[-1].stages.append(Stage(None))


def _stage(found: list[Pipeline]) -> Stage:
    if not found[-1].stages:
        found[-1].stages.append(Stage(None))
    return found[-1].stages[-1]


def _is_word(found: list[Pipeline]) -> bool:
    """Tell whether a node here is an argument that stands after the here-document of its command."""
    stages = found[-1].stages
    return bool(stages) and stages[-1].node is not None and bool(stages[-1].redirects)
