"""Texts that standard error must not hold, byte for byte."""

from __future__ import annotations

from typing import Final

from agentic_evals.model.trial import Blob, Capture, Exited
from agentic_evals.model.verdict import Decision
from agentic_evals.rules.expectations._streams import Needles, excludes
from agentic_evals.rules.operator import Evidence, Example, Operator


def _judge(spec: list[str], evidence: Evidence) -> tuple[Decision, ...]:
    return excludes(evidence.capture.stderr, spec, "stderr")


OPERATOR: Final = Operator(
    key="stderr_excludes",
    summary="Texts that must not occur in standard error.",
    spec=Needles,
    judge=_judge,
    looks_at=frozenset({"stderr"}),
    examples=(
        Example(
            ["total 42"],
            passes=Capture(Exited(0), stderr=Blob.of(b"total 41\n")),
            fails=Capture(Exited(0), stderr=Blob.of(b"lines 3\ntotal 42\n")),
        ),
    ),
)
