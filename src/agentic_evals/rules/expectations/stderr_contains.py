"""Texts that standard error must hold, byte for byte."""

from __future__ import annotations

from typing import Final

from agentic_evals.model.trial import Blob, Capture, Exited
from agentic_evals.model.verdict import Decision
from agentic_evals.rules.expectations._streams import Needles, contains
from agentic_evals.rules.operator import Evidence, Example, Operator


def _judge(spec: list[str], evidence: Evidence) -> tuple[Decision, ...]:
    return contains(evidence.capture.stderr, spec, "stderr")


OPERATOR: Final = Operator(
    key="stderr_contains",
    summary="Texts that must all occur in standard error.",
    spec=Needles,
    judge=_judge,
    looks_at=frozenset({"stderr"}),
    needles=tuple,
    examples=(
        Example(
            ["total 42"],
            passes=Capture(Exited(0), stderr=Blob.of(b"lines 3\ntotal 42\n")),
            fails=Capture(Exited(0), stderr=Blob.of(b"total 41\n")),
        ),
    ),
)
