"""How long the command may take from its start to its end, in seconds."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from agentic_evals.model.trial import Capture, Exited
from agentic_evals.model.verdict import Decision
from agentic_evals.rules.operator import Evidence, Example, Operator

_DIGITS: Final = 3
"""The record keeps thousandths of a millisecond: rounded here too, a trial judged again comes out the same."""


def _judge(spec: float, evidence: Evidence) -> tuple[Decision, ...]:
    taken = round(evidence.capture.duration_ms, _DIGITS)
    said = f"took {taken / 1000:.3f} s, at most {spec:g} s allowed"
    return (Decision("", holds=taken <= spec * 1000, observation=said),)


OPERATOR: Final = Operator(
    key="max_duration_seconds",
    summary="How many seconds the command may take.",
    spec=Annotated[float, Field(gt=0, allow_inf_nan=False)],
    judge=_judge,
    examples=(
        Example(1.5, passes=Capture(Exited(0), duration_ms=1500.0), fails=Capture(Exited(0), duration_ms=1500.001)),
        Example(2, passes=Capture(Exited(0), duration_ms=12.0), fails=Capture(Exited(0), duration_ms=2001.0)),
    ),
)
