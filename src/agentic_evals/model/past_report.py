"""A report as it was read back, whichever version wrote it: what all versions can say, and what one could not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PastTrial:
    """One trial of a report that was read."""

    outcome: str | None
    """`None` where the report's version does not say it of single trials."""
    exit_code: int | None
    timed_out: bool
    duration_ms: float
    stdout: str
    stderr: str
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PastCase:
    """One case of a report that was read."""

    name: str
    type: str
    required: bool
    outcome: str
    passed_trials: int
    total_trials: int
    problems: tuple[str, ...]
    argv: tuple[str, ...]
    evidence_class: str | None
    """The class in effect, where the version knows classes."""
    trials: tuple[PastTrial, ...]


@dataclass(frozen=True, slots=True)
class PastReport:
    """A report that was read."""

    version: int
    source: str
    readiness: str
    """As the report says; what an older version called so, see `limits`."""
    case_readiness: str | None
    capability_readiness: Mapping[str, Any] | None
    run_id: str | None
    fixture_sha256: str | None
    generated_at: str | None
    exit_code: int | None
    gate: str | None
    """`open`, `shut` or `bypassed`; `None` before version 3."""
    selection: str | None
    mocked: bool
    live: bool
    proof_scope: str | None
    claims: Mapping[str, Any] | None
    repo: Mapping[str, Any]
    cases: tuple[PastCase, ...]
    limits: tuple[str, ...]
    """What this report cannot show, in sentences."""
