"""Command lines in the precedence of the shell: the grammar nests pipes, redirections and here-documents otherwise."""

from dataclasses import dataclass, field
from typing import Final

from agentic_evals.rules.commands.found import Unreadable
from agentic_evals.rules.commands.grammar import Node

LINES: Final = frozenset({"list", "pipeline", "negated_command", "redirected_statement"})
"""Nodes that join commands, and whose nesting is not relied on; the order of the source is."""

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

    operator: str = ""
    """What stands before it; empty for the first."""
    negations: int = 0
    stages: list[Stage] = field(default_factory=list)


def pipelines(node: Node) -> list[Pipeline]:
    """Return the pipelines of a command line, in order."""
    found = [Pipeline()]
    pending = [node]
    while pending:
        current = pending.pop()
        if current.kind in LINES:
            pending.extend(reversed(current.children))
        elif current.kind == "heredoc_redirect":
            _stage(found).redirects.append(current)
            pending.extend(child for child in reversed(current.children) if child.kind not in _HEREDOC)
        elif current.kind in _REDIRECTS:
            _stage(found).redirects.append(current)
        elif current.kind in _OPERATORS:
            _operate(found, current.kind)
        elif _is_word(current, found):
            _stage(found).words.append(current)
        elif current.kind != "comment":
            _stage(found).node = current
    return found


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


def _is_word(node: Node, found: list[Pipeline]) -> bool:
    """Tell whether a node is an argument that stands after the here-document of its command."""
    stages = found[-1].stages
    return bool(stages) and stages[-1].node is not None and bool(stages[-1].redirects)
