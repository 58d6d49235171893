"""Reports of every version to one value: version 3 as it is, versions 1 and 2 as far as they go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentic_evals.model.finding import Finding, Location, Severity
from agentic_evals.model.past_report import PastCase, PastReport, PastTrial
from agentic_evals.rules.parse.json_text import read_json
from agentic_evals.rules.parse.problems import from_validation, place

MAX_BYTES: Final = 1024**3
"""The largest report that is read; one of many trials is larger than any document that a person writes."""

_SCHEMA: Final = "agentic_evals.report.v"
_LIMITS: Final = {
    1: (
        "Version 1 does not say which trial passed, which case is required, or what was expected.",
        "Version 1 wrote READY also of fixtures that a program doing nothing would pass.",
    ),
    2: ("Version 2 does not say how the gate was decided, nor what a trial was kept apart from.",),
    3: (),
}
_Number = Annotated[int, Field(ge=0)]
_Outcome = Literal["PASS", "FAIL", "BLOCKED", "NOT_TESTED"]
_Readiness = Literal["READY", "USABLE_WITH_GAPS", "NOT_READY", "NOT_ESTABLISHED"]


class _Document(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class _Trial(_Document):
    exit_code: int | None = None
    timed_out: bool = False
    duration_ms: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    stdout: str = ""
    stderr: str = ""
    outcome: _Outcome | None = None
    problems: list[str] = Field(default_factory=list)


class _Case(_Document):
    name: str
    type: str
    passed_trials: _Number
    total_trials: _Number
    required: bool = True
    outcome: _Outcome | None = None
    problems: list[str] = Field(default_factory=list)
    argv: list[str] = Field(default_factory=list)
    effective_evidence_class: str | None = None
    trials: list[_Trial]


class _JudgedCase(_Case):
    outcome: _Outcome


class _Gate(_Document):
    state: Literal["open", "shut", "bypassed"]
    exit_code: int


class _Report(_Document):
    source: str
    readiness: _Readiness
    cases: list[_Case]
    mocked: bool = False
    live: bool = False
    proof_scope: str | None = None
    claims: dict[str, Any] | None = None
    run_id: str | None = None
    fixture_sha256: str | None = None
    generated_at: str | None = None
    case_readiness: _Readiness | None = None
    capability_readiness: dict[str, Any] | None = None
    repo: dict[str, Any] | str | None = None
    exit_code: int | None = None
    gate: _Gate | None = None
    selection: Literal["whole", "partial"] | None = None
    limits: list[str] = Field(default_factory=list)


class _Second(_Report):
    cases: list[_JudgedCase]  # type: ignore[assignment]  # narrower, and frozen
    fixture_sha256: str


class _Third(_Second):
    run_id: str
    generated_at: str
    case_readiness: _Readiness
    exit_code: int
    gate: _Gate
    selection: Literal["whole", "partial"]


_MODELS: Final[Mapping[int, type[_Report]]] = {1: _Report, 2: _Second, 3: _Third}


def read_report(data: bytes, file: str = "") -> tuple[PastReport | None, tuple[Finding, ...]]:
    """Read a report of version 1, 2 or 3.

    Returns the report and no finding, or no report and every reason why the bytes are none. Keys
    that a version does not know are passed over: a report may say more than is read here.
    """
    text = read_json(data, file, max_bytes=MAX_BYTES)
    if text.findings:
        return None, text.findings
    document: Any = text.value
    version = _version(document)
    if version is None:
        return None, (_unknown(document, data, file),)
    try:
        report = _MODELS[version].model_validate(document)
    except ValidationError as error:
        return None, _as_report_findings(error, document, data, file)
    contradictions = tuple(_contradictions(report))
    if contradictions:
        return None, place(contradictions, data, file)
    return _read(report, version), ()


def _version(document: Any) -> int | None:  # noqa: ANN401 - any JSON
    schema = document.get("schema") if isinstance(document, dict) else None
    return next((version for version in _MODELS if schema == f"{_SCHEMA}{version}"), None)


def _unknown(document: Any, data: bytes, file: str) -> Finding:  # noqa: ANN401 - any JSON
    known = ", ".join(f"{_SCHEMA}{version}" for version in _MODELS)
    if not isinstance(document, dict):
        message = "a report is one JSON object"
    elif "schema" not in document:
        message = "the document does not say which `schema` it has"
    else:
        message = f"the schema {document['schema']!r} is not one of a report"
    found = Finding("report-unknown-schema", Severity.ERROR, message, Location("", "/schema"), f"Known: {known}.")
    return place((found,), data, file)[0]


def _as_report_findings(error: ValidationError, document: Any, data: bytes, file: str) -> tuple[Finding, ...]:  # noqa: ANN401 - any JSON
    found = from_validation(error, document)
    renamed = [Finding("report-value", each.severity, each.message, each.location, each.hint) for each in found]
    return place(renamed, data, file)


def _contradictions(report: _Report) -> Iterator[Finding]:
    """Name what cannot be true together, so that no report passes for more than it shows."""
    for index, case in enumerate(report.cases):
        if case.passed_trials > case.total_trials:
            message = f"{case.passed_trials} of {case.total_trials} trials cannot have passed"
            yield _untrue(message, f"/cases/{index}/passed_trials")
        elif case.trials and len(case.trials) != case.total_trials:
            message = f"{len(case.trials)} trials are listed, {case.total_trials} are counted"
            yield _untrue(message, f"/cases/{index}/total_trials")
        elif case.outcome == "PASS" and _derived(case) != "PASS":
            message = f"{case.passed_trials} of {case.total_trials} trials passed: that is no PASS"
            yield _untrue(message, f"/cases/{index}/outcome")
    required = [case for case in report.cases if case.required]
    if report.readiness == "READY" and not all(_outcome(case) == "PASS" for case in required):
        yield _untrue("READY, although a required case did not pass", "/readiness")
    if report.gate is not None and report.gate.state == "open" and report.readiness != "READY":
        yield _untrue(f"the gate is open, although the readiness is {report.readiness}", "/gate/state")


def _untrue(message: str, pointer: str) -> Finding:
    return Finding("report-value", Severity.ERROR, message, Location("", pointer))


def _read(report: _Report, version: int) -> PastReport:
    return PastReport(
        version=version,
        source=report.source,
        readiness=report.readiness,
        case_readiness=report.case_readiness,
        capability_readiness=report.capability_readiness,
        run_id=report.run_id,
        fixture_sha256=report.fixture_sha256,
        generated_at=report.generated_at,
        exit_code=report.exit_code,
        gate=report.gate.state if report.gate is not None else None,
        selection=report.selection,
        mocked=report.mocked,
        live=report.live,
        proof_scope=report.proof_scope,
        claims=report.claims,
        repo=report.repo if isinstance(report.repo, dict) else {"name": report.repo} if report.repo else {},
        cases=tuple(map(_read_case, report.cases)),
        limits=(*report.limits, *_LIMITS[version]),
    )


def _read_case(case: _Case) -> PastCase:
    return PastCase(
        name=case.name,
        type=case.type,
        required=case.required,
        outcome=_outcome(case),
        passed_trials=case.passed_trials,
        total_trials=case.total_trials,
        problems=tuple(case.problems),
        argv=tuple(case.argv),
        evidence_class=case.effective_evidence_class,
        trials=tuple(map(_read_trial, case.trials)),
    )


def _outcome(case: _Case) -> str:
    return case.outcome if case.outcome is not None else _derived(case)


def _derived(case: _Case) -> str:
    """Work out a case's outcome from its counts: any trial that did not pass fails it."""
    if not case.total_trials:
        return "NOT_TESTED"
    return "PASS" if case.passed_trials == case.total_trials else "FAIL"


def _read_trial(trial: _Trial) -> PastTrial:
    return PastTrial(
        outcome=trial.outcome,
        exit_code=trial.exit_code,
        timed_out=trial.timed_out,
        duration_ms=trial.duration_ms,
        stdout=trial.stdout,
        stderr=trial.stderr,
        problems=tuple(trial.problems),
    )
