"""Texts that standard output must not hold, byte for byte."""

from __future__ import annotations

from typing import Final

from agentic_evals.model.trial import Blob, Capture, Exited
from agentic_evals.model.verdict import Decision
from agentic_evals.rules.expectations._streams import Needles, excludes
from agentic_evals.rules.operator import Evidence, Example, Operator


def _judge(spec: list[str], evidence: Evidence) -> tuple[Decision, ...]:
    return excludes(evidence.capture.stdout, spec, "stdout")


OPERATOR: Final = Operator(
    key="stdout_excludes",
    summary="Texts that must not occur in standard output.",
    spec=Needles,
    judge=_judge,
    looks_at=frozenset({"stdout"}),
    examples=(
        Example(
            ["total 42"],
            passes=Capture(Exited(0), stdout=Blob.of(b"total 41\n")),
            fails=Capture(Exited(0), stdout=Blob.of(b"lines 3\ntotal 42\n")),
        ),
    ),
)
