"""Verdicts and facts to the frozen report: the one place where a run's result is put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from agentic_evals.model.errors import ExitCode
from agentic_evals.model.finding import Finding
from agentic_evals.model.fixture import Fixture
from agentic_evals.model.record import StoredBytes, TrialRecord
from agentic_evals.model.report import (
    CaseReport,
    FindingReport,
    Gate,
    ObstacleReport,
    RunReport,
    StreamReport,
    TrialReport,
)
from agentic_evals.model.verdict import ClaimReadiness, Obstacle, Outcome, Readiness, TrialVerdict
from agentic_evals.rules import nulltrial
from agentic_evals.rules import readiness as fold
from agentic_evals.rules.drawn import are_repeated
from agentic_evals.rules.expectations.exit_code import code_of
from agentic_evals.rules.operator import CompiledCase
from agentic_evals.rules.record import termination_from
from agentic_evals.rules.statistics import pass_power_k, wilson

BYPASSABLE: Final = frozenset({ExitCode.NOT_READY, ExitCode.ENVIRONMENT, ExitCode.INCONCLUSIVE})
"""What a recorded bypass turns into 0, and only when a trial ran (specification, section 3)."""


@dataclass(frozen=True, slots=True)
class JudgedTrial:
    """A recorded trial, its verdict, and the quotations of its streams."""

    record: TrialRecord
    verdict: TrialVerdict
    stdout: str = ""
    stderr: str = ""


@dataclass(frozen=True, slots=True)
class Circumstance:
    """Everything a report says that is not a verdict; regrading takes it from the manifest."""

    source: str
    run_id: str
    fixture_sha256: str
    generated_at: str
    duration_ms: float
    trials: int
    contract: str
    selection: str
    findings: tuple[Mapping[str, Any], ...]
    repo: Mapping[str, Any]
    isolation: Mapping[str, Any]
    environment: Mapping[str, Any]
    settings: Mapping[str, Any]
    tool: Mapping[str, Any]
    own_program: bool = False
    vacuous: tuple[int, ...] = ()
    any_failure: tuple[int, ...] = ()
    selected: tuple[int, ...] = ()
    bypass: str | None = None
    interrupted: bool = False
    limits: tuple[str, ...] = field(default=())
    sampled: tuple[int, ...] = ()
    """Indexes of the cases whose commands draw fresh inputs at each run."""
    null_due: tuple[str, ...] = ()
    """Names of the cases that are run without their skill."""
    null_unknown: Mapping[str, str] = field(default_factory=dict)
    """Why a case that is due to be run without its skill was not, by the case's name."""


def finding_reports(findings: Sequence[Finding]) -> tuple[FindingReport, ...]:
    """Return findings as documents show them."""
    return tuple(
        FindingReport(
            found.rule,
            found.severity.word,
            found.message,
            found.location.file,
            found.location.pointer,
            found.location.line,
            found.location.column,
            found.hint,
            found.fragment,
        )
        for found in findings
    )


def finding_documents(findings: Sequence[Finding]) -> tuple[dict[str, Any], ...]:
    """Return findings as plain values, as a manifest keeps them."""
    return tuple(map(asdict, finding_reports(findings)))


Place = Callable[[str], tuple[int, int]]
"""Line and column of a JSON pointer in the fixture's bytes."""


def run_report(
    fixture: Fixture,
    cases: Sequence[CompiledCase],
    judged: Mapping[int, Sequence[JudgedTrial]],
    about: Circumstance,
    place: Place | None = None,
    nulls: Mapping[int, Sequence[JudgedTrial]] | None = None,
) -> RunReport:
    """Fold judged trials into the report; `judged` holds the trials of each case by the case's index.

    `nulls` holds, in the same way, the trials of a case without its skill.
    `place` is asked only about cases that did not pass, since looking into the fixture's text costs time.
    """
    without = {case.index: _null_trial(case, (nulls or {}).get(case.index, ()), about) for case in cases}
    reports = tuple(
        _placed(_case_report(case, judged.get(case.index, ()), about, without[case.index]), case, place)
        for case in cases
    )
    required = [
        _outcomes(judged.get(case.index, ()), about)
        for case in cases
        if case.case.required and _is_selected(case, about)
    ]
    cases_ready = fold.case_readiness(required)
    claims = ClaimReadiness.UNSCORED if fixture.capability_claims or fixture.seams else ClaimReadiness.NOT_DECLARED
    idle = _null_obstacles(cases, without, about) + _same_samples(cases, judged, about)
    obstacles = (*_obstacles(cases, judged, about), *idle, *_further_obstacles(fixture, about, cases_ready))
    overall = min(_overall(cases_ready, fixture, about), _at_best(idle))
    code = fold.exit_code(overall, obstacles)
    gate = _gate(code, about, ran=any(_started(trial) for trials in judged.values() for trial in trials))
    return RunReport(
        source=about.source,
        run_id=about.run_id,
        fixture_sha256=about.fixture_sha256,
        skill=fixture.skill,
        readiness=overall.name,
        headline=headline(overall, claims, about),
        case_readiness=cases_ready.name,
        claim_readiness=claims.value,
        gate=gate,
        exit_code=gate.exit_code,
        obstacles=tuple(ObstacleReport(found.rule, found.message, found.code, found.case) for found in obstacles),
        outcome_counts=_counts(reports),
        cases=reports,
        contract=about.contract,
        findings=tuple(FindingReport(**found) for found in about.findings),
        selection=about.selection,
        generated_at=about.generated_at,
        duration_ms=about.duration_ms,
        trials=about.trials,
        mocked=fixture.mocked,
        live=fixture.live,
        eval_kind=fixture.eval_kind,
        eval_tier=fixture.eval_tier,
        proof_scope=fixture.proof_scope,
        claims=fixture.claims.model_dump(exclude_none=True) if fixture.claims is not None else None,
        capability_readiness=None,
        repo=about.repo,
        isolation=about.isolation,
        environment=about.environment,
        settings=about.settings,
        tool=about.tool,
        limits=about.limits,
        interrupted=about.interrupted,
    )


def _at_best(obstacles: Sequence[Obstacle]) -> Readiness:
    """Return the best readiness that obstacles leave: what fails is not ready, what is unknown is a gap."""
    if not obstacles:
        return Readiness.READY
    fails = any(obstacle.code == ExitCode.NOT_READY for obstacle in obstacles)
    return Readiness.NOT_READY if fails else Readiness.USABLE_WITH_GAPS


def _started(trial: JudgedTrial) -> bool:
    return bool(trial.record.termination["kind"] != "withheld")


def _null_trial(case: CompiledCase, trials: Sequence[JudgedTrial], about: Circumstance) -> dict[str, Any] | None:
    """Return what the trials without the skill showed; `None` where none was due."""
    unknown = about.null_unknown.get(case.case.name)
    if unknown is not None:
        return {"says": "unknown", "why": unknown}
    if not trials:
        due = case.case.name in about.null_due
        return {"says": "unknown", "why": nulltrial.NOT_RUN} if due else None
    answers = [nulltrial.says(trial.verdict, trial.record.termination["kind"]) for trial in trials]
    said = nulltrial.together(answers)
    shown = trials[answers.index(said)]
    problems = list(shown.verdict.problems)
    return {"says": said, "problems": problems, "stdout": shown.stdout, "stderr": shown.stderr}


def _null_obstacles(
    cases: Sequence[CompiledCase], without: Mapping[int, Mapping[str, Any] | None], about: Circumstance
) -> list[Obstacle]:
    found: list[Obstacle] = []
    for case in cases:
        null = without[case.index]
        if null is None or not case.case.required or not _is_selected(case, about):
            continue
        if null["says"] == "passes-without-skill":
            message = "it still passes when the skill is taken away, so it proves nothing of the skill"
            found.append(Obstacle(ExitCode.NOT_READY, "passes-without-skill", message, case.case.name))
        elif null["says"] == "unknown" and nulltrial.keeps_the_gate_shut(null.get("why", "")):
            message = f"whether it needs the skill is unknown: {null['why']}"
            found.append(Obstacle(ExitCode.INCONCLUSIVE, "null-trial-unknown", message, case.case.name))
    return found


def _same_samples(
    cases: Sequence[CompiledCase], judged: Mapping[int, Sequence[JudgedTrial]], about: Circumstance
) -> list[Obstacle]:
    message = "two trials logged identical samples: the case does not draw fresh inputs"
    return [
        Obstacle(ExitCode.NOT_READY, "samples-identical", message, case.case.name)
        for case in cases
        if case.index in about.sampled and are_repeated(trial.verdict.samples for trial in judged.get(case.index, ()))
    ]


def _says(null_trial: Mapping[str, Any] | None) -> str | None:
    return null_trial["says"] if null_trial is not None else None


def headline(overall: Readiness, claims: ClaimReadiness, about: Circumstance) -> str:
    """Return the first line that a person sees: the readiness, and what it does not cover."""
    remarks = []
    if claims is ClaimReadiness.NOT_DECLARED:
        remarks.append("cases only, nothing claimed")
    elif claims is ClaimReadiness.UNSCORED:
        remarks.append("claims and seams are declared but not scored yet")
    if about.contract == "exempt":
        remarks.append("contract exempt")
    if about.selection == "partial":
        remarks.append("a part of the cases only")
    if about.interrupted:
        remarks.append("interrupted")
    return f"{overall.name} ({'; '.join(remarks)})" if remarks else overall.name


def _overall(cases_ready: Readiness, fixture: Fixture, about: Circumstance) -> Readiness:
    """Lower what the cases show by what the run cannot establish."""
    if about.selection == "partial" and cases_ready is Readiness.READY:
        return Readiness.NOT_ESTABLISHED
    unscored = bool(fixture.capability_claims or fixture.seams)
    exempt = about.contract == "exempt" and not (about.own_program and fixture.eval_kind == "runner_selftest")
    return min(cases_ready, Readiness.USABLE_WITH_GAPS) if exempt or unscored else cases_ready


def _is_selected(case: CompiledCase, about: Circumstance) -> bool:
    return about.selection == "whole" or case.index in about.selected


def _outcomes(trials: Sequence[JudgedTrial], about: Circumstance) -> list[Outcome]:
    missing = max(0, about.trials - len(trials))
    return [trial.verdict.outcome for trial in trials] + [Outcome.NOT_TESTED] * missing


def _obstacles(
    cases: Sequence[CompiledCase], judged: Mapping[int, Sequence[JudgedTrial]], about: Circumstance
) -> tuple[Obstacle, ...]:
    selected = [case for case in cases if _is_selected(case, about)]
    return fold.case_obstacles(
        [
            fold.CaseResult(case.case.name, case.case.required, fold.fold(_outcomes(judged.get(case.index, ()), about)))
            for case in selected
        ]
    )


def _further_obstacles(fixture: Fixture, about: Circumstance, cases_ready: Readiness) -> list[Obstacle]:
    found: list[Obstacle] = []
    if about.interrupted:
        found.append(Obstacle(ExitCode.INTERRUPTED, "interrupted", "the run was stopped before it was complete"))
    if about.selection == "partial":
        message = "only some cases were selected: a part establishes no readiness"
        found.append(Obstacle(ExitCode.INCONCLUSIVE, "partial-selection", message))
    if fixture.capability_claims or fixture.seams:
        message = "claims or seams are declared, and nothing judges them yet"
        found.append(Obstacle(ExitCode.INCONCLUSIVE, "claims-unscored", message))
    own_selftest = about.own_program and fixture.eval_kind == "runner_selftest"
    if about.contract == "exempt" and not own_selftest and cases_ready is Readiness.READY:
        message = f"a fixture of kind {fixture.eval_kind!r} is exempt from the contract and never READY"
        found.append(Obstacle(ExitCode.NOT_READY, "contract-exempt", message))
    return found


def _gate(code: ExitCode, about: Circumstance, *, ran: bool) -> Gate:
    if code is ExitCode.OK:
        return Gate("open", ExitCode.OK)
    if about.bypass is not None and ran and code in BYPASSABLE:
        return Gate("bypassed", ExitCode.OK, about.bypass)
    return Gate("shut", code)


def _counts(reports: Sequence[CaseReport]) -> dict[str, int]:
    counted = Counter(report.outcome for report in reports)
    return {outcome.value: counted.get(outcome.value, 0) for outcome in Outcome}


def _case_report(
    case: CompiledCase, trials: Sequence[JudgedTrial], about: Circumstance, null_trial: Mapping[str, Any] | None
) -> CaseReport:
    outcomes = _outcomes(trials, about)
    ran = len(trials)
    passed = outcomes.count(Outcome.PASS)
    problems = tuple(dict.fromkeys(problem for trial in trials for problem in trial.verdict.problems))
    return CaseReport(
        name=case.case.name,
        type=case.case.type,
        case_id=f"{case.index}:{case.case.name}",
        required=case.case.required,
        outcome=fold.fold(outcomes).value,
        problems=problems,
        argv=trials[0].record.argv if trials else tuple(case.case.command),
        flaky=fold.is_flaky(outcomes),
        passed_trials=passed,
        total_trials=ran,
        pass_rate=round(passed / ran, 6) if ran else None,
        pass_rate_interval=_rounded(wilson(passed, ran)) if ran else None,
        pass_power_k=round(pass_power_k(passed, ran, ran), 6) if ran else None,
        declared_evidence_class=case.case.evidence_class,
        effective_evidence_class=None,
        live_qualified=None,
        evidence_disqualifiers=(),
        real_world=case.case.real_world,
        category=case.case.category,
        vacuous=case.index in about.vacuous or _says(null_trial) == "passes-without-skill",
        any_failure_passes=case.index in about.any_failure,
        null_trial=null_trial,
        trials=tuple(_trial_report(trial, about) for trial in trials),
    )


def _placed(report: CaseReport, case: CompiledCase, place: Place | None) -> CaseReport:
    if place is None or report.outcome in {Outcome.PASS, Outcome.NOT_TESTED}:
        return report
    return replace(report, line=place(f"/cases/{case.index}")[0])


def _rounded(interval: tuple[float, float]) -> tuple[float, float]:
    return round(interval[0], 6), round(interval[1], 6)


def _trial_report(trial: JudgedTrial, about: Circumstance) -> TrialReport:
    kept = trial.record
    termination = termination_from(kept.termination)
    mode = kept.room.get("mode")
    return TrialReport(
        trial_id=f"{kept.case}/{kept.trial}",
        outcome=trial.verdict.outcome.value,
        problems=trial.verdict.problems,
        termination=kept.termination,
        exit_code=code_of(termination),
        timed_out=kept.termination["kind"] == "timed_out",
        duration_ms=kept.duration_ms,
        started_unix_ms=kept.started_unix_ms,
        stdout=trial.stdout,
        stderr=trial.stderr,
        streams={name: _stream(stored, quoted) for name, stored, quoted in _streams(trial)},
        artifact_hashes={seen.path: seen.sha256 for seen in kept.observed if seen.sha256 is not None},
        leaked=kept.leaked,
        infra=trial.verdict.infra,
        workspace=str(mode) if mode != about.isolation.get("workspace") else None,
        notes=trial.verdict.notes,
    )


def _streams(trial: JudgedTrial) -> list[tuple[str, StoredBytes, str]]:
    return [("stdout", trial.record.stdout, trial.stdout), ("stderr", trial.record.stderr, trial.stderr)]


def _stream(stored: StoredBytes, quoted: str) -> StreamReport:
    return StreamReport(
        stored.size, stored.stored, stored.redacted, truncated=stored.stored_size > len(quoted.encode())
    )
