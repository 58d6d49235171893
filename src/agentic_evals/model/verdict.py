"""Outcomes of trials and cases, readiness, and how they are ordered."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Outcome(enum.StrEnum):
    """What a trial or a case showed."""

    PASS = "PASS"
    FAIL = "FAIL"
    BLOCKED = "BLOCKED"
    NOT_TESTED = "NOT_TESTED"


class Readiness(enum.IntEnum):
    """Ordered from nothing known to ready, so that the worse of two is `min`."""

    NOT_ESTABLISHED = 0
    NOT_READY = 1
    USABLE_WITH_GAPS = 2
    READY = 3


class ClaimReadiness(enum.StrEnum):
    """Readiness by declared claims; `NOT_DECLARED` does not lower the gate, `UNSCORED` keeps it shut."""

    NOT_DECLARED = "NOT_DECLARED"
    UNSCORED = "UNSCORED"


@dataclass(frozen=True, slots=True)
class Decision:
    """What one expectation came to: where it stands below `expected`, whether it held, and what was seen."""

    pointer: str
    holds: bool
    observation: str
    redacted: bool = False
    """The evidence held a secret that the record does not keep, so it cannot be judged again."""
    unenforced: bool = False
    """Nothing on this machine could enforce or observe it, so nobody knows whether it held."""
    noted: bool = False
    """It is told to the reader although it does not decide the outcome."""


@dataclass(frozen=True, slots=True)
class TrialVerdict:
    """The judgement of one trial."""

    outcome: Outcome
    problems: tuple[str, ...]
    decisions: tuple[Decision, ...]
    infra: bool = False
    unenforced: bool = False
    """Blocked for nothing but constraints that nobody could enforce or observe."""
    notes: tuple[str, ...] = ()
    """What a reader must know that did not change the outcome."""
    samples: str | None = None
    """Digest of the samples that the trial logged, where it logged any."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One reason why the gate is shut, in words, and the exit code that it asks for."""

    code: int
    rule: str
    message: str
    case: str | None = None
