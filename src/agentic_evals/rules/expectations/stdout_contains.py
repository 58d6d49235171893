"""Texts that standard output must hold, byte for byte."""

from __future__ import annotations

from typing import Final

from agentic_evals.model.trial import Blob, Capture, Exited
from agentic_evals.model.verdict import Decision
from agentic_evals.rules.expectations._streams import Needles, contains
from agentic_evals.rules.operator import Evidence, Example, Operator


def _judge(spec: list[str], evidence: Evidence) -> tuple[Decision, ...]:
    return contains(evidence.capture.stdout, spec, "stdout")


OPERATOR: Final = Operator(
    key="stdout_contains",
    summary="Texts that must all occur in standard output.",
    spec=Needles,
    judge=_judge,
    looks_at=frozenset({"stdout"}),
    needles=tuple,
    examples=(
        Example(
            ["total 42"],
            passes=Capture(Exited(0), stdout=Blob.of(b"lines 3\ntotal 42\n")),
            fails=Capture(Exited(0), stdout=Blob.of(b"total 41\n")),
        ),
    ),
)
