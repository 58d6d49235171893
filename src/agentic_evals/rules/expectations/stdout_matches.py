"""Regular expressions that must each match somewhere in standard output."""

from __future__ import annotations

from typing import Final

from agentic_evals.model.trial import Blob, Capture, Exited
from agentic_evals.model.verdict import Decision
from agentic_evals.rules.expectations._regex import Regexes, matched, matches, problems
from agentic_evals.rules.operator import Evidence, Example, Operator


def _judge(spec: list[str], evidence: Evidence) -> tuple[Decision, ...]:
    return matches(evidence.capture.stdout, spec, "stdout")


OPERATOR: Final = Operator(
    key="stdout_matches",
    summary="Regular expressions (RE2) that must each match somewhere in standard output.",
    spec=Regexes,
    check=problems,
    judge=_judge,
    looks_at=frozenset({"stdout"}),
    repeats=matched,
    examples=(
        Example(
            [r"(?m)^total [0-9]+$"],
            passes=Capture(Exited(0), stdout=Blob.of(b"lines 3\ntotal 42\n")),
            fails=Capture(Exited(0), stdout=Blob.of(b"lines 3\nsubtotal 42\n")),
        ),
    ),
)
