"""The report of a fixture run, version 3: the public result (product specification, section 8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

SCHEMA: Final = "agentic_evals.report.v3"


@dataclass(frozen=True, slots=True)
class StreamReport:
    """A stream as the record keeps it: counts, digest of what is stored, and a quotation of both ends."""

    bytes: int
    sha256: str
    redacted: int = 0
    """How many secrets were replaced; then `sha256` is of the redacted bytes."""
    truncated: bool = False
    """Whether the quotation leaves out the middle."""


@dataclass(frozen=True, slots=True)
class TrialReport:
    """One trial."""

    trial_id: str
    outcome: str
    problems: tuple[str, ...]
    termination: Mapping[str, Any]
    exit_code: int | None
    timed_out: bool
    duration_ms: float
    started_unix_ms: int
    stdout: str
    stderr: str
    streams: Mapping[str, StreamReport]
    artifact_hashes: Mapping[str, str]
    leaked: tuple[Mapping[str, Any], ...] = ()
    infra: bool = False
    workspace: str | None = None
    """How the workspace was seen, where it differs from the run's."""
    notes: tuple[str, ...] = ()
    """What a reader must know that did not decide the outcome."""


@dataclass(frozen=True, slots=True)
class CaseReport:
    """One case and its trials; what all trials share stands here once."""

    name: str
    type: str
    case_id: str
    required: bool
    outcome: str
    problems: tuple[str, ...]
    argv: tuple[str, ...]
    flaky: bool
    passed_trials: int
    total_trials: int
    pass_rate: float | None
    pass_rate_interval: tuple[float, float] | None
    """Wilson's interval at 95 %."""
    pass_power_k: float | None
    """The chance that as many fresh trials would all pass, estimated from these."""
    declared_evidence_class: str | None
    effective_evidence_class: str | None
    live_qualified: bool | None
    evidence_disqualifiers: tuple[str, ...]
    real_world: bool
    category: str | None
    vacuous: bool
    any_failure_passes: bool
    null_trial: Mapping[str, Any] | None
    trials: tuple[TrialReport, ...]
    line: int | None = None
    """Where the case stands in its fixture, from 1; known only of a case that did not pass."""


@dataclass(frozen=True, slots=True)
class ObstacleReport:
    """One reason why the gate is shut."""

    rule: str
    message: str
    exit_code: int
    case: str | None = None


@dataclass(frozen=True, slots=True)
class FindingReport:
    """A finding, as documents show it."""

    rule: str
    severity: str
    message: str
    file: str
    pointer: str
    line: int | None
    column: int | None
    hint: str | None = None
    fragment: str | None = None
    """Text to paste into the document as a remedy."""


@dataclass(frozen=True, slots=True)
class Gate:
    """How the readiness became an exit code."""

    state: str
    """`open`, `shut` or `bypassed`."""
    exit_code: int
    asked_by: str | None = None
    """Who asked for the bypass: a flag or a variable."""


@dataclass(frozen=True, slots=True)
class RunReport:
    """The whole result of evaluating one fixture."""

    source: str
    run_id: str
    fixture_sha256: str
    skill: str
    readiness: str
    headline: str
    """The first line that a person sees."""
    case_readiness: str
    claim_readiness: str
    gate: Gate
    exit_code: int
    obstacles: tuple[ObstacleReport, ...]
    outcome_counts: Mapping[str, int]
    cases: tuple[CaseReport, ...]
    contract: str
    """`met`, or `exempt` for honestly declared scaffolds and self-tests of the runner."""
    findings: tuple[FindingReport, ...]
    selection: str
    """`whole` or `partial`."""
    generated_at: str
    duration_ms: float
    trials: int
    mocked: bool
    live: bool
    eval_kind: str | None
    eval_tier: str | None
    proof_scope: str | None
    claims: Mapping[str, Any] | None
    capability_readiness: Mapping[str, Any] | None
    repo: Mapping[str, Any]
    isolation: Mapping[str, Any]
    environment: Mapping[str, Any]
    settings: Mapping[str, Any]
    tool: Mapping[str, Any]
    limits: tuple[str, ...]
    """What this result cannot show, in sentences."""
    interrupted: bool = False
    annotations: Mapping[str, Any] = field(default_factory=dict)
    schema: str = SCHEMA


FINDINGS_SCHEMA: Final = "agentic_evals.validation.v1"


@dataclass(frozen=True, slots=True)
class CheckedFixture:
    """What the contract says of one fixture, and nothing more: nothing was executed."""

    path: str
    admitted: bool
    contract: str
    """`met`, `exempt` or `broken`."""
    sha256: str
    cases: int | None
    """How many cases it has; `None` where it cannot be read."""
    findings: tuple[FindingReport, ...]


@dataclass(frozen=True, slots=True)
class FindingsReport:
    """The result of checking fixtures without running them."""

    fixtures: tuple[CheckedFixture, ...]
    exit_code: int
    tool: Mapping[str, Any] = field(default_factory=dict)
    schema: str = FINDINGS_SCHEMA
