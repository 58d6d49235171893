"""What a run showed becomes one report, and every obstacle its own exit code."""

import hashlib
import json
from dataclasses import replace

import pytest

from agentic_evals import wiring
from agentic_evals.model.errors import ExitCode
from agentic_evals.model.finding import Finding, Location, Severity
from agentic_evals.model.record import StoredBytes
from agentic_evals.model.trial import Blob, Capture, Exited, Withheld
from agentic_evals.rules.judge import judge
from agentic_evals.rules.parse.fixture import parse_fixture
from agentic_evals.rules.record import record
from agentic_evals.rules.redaction import Redactor
from agentic_evals.rules.reporting import BYPASSABLE, Circumstance, JudgedTrial, finding_documents, run_report

PASS, FAIL, BLOCKED = b"fine", b"broken", b"fine NO-NETWORK-HERE"
CLAIM = {"id": "c", "criticality": "critical"}


def suite(*names, optional=(), **manifest):
    """Parse a fixture whose cases expect `fine` and are blocked by a marker."""
    cases = [
        {
            "name": name,
            "type": "positive",
            "required": name not in optional,
            "command": ["./run.sh", name],
            "expected": {"exit_code": 0, "stdout_contains": ["fine"]},
            "blocked_when_stdout_contains": ["NO-NETWORK-HERE"],
        }
        for name in names
    ]
    document = {"version": 2, "skill": "sample", "trials": 2, "cases": cases, **manifest}
    made = parse_fixture(json.dumps(document).encode(), "fixtures/agentic_eval.json", wiring.operators())
    assert () == made.findings
    return made


def keep(blob):
    """Store bytes nowhere."""
    return StoredBytes(blob.size, hashlib.sha256(blob.head).hexdigest(), blob.size)


def judged(case, number, output):
    """Judge one trial by what it printed; `None` stands for one that was not started."""
    how = Capture(Withheld("no namespace")) if output is None else Capture(Exited(0), stdout=Blob.of(output))
    verdict = judge(case, how)
    return JudgedTrial(record(case, number, how, verdict, Redactor(), keep), verdict, (output or b"").decode())


def about(**other):
    """Return the circumstances of a whole, admitted run."""
    made = Circumstance(
        source="fixtures/agentic_eval.json",
        run_id="r1",
        fixture_sha256="0" * 64,
        generated_at="2030-01-01T00:00:00Z",
        duration_ms=1.0,
        trials=2,
        contract="met",
        selection="whole",
        findings=(),
        repo={},
        isolation={"workspace": "overlay"},
        environment={},
        settings={},
        tool={},
    )
    return replace(made, **other)


def report(showed, made=None, **circumstances):
    """Report a run of cases that printed, in each trial, what `showed` lists by name."""
    made = made or suite(*showed)
    trials = {
        case.index: [judged(case, number, output) for number, output in enumerate(showed[case.case.name], 1)]
        for case in made.cases
        if case.case.name in showed
    }
    return run_report(made.fixture, made.cases, trials, about(**circumstances))


GOOD = {"a": [PASS, PASS]}


def test_everything_passed_is_ready_and_exits_0():
    """The one way to an open gate."""
    made = report(GOOD)

    assert ("READY", "open", 0, ()) == (made.readiness, made.gate.state, made.exit_code, made.obstacles)
    assert "READY (cases only, nothing claimed)" == made.headline
    assert {"PASS": 1, "FAIL": 0, "BLOCKED": 0, "NOT_TESTED": 0} == made.outcome_counts


@pytest.mark.parametrize(
    ("showed", "circumstances", "manifest", "readiness", "code", "rules"),
    [
        ({"a": [PASS, FAIL]}, {}, {}, "NOT_READY", 3, ["case-failed"]),
        ({"a": [PASS, BLOCKED]}, {}, {}, "NOT_READY", 5, ["case-blocked"]),
        ({"a": []}, {}, {}, "NOT_ESTABLISHED", 4, ["case-not-tested"]),
        ({"a": [PASS]}, {}, {}, "NOT_READY", 3, ["case-not-tested"]),
        ({"a": [PASS, PASS], "b": []}, {}, {}, "USABLE_WITH_GAPS", 3, ["case-not-tested"]),
        ({"a": [FAIL, FAIL], "b": [BLOCKED, BLOCKED]}, {}, {}, "NOT_READY", 3, ["case-failed", "case-blocked"]),
        (GOOD, {"selection": "partial", "selected": (0,)}, {}, "NOT_ESTABLISHED", 7, ["partial-selection"]),
        (
            {"a": [FAIL, FAIL]},
            {"selection": "partial", "selected": (0,)},
            {},
            "NOT_READY",
            3,
            ["case-failed", "partial-selection"],
        ),
        (
            {"a": [BLOCKED, BLOCKED]},
            {"selection": "partial", "selected": (0,)},
            {},
            "NOT_READY",
            7,
            ["case-blocked", "partial-selection"],
        ),
        (GOOD, {}, {"capability_claims": [CLAIM]}, "USABLE_WITH_GAPS", 7, ["claims-unscored"]),
        (GOOD, {"contract": "exempt"}, {"eval_kind": "scaffold"}, "USABLE_WITH_GAPS", 3, ["contract-exempt"]),
        (GOOD, {"contract": "exempt"}, {"eval_kind": "runner_selftest"}, "USABLE_WITH_GAPS", 3, ["contract-exempt"]),
        (
            GOOD,
            {"contract": "exempt", "own_program": True},
            {"eval_kind": "scaffold"},
            "USABLE_WITH_GAPS",
            3,
            ["contract-exempt"],
        ),
        (GOOD, {"interrupted": True}, {}, "READY", 130, ["interrupted"]),
        ({"a": [FAIL, FAIL]}, {"interrupted": True}, {}, "NOT_READY", 130, ["case-failed", "interrupted"]),
    ],
)
def test_each_obstacle_shuts_the_gate_with_its_code(showed, circumstances, manifest, readiness, code, rules):
    """The table of exit codes, row by row; among several the first in the order wins."""
    made = report(showed, suite(*showed, **manifest), **circumstances)

    assert (readiness, code, "shut") == (made.readiness, made.exit_code, made.gate.state)
    assert rules == [obstacle.rule for obstacle in made.obstacles]


def test_the_programs_own_selftest_can_be_ready():
    """A self-test of the runner that lies in the running program's own repository is exempt and may be READY."""
    made = report(GOOD, suite("a", eval_kind="runner_selftest"), contract="exempt", own_program=True)

    assert ("READY", 0, "exempt") == (made.readiness, made.exit_code, made.contract)
    assert "contract exempt" in made.headline


def test_an_optional_case_does_not_shut_the_gate():
    """It is reported, counted, and no obstacle."""
    made = report({"a": [PASS, PASS], "b": [FAIL, FAIL]}, suite("a", "b", optional=("b",)))

    assert ("READY", 0) == (made.readiness, made.exit_code)
    assert "FAIL" == made.cases[1].outcome


def test_a_case_that_was_not_selected_is_no_obstacle_and_no_evidence():
    """Only selected cases are folded; the rest is NOT_TESTED."""
    made = report({"a": [PASS, PASS]}, suite("a", "b"), selection="partial", selected=(0,))

    assert ["partial-selection"] == [obstacle.rule for obstacle in made.obstacles]
    assert "NOT_TESTED" == made.cases[1].outcome


def test_only_3_5_and_7_can_be_bypassed():
    """A bypass hides neither a refusal, nor broken evidence, nor that nothing ran."""
    assert {ExitCode.NOT_READY, ExitCode.ENVIRONMENT, ExitCode.INCONCLUSIVE} == BYPASSABLE


@pytest.mark.parametrize(
    ("showed", "circumstances"),
    [
        ({"a": [FAIL, FAIL]}, {}),
        ({"a": [BLOCKED, BLOCKED]}, {}),
        (GOOD, {"selection": "partial", "selected": (0,)}),
    ],
)
def test_a_bypass_is_recorded_with_who_asked(showed, circumstances):
    """Exit 0, the readiness as it is, every obstacle still named."""
    shut = report(showed, **circumstances)
    made = report(showed, bypass="AGENTIC_EVALS_NO_GATE", **circumstances)

    assert ("bypassed", 0, "AGENTIC_EVALS_NO_GATE") == (made.gate.state, made.exit_code, made.gate.asked_by)
    assert (shut.readiness, shut.obstacles) == (made.readiness, made.obstacles)


@pytest.mark.parametrize(
    ("showed", "circumstances", "code"),
    [
        ({"a": []}, {}, 4),
        ({"a": [FAIL, FAIL]}, {"interrupted": True}, 130),
        ({"a": []}, {"selection": "partial", "selected": (0,)}, 7),
        ({"a": [None, None]}, {}, 5),
    ],
)
def test_a_bypass_never_hides_that_nothing_ran_or_was_stopped(showed, circumstances, code):
    """4 and 130 stay, and so does every code where no trial was started."""
    made = report(showed, bypass="--report-only", **circumstances)

    assert ("shut", code) == (made.gate.state, made.exit_code)


def test_a_bypass_that_was_not_needed_is_none():
    """An open gate is open, whoever asked for what."""
    assert "open" == report(GOOD, bypass="--report-only").gate.state


def test_a_flaky_case_says_how_flaky():
    """Rate, interval and the chance that fresh trials would all pass."""
    case = report({"a": [PASS, FAIL]}).cases[0]

    assert (True, 1, 2, 0.5, 0.0) == (
        case.flaky,
        case.passed_trials,
        case.total_trials,
        case.pass_rate,
        case.pass_power_k,
    )
    assert (0.094531, 0.905469) == case.pass_rate_interval


def test_a_problem_that_every_trial_has_is_said_once():
    """The case lists each problem once; the trials keep theirs."""
    case = report({"a": [FAIL, FAIL]}).cases[0]

    assert ("expected/stdout_contains/0: stdout does not contain 'fine'",) == case.problems
    assert [case.problems, case.problems] == [trial.problems for trial in case.trials]


def test_the_place_of_a_case_is_asked_only_where_it_did_not_pass():
    """Looking into the fixture's text costs time, and nobody looks for what passed."""
    asked = []

    def place(pointer):
        asked.append(pointer)
        return 12, 3

    made = suite("a", "b")
    trials = {case.index: [judged(case, 1, output)] for case, output in zip(made.cases, (PASS, FAIL), strict=True)}
    cases = run_report(made.fixture, made.cases, trials, about(trials=1), place).cases

    assert ["/cases/1"] == asked
    assert [None, 12] == [case.line for case in cases]


def test_findings_keep_place_remedy_and_fragment():
    """What the contract said stands in the report as it was shown."""
    found = Finding("r", Severity.WARNING, "m", Location("f", "/p", 2, 3), "h", "x")
    made = report(GOOD, findings=finding_documents([found]))

    shown = made.findings[0]
    assert ("r", "warning", "m", "f", "/p") == (shown.rule, shown.severity, shown.message, shown.file, shown.pointer)
    assert (2, 3, "h", "x") == (shown.line, shown.column, shown.hint, shown.fragment)
