"""Fixture to report: admit, plan, run, judge, keep, fold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from agentic_evals.flows.about import circumstance, isolation_line, manifest_bytes
from agentic_evals.flows.keeping import Keeper
from agentic_evals.flows.rooms import Wanted, rooms
from agentic_evals.model.errors import DocumentRejected, UsageError
from agentic_evals.model.progress import CaseFinished, RunFinished, RunStarted, TrialFinished
from agentic_evals.model.trial import Capture, TrialJob, Withheld
from agentic_evals.model.verdict import Outcome, Readiness
from agentic_evals.rules import nulltrial
from agentic_evals.rules.jobs import DEFAULT_MAX_OUTPUT, CaseJobs, Circumstances, null_job
from agentic_evals.rules.nulltrial import NullPlan
from agentic_evals.rules.parse.syntax import kept_name, of_pointer
from agentic_evals.rules.readiness import fold
from agentic_evals.rules.redaction import Redactor, secrets_in
from agentic_evals.rules.reporting import Circumstance, JudgedTrial, run_report

if TYPE_CHECKING:
    from agentic_evals.flows.admit import Admission
    from agentic_evals.flows.rooms import CaseRoom
    from agentic_evals.model.progress import Subscriber
    from agentic_evals.model.report import RunReport
    from agentic_evals.ports import Clock, EvidenceStore, Executor, RunFolder, Sandbox
    from agentic_evals.rules.operator import CompiledCase
    from agentic_evals.rules.subject import Subject


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for, with every value already settled."""

    run_id: str
    wanted: Wanted
    """The rooms asked for, and the run's private folder."""
    jobs: int = 1
    timeout_seconds: float | None = None
    fail_fast: bool = False
    cases: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    max_output: int = DEFAULT_MAX_OUTPUT
    bypass: str | None = None
    folder: str | None = None
    caller: Mapping[str, str] = field(default_factory=dict)
    own_prefix: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    tool: Mapping[str, Any] = field(default_factory=dict)

    @property
    def workspace_mode(self) -> str:
        """The view of the workspace that was asked for."""
        return self.wanted.workspace_mode


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The result of one run, and where its evidence lies."""

    report: RunReport
    folder: RunFolder


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The flow of `run`."""

    sandbox: Sandbox
    store: EvidenceStore
    clock: Clock
    executor_for: Any
    """`(jobs: int) -> Executor`."""

    def run(self, admission: Admission, request: Request, subscribe: Subscriber) -> Evaluated:
        """Evaluate an admitted fixture.

        Raises:
            DocumentRejected: it was not admitted; every finding is carried.
            UsageError: no case has a selected name or category.
            EnvironmentUnfit: the view of the workspace cannot be had as asked.

        """
        subject = admission.subject
        if subject is None or not admission.admitted:
            message = f"{admission.path}: the fixture is refused"
            raise DocumentRejected(message, admission.findings)
        selected = select(subject.cases, request.cases, request.categories)
        folder = self.store.create(request.run_id, request.folder)
        run = _Run(self, admission, subject, request, selected, folder, subscribe)
        return Evaluated(run.carry_out(), folder)


def select(
    cases: tuple[CompiledCase, ...], names: tuple[str, ...], categories: tuple[str, ...]
) -> tuple[CompiledCase, ...]:
    """Return the cases with one of the names or categories; all where none are given.

    Raises:
        UsageError: a name or category that no case has.

    """
    known = {case.case.name for case in cases}
    for name in names:
        if name not in known:
            message = f"no case is named {name!r}"
            raise UsageError(message, hint=f"Cases: {', '.join(sorted(known))}.")
    known_categories = {case.case.category for case in cases if case.case.category is not None}
    for category in categories:
        if category not in known_categories:
            message = f"no case has the category {category!r}"
            raise UsageError(message, hint=f"Categories: {', '.join(sorted(known_categories)) or 'none'}.")
    if not names and not categories:
        return cases
    return tuple(case for case in cases if case.case.name in names or case.case.category in categories)


class _Run:
    """The state of one run."""

    def __init__(
        self,
        flow: Evaluation,
        admission: Admission,
        subject: Subject,
        request: Request,
        selected: tuple[CompiledCase, ...],
        folder: RunFolder,
        subscribe: Subscriber,
    ) -> None:
        self._flow = flow
        self._admission = admission
        self._subject = subject
        self._request = request
        self._selected = selected
        self._folder = folder
        self._tell = subscribe
        self._judged: dict[int, list[JudgedTrial]] = defaultdict(list)
        self._nulls: dict[int, list[JudgedTrial]] = defaultdict(list)
        self._stop = False
        redactor = Redactor(secrets_in(request.caller, subject.fixture.credentials))
        self._keeper = Keeper(folder, redactor)

    def carry_out(self) -> RunReport:
        started = self._flow.clock.monotonic_ms()
        settled = rooms(self._subject, self._selected, self._request.wanted, self._flow.sandbox)
        now = self._flow.clock.now_iso()
        plans = self._null_plans(settled)
        about = circumstance(self._admission, self._subject, self._request, self._selected, settled, now)
        unknown = {name: plan.unknown for name, plan in plans.items() if plan.unknown}
        about = replace(about, null_unknown=unknown, null_due=tuple(name for name in plans if name not in unknown))
        self._begin(about)
        in_place = any(room.facts.mode == "shared" for room in settled.values())
        executor: Executor = self._flow.executor_for(1 if in_place else self._request.jobs)
        self._withhold(settled)
        interrupted = self._drive(executor, self._jobs(settled, plans))
        spent = round(self._flow.clock.monotonic_ms() - started, 3)
        about = replace(about, duration_ms=spent, interrupted=interrupted)
        self._folder.write("manifest.json", manifest_bytes(about))
        place = partial(of_pointer, self._admission.suite.data, self._admission.path)
        report = run_report(self._subject.fixture, self._subject.cases, self._judged, about, place, self._nulls)
        self._folder.flush()
        self._tell(RunFinished(Readiness[report.readiness], report.exit_code))
        return report

    def _begin(self, about: Circumstance) -> None:
        self._folder.write(kept_name(self._admission.path), self._admission.suite.data)
        self._folder.write("manifest.json", manifest_bytes(about))
        trials = len(self._selected) * about.trials
        self._tell(RunStarted(about.source, len(self._selected), trials, isolation_line(about.isolation)))

    def _withhold(self, settled: Mapping[int, CaseRoom]) -> None:
        """Judge the cases that must not start, so that each says why."""
        for case in self._selected:
            room = settled[case.index]
            for trial in range(1, self._subject.trials + 1) if room.withheld else ():
                argv = tuple(case.case.command)
                job = TrialJob(case.index, trial, argv, {})
                capture = Capture(Withheld(room.withheld or ""), argv=argv, room=room.facts)
                self._take(job, capture)

    def _null_plans(self, settled: Mapping[int, CaseRoom]) -> dict[str, NullPlan]:
        """Work out, by the case's name, how each case that is due is run without its skill."""
        wanted = nulltrial.due(self._subject) & {case.index for case in self._selected}
        return {
            entry.case.case.name: nulltrial.plan(entry, private=settled[entry.case.index].private is not None)
            for entry in self._subject.commands
            if entry.case.index in wanted and not settled[entry.case.index].withheld
        }

    def _jobs(self, settled: Mapping[int, CaseRoom], plans: Mapping[str, NullPlan]) -> Iterator[TrialJob]:
        request = self._request
        for case in self._selected:
            room = settled[case.index]
            if room.withheld:
                continue
            around = Circumstances(
                fixture=self._subject.fixture,
                facts=self._subject.facts,
                room=room.spec,
                caller=request.caller,
                own_prefix=request.own_prefix,
                spool=request.wanted.scratch,
                timeout_seconds=request.timeout_seconds,
                max_output=request.max_output,
            )
            jobs = CaseJobs(case, around)
            for trial in range(1, self._subject.trials + 1):
                if self._stop:
                    return
                yield jobs.job(trial, self._flow.clock.new_seed())
            plan = plans.get(case.case.name)
            if plan is not None and plan.unknown is None and not self._stop:
                yield from self._null_jobs(jobs, plan, replace(around, room=room.private or room.spec))

    def _null_jobs(self, jobs: CaseJobs, plan: NullPlan, around: Circumstances) -> Iterator[TrialJob]:
        """Take the skill away twice: once its stand-ins succeed in silence, once they fail."""
        scratch, sandbox = self._request.wanted.scratch, self._flow.sandbox
        for number, fails in enumerate((False, True), 1):
            shadow = sandbox.shadow(scratch, plan.shadow, int(fails)) if plan.shadow else None
            stand_ins = dict.fromkeys(plan.replace, nulltrial.EXIT_1) if fails else plan.replace
            yield null_job(jobs.job(number, self._flow.clock.new_seed()), stand_ins, around, shadow)

    def _drive(self, executor: Executor, jobs: Iterable[TrialJob]) -> bool:
        """Run the jobs and judge what comes back; return whether the user stopped it."""
        results = executor.run(jobs)
        try:
            for job, capture in results:
                self._take(job, capture)
        except KeyboardInterrupt:
            return True
        finally:
            for trials in (*self._judged.values(), *self._nulls.values()):
                trials.sort(key=lambda trial: trial.record.trial)
            close = getattr(results, "close", None)
            if close is not None:
                close()
        return False

    def _take(self, job: TrialJob, capture: Capture) -> None:
        case = self._subject.cases[job.case]
        judged = self._keeper.judge_and_keep(case, job, capture)
        if job.null:
            self._nulls[job.case].append(judged)
            return
        self._judged[job.case].append(judged)
        self._after(case, judged)

    def _after(self, case: CompiledCase, judged: JudgedTrial) -> None:
        outcome = judged.verdict.outcome
        self._stop |= self._request.fail_fast and outcome is Outcome.FAIL
        self._tell(TrialFinished(case.case.name, judged.record.trial, outcome, judged.record.duration_ms))
        trials = self._judged[case.index]
        if len(trials) == self._subject.trials:
            outcomes = [trial.verdict.outcome for trial in trials]
            problem = next((trial.verdict.problems[0] for trial in trials if trial.verdict.problems), None)
            passed = outcomes.count(Outcome.PASS)
            self._tell(CaseFinished(case.case.name, fold(outcomes), passed, len(outcomes), problem))
