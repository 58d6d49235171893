"""The parts of `if`, `case` and loops, told apart by the keywords between them."""

from collections.abc import Iterator
from dataclasses import dataclass

from agentic_evals.rules.commands.grammar import Node

Nodes = tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition and what runs when it holds; `else` has no condition."""

    condition: Nodes
    body: Nodes


def if_clauses(node: Node) -> Iterator[Clause]:
    """Yield the clauses of an `if`, in order."""
    main = tuple(child for child in node.children if child.kind not in {"elif_clause", "else_clause"})
    yield _parted(main, "then")
    for child in node.children:
        if child.kind == "elif_clause":
            yield _parted(child.children, "then")
        elif child.kind == "else_clause":
            yield Clause((), child.children)


def loop_parts(node: Node) -> Clause:
    """Return the condition and the body of a `while` or `until`."""
    body = node.child("do_group")
    return Clause(tuple(child for child in node.children if child is not body), body.children if body else ())


def for_words(node: Node) -> Nodes:
    """Return the words that a `for` or `select` goes through."""
    start = next((place for place, child in enumerate(node.children) if child.kind == "in"), len(node.children))
    return tuple(
        child
        for child in node.children[start + 1 :]
        if child.kind not in {";", "\n", "do_group", "compound_statement", "comment"}
    )


def case_bodies(node: Node) -> Iterator[tuple[Nodes, Nodes]]:
    """Yield the patterns and the body of each branch of a `case`."""
    for item in node.children:
        if item.kind != "case_item":
            continue
        place = next(place for place, child in enumerate(item.children) if child.kind == ")")
        body = tuple(child for child in item.children[place + 1 :] if child.kind not in {";;", ";&", ";;&"})
        yield tuple(child for child in item.children[:place] if child.kind not in {"(", "|"}), body


def _parted(nodes: Nodes, keyword: str) -> Clause:
    place = next(place for place, child in enumerate(nodes) if child.kind == keyword)
    return Clause(nodes[:place], nodes[place + 1 :])
