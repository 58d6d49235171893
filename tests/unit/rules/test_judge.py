"""The judge: which rule decides a trial, and in which order."""

import json

import pytest

from agentic_evals import wiring
from agentic_evals.model.trial import (
    Blob,
    Capture,
    Exited,
    FailedToStart,
    OutputLimit,
    ProcessNote,
    Signalled,
    TimedOut,
    Withheld,
    WorkerLost,
)
from agentic_evals.model.verdict import Decision, Outcome
from agentic_evals.rules.judge import decide, judge
from agentic_evals.rules.parse.fixture import parse_fixture

BLOCK = "no such service"
INFRA = "quota exceeded"
LEAK = (ProcessNote(7, ("sleep", "60")),)
UNKNOWN = {"type": "no_fork_bomb_clusters", "max_processes": 9, "severity": "error", "action": "flag"}


def compiled(expected=None, **more):
    """Return a case as the judge works on it."""
    case = {
        "name": "any",
        "type": "positive",
        "command": ["x"],
        "expected": {"exit_code": 0, "stdout_contains": ["fine"]} | (expected or {}),
        "blocked_when_stdout_contains": [BLOCK],
        "infra_blocked_when": [INFRA],
    } | more
    suite = parse_fixture(
        json.dumps({"version": 2, "skill": "s", "cases": [case]}).encode(), "any.json", wiring.operators()
    )
    assert () == suite.findings
    return suite.cases[0]


def trial(ended, out="fine", err="", **more):
    """Return a capture."""
    return Capture(ended, stdout=Blob.of(out.encode()), stderr=Blob.of(err.encode()), **more)


@pytest.mark.parametrize(
    ("capture", "outcome", "first"),
    [
        (trial(Exited(0)), Outcome.PASS, ""),
        (trial(Exited(1)), Outcome.FAIL, "expected/exit_code: exit code 1"),
        (trial(Signalled(9)), Outcome.FAIL, "expected/exit_code: exit code -9"),
        # 1. could not start: a marker in what the system said excuses it
        (trial(FailedToStart(2, "No such file"), leaked=LEAK), Outcome.FAIL, "could not start: No such file"),
        (trial(FailedToStart(2, BLOCK)), Outcome.BLOCKED, f"could not start: {BLOCK}"),
        (trial(FailedToStart(2, INFRA)), Outcome.BLOCKED, f"could not start: {INFRA}"),
        (trial(FailedToStart(2, "no"), out=BLOCK), Outcome.FAIL, "could not start: no"),
        # 2. a timeout is a failure, whatever was printed and whatever still lived
        (trial(TimedOut(), out=f"fine {BLOCK} {INFRA}", leaked=LEAK, duration_ms=1500), Outcome.FAIL, "timed out"),
        (trial(OutputLimit("stdout"), out=f"fine {BLOCK}"), Outcome.FAIL, "output-limit: stdout"),
        (trial(WorkerLost("died"), out=f"fine {BLOCK}"), Outcome.FAIL, "worker-lost: died"),
        (trial(Withheld("no room")), Outcome.BLOCKED, "not started: no room"),
        # 3. a leak is a failure, even where everything held and a marker was printed
        (trial(Exited(0), leaked=LEAK), Outcome.FAIL, "leaked: still alive after the command ended: `sleep 60`"),
        (trial(Exited(1), out=BLOCK, leaked=LEAK), Outcome.FAIL, "leaked"),
        # 4. a block marker in either stream of a process that ended by itself
        (trial(Exited(1), out=BLOCK), Outcome.BLOCKED, f"blocked: the output holds {BLOCK!r}"),
        (trial(Exited(1), err=BLOCK), Outcome.BLOCKED, f"blocked: the output holds {BLOCK!r}"),
        (trial(Exited(0), out=f"fine {BLOCK}"), Outcome.BLOCKED, f"blocked: the output holds {BLOCK!r}"),
        (trial(Signalled(9), out=f"fine {BLOCK}"), Outcome.FAIL, "expected/exit_code"),
        # 5. an infra marker, and only beside problems
        (trial(Exited(1), err=INFRA), Outcome.BLOCKED, f"infrastructure: the output holds {INFRA!r}"),
        (trial(Exited(0), out=f"fine {INFRA}"), Outcome.PASS, ""),
        (trial(Exited(1), err=f"{INFRA} {BLOCK}"), Outcome.BLOCKED, "blocked"),
    ],
)
def test_the_first_rule_that_matches_decides(capture, outcome, first):
    """The order of the specification, section 6."""
    verdict = judge(compiled(), capture)

    assert outcome is verdict.outcome
    assert verdict.problems[0].startswith(first) if first else verdict.problems == ()


def test_every_problem_is_listed_beside_the_reason():
    """What was blocked or ended still says everything that did not hold."""
    verdict = judge(compiled(), trial(Exited(3), out=BLOCK))

    assert ["blocked", "expected/exit_code", "expected/stdout_contains/0"] == [
        problem.split(":")[0] for problem in verdict.problems
    ]


@pytest.mark.parametrize(("err", "expected"), [(INFRA, True), (BLOCK, False), ("", False)])
def test_only_the_infrastructure_is_marked_as_such(err, expected):
    """`infra` goes with an infra marker that excused problems."""
    assert expected is judge(compiled(), trial(Exited(1), err=err)).infra


def test_what_nobody_could_observe_blocks_a_trial_that_would_pass():
    """An unknown must not pass, and it is no failure."""
    verdict = judge(compiled({"safety_constraints": [UNKNOWN]}), trial(Exited(0)))

    assert (Outcome.BLOCKED, True, False) == (verdict.outcome, verdict.unenforced, verdict.infra)
    assert verdict.problems[0].startswith("expected/safety_constraints/0: UNENFORCED")


@pytest.mark.parametrize(
    "capture", [trial(Exited(1)), trial(TimedOut()), trial(Exited(0), leaked=LEAK), trial(FailedToStart(2, "no"))]
)
def test_an_unknown_excuses_no_failure(capture):
    """What fails otherwise still fails, and the unknown is listed."""
    verdict = judge(compiled({"safety_constraints": [UNKNOWN]}), capture)

    assert (Outcome.FAIL, False) == (verdict.outcome, verdict.unenforced)
    assert any("UNENFORCED" in problem for problem in verdict.problems)


def test_an_unknown_is_no_problem_of_the_infrastructure():
    """An infra marker needs a problem beside it, and an unknown is none."""
    verdict = judge(compiled({"safety_constraints": [UNKNOWN]}), trial(Exited(0), err=INFRA))

    assert (Outcome.BLOCKED, False, True) == (verdict.outcome, verdict.infra, verdict.unenforced)


@pytest.mark.parametrize("severity", ["warn", "info"])
def test_a_milder_constraint_is_a_note(severity):
    """It leaves the outcome alone, whether violated or unknown, and the reader is told."""
    constraints = [
        UNKNOWN | {"severity": severity},
        {**UNKNOWN, "severity": severity, "type": "max_output", "max_bytes": 1},
    ]
    del constraints[1]["max_processes"]
    verdict = judge(compiled({"safety_constraints": constraints}), trial(Exited(0)))

    assert (Outcome.PASS, ()) == (verdict.outcome, verdict.problems)
    assert ["UNENFORCED", "violated"] == [note.split(": ")[1].split(" ")[0] for note in verdict.notes]


def test_a_step_that_the_command_logged_itself_is_a_note():
    """Self-reported steps decide, and the reader is told."""
    verdict = judge(compiled({"trajectory_must_include": ["step"]}), trial(Exited(0), trajectory=Blob.of(b"step\n")))

    assert Outcome.PASS is verdict.outcome
    assert any("self-reported" in note for note in verdict.notes)


def test_pointers_begin_below_expected():
    """Each decision names its operator."""
    assert ["/exit_code", "/stdout_contains/0"] == [
        decision.pointer for decision in decide(compiled(), trial(Exited(0)))
    ]


def test_a_carried_decision_stands_as_it_was_made():
    """What was decided on bytes that the record does not keep is not decided again."""
    carried = Decision("/stdout_contains/0", holds=True, observation="as it was", redacted=True)

    verdict = judge(compiled(), trial(Exited(0), out="[redacted]"), {carried.pointer: carried})

    assert Outcome.PASS is verdict.outcome
    assert carried in verdict.decisions


def test_many_leaked_processes_are_counted():
    """The first few are named."""
    leaked = tuple(ProcessNote(number, (f"p{number}",)) for number in range(9))

    assert "`p0`, `p1`, `p2` and 6 more" in judge(compiled(), trial(Exited(0), leaked=leaked)).problems[0]
