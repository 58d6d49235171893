"""Evaluation: which trials are started, what becomes of their captures, and what a run says meanwhile."""

import pytest

from agentic_evals.model.errors import DocumentRejected, EnvironmentUnfit, ExitCode, UsageError
from agentic_evals.model.progress import CaseFinished, RunFinished, RunStarted, TrialFinished
from agentic_evals.model.trial import Capture, FailedToStart, OutputLimit, Signalled, TimedOut, WorkerLost
from agentic_evals.model.verdict import Readiness
from tests.fakes.sandbox import FakeSandbox
from tests.fakes.store import MemoryStore
from tests.fakes.workspace import FakeWorkspace
from tests.unit.flows.suite import FIXTURE, REFUSES, WORKS, Run, admission, admit, case, printed, well


def test_all_is_well():
    """Every trial of every case runs once, the report is READY, and the record is durable."""
    run = Run(admission(trials=3))

    assert [(name, trial) for name in ("works", "refuses") for trial in (1, 2, 3)] == run.drawn()
    assert ("READY", ExitCode.OK) == (run.report.readiness, run.report.exit_code)
    assert 6 == len([record for record in run.folder.added if not record.null])
    assert 1 <= run.folder.flushed
    assert run.executor.closed


def failing(*names):
    """Answer well, but let some cases fail."""
    return lambda job: printed(job, 9, b"no\n") if job.argv[1].removesuffix(".sh") in names else well(job)


def test_fail_fast_draws_nothing_more():
    """After the first FAIL no job is drawn; what did not run is NOT_TESTED."""
    run = Run(admission(case("later")), failing("works"), fail_fast=True, jobs=1)

    assert [("works", 1)] == run.drawn()
    assert {"works": "FAIL", "refuses": "NOT_TESTED", "later": "NOT_TESTED"} == run.outcomes
    assert ExitCode.NOT_READY == run.report.exit_code


def test_without_fail_fast_everything_runs():
    """A FAIL alone stops nothing."""
    run = Run(admission(case("later")), failing("works"), jobs=1)

    assert {"works": "FAIL", "refuses": "PASS", "later": "PASS"} == run.outcomes


def test_fail_fast_lets_finish_what_runs():
    """What already runs beside the first FAIL is judged, too, and nothing is drawn after it."""
    run = Run(admission(case("later")), failing("works"), fail_fast=True, jobs=5)

    assert [("works", 1), ("works", 2), ("refuses", 1)] == run.drawn()
    assert 3 == len([record for record in run.folder.added if not record.null])


def test_an_interruption_keeps_what_had_finished():
    """Ctrl-C after two trials: those two stand in record and report, nothing more is drawn, the exit is 130."""

    def answer(job):
        return KeyboardInterrupt() if job.argv[1] == "refuses.sh" else well(job)

    run = Run(admission(), answer, jobs=1)

    assert run.report.interrupted
    assert ExitCode.INTERRUPTED == run.report.exit_code
    assert {"works": "PASS", "refuses": "NOT_TESTED"} == run.outcomes
    assert {"works"} == {record.case for record in run.folder.added}
    assert run.executor.closed
    assert b'"interrupted": true' in run.folder.files["manifest.json"]


def test_an_interruption_while_progress_is_shown_loses_nothing():
    """Ctrl-C that arrives in a subscriber is an interruption, too: the trial it was told about is kept."""

    def stop(event):
        if isinstance(event, TrialFinished):
            raise KeyboardInterrupt

    run = Run(admission(), subscribe=stop, jobs=1)

    assert ExitCode.INTERRUPTED == run.report.exit_code
    assert [("works", 1)] == [(record.case, record.trial) for record in run.folder.added]


@pytest.mark.parametrize(("mode", "at_once"), [("shared", 1), ("copy", 4), ("overlay", 4)])
def test_trials_that_share_a_workspace_run_one_by_one(mode, at_once):
    """Where the room is the workspace itself, one trial at a time is run, whatever `--jobs` says."""
    run = Run(admission(), workspace_mode=mode, jobs=4)

    assert at_once == run.executor.jobs
    assert mode == run.report.isolation["workspace"]


def test_one_case_in_place_makes_all_run_one_by_one():
    """A single case that asks for `shared` is not run beside another."""
    run = Run(admission(case("alone", isolation={"workspace": "shared"})), jobs=4)

    assert 1 == run.executor.jobs


def test_a_case_whose_requirement_is_not_met_never_starts():
    """`require` that is not in force: BLOCKED with the reason for each trial, and no job is drawn for it."""
    needy = case("needy", isolation={"require": {"network_denied": "enforced"}})
    run = Run(admission(needy))

    assert {"works": "PASS", "refuses": "PASS", "needy": "BLOCKED"} == run.outcomes
    assert "needy" not in {name for name, _ in run.drawn()}
    assert "not started: network_denied must be enforced and is none" in run.problems("needy")[0]
    assert [1, 2] == [record.trial for record in run.folder.added if record.case == "needy"]
    assert ExitCode.ENVIRONMENT == run.report.exit_code


def test_a_requirement_that_is_met_changes_nothing():
    """`require` at or below the grade in force lets the case run."""
    needy = case("needy", isolation={"require": {"workspace_private": "observed", "no_survivors": "verified"}})

    assert {"works": "PASS", "refuses": "PASS", "needy": "PASS"} == Run(admission(needy)).outcomes


def test_a_requirement_of_the_command_line_holds_for_every_case():
    """`--require` withholds all cases alike."""
    run = Run(admission(), require={"memory_limit": "enforced"})

    assert [] == run.executor.drawn
    assert {"works": "BLOCKED", "refuses": "BLOCKED"} == run.outcomes


def test_a_room_asked_for_by_name_that_is_not_to_be_had_stops_the_run():
    """No trial starts, and the error carries the exit code 5."""
    with pytest.raises(EnvironmentUnfit) as caught:
        Run(admission(), sandbox=FakeSandbox("shared"), workspace_mode="overlay")

    assert ExitCode.ENVIRONMENT == caught.value.exit_code


def test_a_level_that_this_version_lacks_stops_the_run():
    """A level asked for by name is never silently replaced by another."""
    with pytest.raises(EnvironmentUnfit, match="namespace"):
        Run(admission(), level="namespace")


def test_each_kind_of_room_is_probed_once():
    """Cases that ask for the same view share one look at it."""
    run = Run(admission(case("one"), case("two", isolation={"workspace": "copy"})))

    assert ["auto", "copy"] == [spec.mode for spec in run.sandbox.probed]


BAD = {
    "died": lambda job: Capture(Signalled(9), argv=job.argv),
    "hung": lambda job: Capture(TimedOut(), argv=job.argv, duration_ms=30_000),
    "flooded": lambda job: Capture(OutputLimit("stdout"), argv=job.argv),
    "vanished": lambda job: Capture(FailedToStart(2, "No such file or directory"), argv=job.argv),
    "lost": lambda job: Capture(WorkerLost("the supervising process died twice"), argv=job.argv),
    "binary": lambda job: printed(job, 0, bytes(range(256))),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_case_never_spoils_the_result_of_another(kind):
    """Whatever one case comes to, it alone FAILs, and every other keeps its own result."""
    run = Run(admission(case(kind)), lambda job: BAD[kind](job) if job.argv[1] == f"{kind}.sh" else well(job))

    assert {"works": "PASS", "refuses": "PASS", kind: "FAIL"} == run.outcomes
    assert ("USABLE_WITH_GAPS", ExitCode.NOT_READY) == (run.report.readiness, run.report.exit_code)


def test_the_report_has_the_order_of_the_fixture():
    """Trials that end in another order than they began stand by case and number."""
    run = Run(admission(case("later"), trials=3), jobs=9, latest_first=True)

    assert ["works", "refuses", "later"] == [one.name for one in run.report.cases]
    for one in run.report.cases:
        assert [f"{one.name}/{number}" for number in (1, 2, 3)] == [trial.trial_id for trial in one.trials]


def test_events_tell_the_run_in_order():
    """First that it starts, then each trial, each case after its last trial, and at the end the verdict."""
    run = Run(admission(), jobs=1)

    assert [RunStarted, *[TrialFinished, TrialFinished, CaseFinished] * 2, RunFinished] == [
        type(event) for event in run.events
    ]
    started, finished = run.events[0], run.events[-1]
    assert (FIXTURE, 2, 4) == (started.source, started.cases, started.trials)
    assert (Readiness.READY, ExitCode.OK) == (finished.readiness, finished.exit_code)


def test_a_finished_case_names_its_first_problem():
    """The event of a failed case carries how many trials passed, and why the first did not."""
    run = Run(admission(), lambda job: printed(job, 9, b"") if job.trial == 2 and not job.null else well(job), jobs=1)
    told = next(event for event in run.events if isinstance(event, CaseFinished) and event.case == "works")

    assert ("FAIL", 1, 2) == (told.outcome, told.passed, told.total)
    assert "exit code 9, expected exit code 0" in told.problem


def test_a_finished_trial_is_kept_before_anybody_is_told():
    """Whoever hears of a trial finds its record in the run folder."""
    store, kept = MemoryStore(), []

    def look(event):
        if isinstance(event, TrialFinished):
            kept.append(len(store.folders["/state/runs/run-1"].added))

    Run(admission(sound=(WORKS, REFUSES)), store=store, subscribe=look, jobs=1)

    assert kept == sorted(kept)
    assert all(number >= told for told, number in enumerate(kept, 1))


def test_each_trial_has_a_fresh_seed():
    """No two jobs of a run share a seed, and a trial finds it in its environment."""
    run = Run(admission(trials=3))
    seeds = [job.document["env"]["AGENTIC_EVALS_SEED"] for job in run.executor.drawn]

    assert len(seeds) == len(set(seeds))


@pytest.mark.parametrize(
    ("names", "categories", "drawn"),
    [(("works",), (), {"works"}), ((), ("slow",), {"later"}), (("works",), ("slow",), {"works", "later"})],
)
def test_a_selection_runs_its_cases_alone(names, categories, drawn):
    """Named cases and cases of a named category run; together they are a part, which is never READY."""
    run = Run(admission(case("later", category="slow")), cases=names, categories=categories)

    assert drawn == {name for name, _ in run.drawn()}
    assert ("partial", ExitCode.INCONCLUSIVE) == (run.report.selection, run.report.exit_code)


@pytest.mark.parametrize("wrong", [{"cases": ("wroks",)}, {"categories": ("fast",)}])
def test_a_selection_of_nothing_known_is_a_usage_error(wrong):
    """A misspelt name selects nothing silently: the error lists what there is."""
    with pytest.raises(UsageError) as caught:
        Run(admission(), **wrong)

    assert caught.value.hint


def test_a_refused_fixture_is_never_run():
    """The flow itself refuses what was not admitted, with every finding."""
    refused = admit_text(b"{}")

    with pytest.raises(DocumentRejected) as caught:
        Run(refused)

    assert refused.findings == caught.value.findings


def admit_text(data):
    """Admit a document as it stands."""
    return admit(FakeWorkspace({FIXTURE: data}))(FIXTURE)


def test_the_run_folder_holds_what_was_asked():
    """The fixture's very bytes lie in the run folder, with the settings and who bypassed the gate."""
    made = admission()
    run = Run(made, failing("works"), bypass="--report-only", settings={"jobs": {"value": 1, "set_by": "flag"}})

    assert made.suite.data in run.folder.files.values()
    assert ("bypassed", ExitCode.OK, "--report-only") == (
        run.report.gate.state,
        run.report.exit_code,
        run.report.gate.asked_by,
    )
    assert b'"set_by": "flag"' in run.folder.files["manifest.json"]


def test_a_secret_is_judged_and_not_kept():
    """The value of a credential decides the expectation, and stands nowhere in the run folder or the report."""
    secret = "a-very-long-secret-value"
    tells = case("tells", expected={"exit_code": 0, "stdout_contains": ["the token is a-very"]})

    def answer(job):
        return printed(job, 0, f"the token is {secret}\n".encode()) if job.argv[1] == "tells.sh" else well(job)

    run = Run(admission(tells, credentials=["SHOP_TOKEN"]), answer, caller={"SHOP_TOKEN": secret})

    assert "PASS" == run.outcomes["tells"]
    assert secret not in repr(run.report) + repr(run.folder.added) + repr(run.folder.files)
    assert all(secret.encode() not in data for data in run.folder._stored.values())


def test_suites_for_flows_are_sound():
    """The suite that these tests stand on is admitted without a finding."""
    assert () == admission().findings
    assert ["works", "refuses"] == [one["name"] for one in (WORKS, REFUSES)]
