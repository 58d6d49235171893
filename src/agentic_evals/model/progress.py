"""What a run says while it runs: one stream of events, any number of subscribers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from agentic_evals.model.verdict import Outcome, Readiness


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The contract holds and trials are about to start."""

    source: str
    cases: int
    trials: int
    isolation: str


@dataclass(frozen=True, slots=True)
class TrialFinished:
    """One trial was judged."""

    case: str
    trial: int
    outcome: Outcome
    duration_ms: float


@dataclass(frozen=True, slots=True)
class CaseFinished:
    """Every trial of a case was judged."""

    case: str
    outcome: Outcome
    passed: int
    total: int
    problem: str | None


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The verdict is known."""

    readiness: Readiness
    exit_code: int


RunEvent: TypeAlias = RunStarted | TrialFinished | CaseFinished | RunFinished
Subscriber: TypeAlias = Callable[[RunEvent], None]
