"""Null captures: whether an expectation can fail at all."""

import json

import pytest

from agentic_evals import wiring
from agentic_evals.model.trial import Exited, Signalled
from agentic_evals.rules.nullcapture import any_failure_passes, crash_capture, is_vacuous, null_capture, null_captures
from agentic_evals.rules.parse.fixture import parse_fixture

UNKNOWN = {"type": "no_fork_bomb_clusters", "max_processes": 9, "severity": "error", "action": "flag"}


def compiled(expected, command=("python3", "run.py"), **more):
    """Return a case as the judge works on it."""
    case = {"name": "any", "type": "positive", "command": list(command), "expected": {"exit_code": 0} | expected} | more
    suite = parse_fixture(
        json.dumps({"version": 2, "skill": "s", "cases": [case]}).encode(), "any.json", wiring.operators()
    )
    assert () == suite.findings
    return suite.cases[0]


@pytest.mark.parametrize(
    ("expected", "command", "vacuous"),
    [
        ({}, ["run"], True),
        ({"exit_code": 1}, ["run"], False),
        ({"stdout_contains": ["done"]}, ["run"], False),
        ({"stdout_contains": ["done"]}, ["bash", "-c", "run; echo done"], True),
        ({"stderr_contains": ["done"]}, ["bash", "-c", "run; echo done"], True),
        ({"stdout_contains": ["done", "other"]}, ["bash", "-c", "run; echo done"], False),
        ({"stdout_excludes": ["error"]}, ["run"], True),
        ({"stdout_excludes": ["run"]}, ["run"], True),
        ({"stdout_contains": ["done"], "stdout_excludes": ["run"]}, ["bash", "-c", "run; echo done"], True),
        ({"stderr_excludes": ["error"]}, ["run"], True),
        ({"stdout_matches": ["^$"]}, ["run"], True),
        ({"stdout_matches": ["total [0-9]+"]}, ["run"], False),
        ({"stdout_matches": ["total [0-9]+"]}, ["bash", "-c", "run; echo total 42"], True),
        ({"stdout_matches": ["^total [0-9]+$"]}, ["run", "--say", "total 42"], False),
        ({"stdout_matches": ["total [0-9]+"], "stdout_excludes": ["run"]}, ["bash", "-c", "run; echo total 42"], True),
        ({"stderr_matches": ["x+"]}, ["run", "xxx"], True),
        ({"stdout_json": [{"json_pointer": "/ok", "equals": True}]}, ["run"], False),
        ({"stdout_json": [{"json_pointer": "/ok", "equals": True}]}, ["bash", "-c", """echo '{"ok": true}'"""], True),
        ({"stdout_json": [{"json_pointer": "/ok", "equals": True}]}, ["bash", "-c", """echo '{"ok": false}'"""], False),
        (
            {"stdout_json": [{"json_pointer": "/b", "exists": True}], "stdout_excludes": ["run"]},
            ["bash", "-c", """run '[1]'; echo '{"b": 1}'"""],
            True,
        ),
        ({"artifacts": [{"path": "out", "exists": True}]}, ["run"], False),
        ({"artifacts": [{"path": "out", "absent": True}]}, ["run"], True),
        ({"artifacts": [{"path": "out", "json_pointer": "/a", "not_exists": True}]}, ["run"], False),
        ({"trajectory_must_include": ["run"]}, ["run"], True),
        ({"trajectory_must_include": ["step"]}, ["run"], False),
        ({"max_duration_seconds": 0.001}, ["run"], True),
        ({"safety_constraints": [UNKNOWN]}, ["run"], True),
        ({"safety_constraints": [UNKNOWN], "stdout_contains": ["done"]}, ["run"], False),
        ({"safety_constraints": [UNKNOWN | {"severity": "warn"}]}, ["run"], True),
    ],
)
def test_a_case_that_a_no_op_would_pass_is_vacuous(expected, command, vacuous):
    """A no-op exits 0, writes nothing, and may repeat any words of its own command."""
    assert vacuous is is_vacuous(compiled(expected, command))


def test_an_unknown_does_not_make_a_case_able_to_fail():
    """A constraint that nobody can observe blocks the trial, and hides no vacuity."""
    bare, guarded = compiled({}), compiled({"safety_constraints": [UNKNOWN]})

    assert (True, True) == (is_vacuous(bare), is_vacuous(guarded))


def test_the_words_of_stdin_count_too():
    """What the command is given to read is as much its own as its arguments."""
    assert is_vacuous(compiled({"stdout_contains": ["secret word"]}, stdin="the secret word"))


def test_the_null_capture_exits_0_and_holds_all_words_in_both_streams():
    """The specification's own: nothing ran, nothing was written."""
    capture = null_capture(compiled({"artifacts": [{"path": "out", "exists": True}]}))

    assert Exited(0) == capture.termination
    assert b"run.py" in capture.stdout.head
    assert capture.stdout == capture.stderr
    assert {"out": "missing"} == {path: seen.kind for path, seen in capture.observed.items()}


def test_null_captures_are_few():
    """However many expectations a case has, doing nothing takes a bounded number of looks."""
    expected = {
        "stdout_contains": [f"w{number}" for number in range(50)],
        "stderr_contains": ["w1", "w2"],
        "stdout_matches": ["w[0-9]", "w3"],
        "stderr_matches": ["w[0-9]+"],
    }
    command = ["run", *(f"w{number}" for number in range(50))]

    assert 49 >= len(list(null_captures(compiled(expected, command))))


@pytest.mark.parametrize(
    ("expected", "vacuous"),
    [
        ({"exit_code": 1}, True),
        ({"exit_code": 1, "stderr_contains": ["Traceback"]}, True),
        ({"exit_code": 1, "stderr_contains": ["refused"]}, False),
        ({"exit_code": 1, "stderr_excludes": ["Traceback"]}, False),
        ({"exit_code": -11}, True),
        ({"exit_code": 0}, False),
        ({"exit_code": 1, "safety_constraints": [UNKNOWN]}, True),
    ],
)
def test_a_case_that_any_crash_would_pass_is_named(expected, vacuous):
    """The expected code and an interpreter's traceback are not enough to hold."""
    assert vacuous is any_failure_passes(compiled(expected))


def test_a_crash_ends_as_expected():
    """By exit code or by signal; where 0 is expected there is no crash to imagine."""
    assert [Exited(3), Signalled(6), None] == [
        capture.termination if (capture := crash_capture(compiled({"exit_code": code}))) else None
        for code in (3, -6, 0)
    ]
