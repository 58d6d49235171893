"""The operator trajectory_must_include."""

import pytest

from agentic_evals.model.trial import Blob, Capture, Exited, FailedToStart
from tests.unit.rules.expectations.asking import decisions, held, holds, out, refused_at, said, spooled

KEY = "trajectory_must_include"
ARGV = ("python3", "run.py", "--execute")


def trial(log=None, argv=ARGV):
    """Return a capture with an argv and logged steps."""
    return Capture(Exited(0), argv=argv, trajectory=Blob.of(log) if log is not None else None)


def in_order(*markers):
    """Return the value that asks for markers in this order."""
    return {"markers": list(markers), "ordered": True}


def test_a_marker_is_found_in_the_executed_words():
    """Words that follow each other are one text."""
    assert [("/0", True), ("/1", False)] == held(KEY, ["run.py --execute", "run.py execute"], trial())


def test_a_marker_is_found_in_the_logged_steps_and_marked():
    """What the command says of itself counts, and is told to the reader as such."""
    (decision,) = decisions(KEY, ["step 2"], trial(b"step 1\nstep 2\n"))

    assert (True, True) == (decision.holds, decision.noted)
    assert "self-reported" in decision.observation


def test_what_was_executed_needs_no_log():
    """A marker in the argv is not marked as self-reported, although it was logged too."""
    (decision,) = decisions(KEY, ["run.py"], trial(b"run.py\n"))

    assert (True, False) == (decision.holds, decision.noted)


def test_text_on_a_stream_is_no_trajectory():
    """What is printed is what anybody can print."""
    assert not holds(KEY, ["step 1"], out("step 1\n", argv=ARGV))


def test_descendants_are_said_to_be_unknown():
    """Without a recorder, nobody can tell what the command started."""
    assert "what its descendants executed is unknown" in said(KEY, ["curl"], trial(b""))


def test_a_command_that_did_not_start_has_no_trajectory():
    """Words that were never executed prove nothing."""
    assert not holds(KEY, ["run.py"], Capture(FailedToStart(2, "no"), argv=ARGV))


@pytest.mark.parametrize(
    ("markers", "expected"),
    [
        (["run.py", "--execute", "a", "b"], True),
        (["--execute", "run.py"], False),
        (["a", "b", "a"], True),
        (["b", "a", "b"], False),
        (["a", "a", "a"], False),
        (["a", "run.py"], False),
        (["run.py", "run.py"], False),
        (["aba"], False),
    ],
)
def test_markers_come_in_order_where_that_is_asked(markers, expected):
    """Each after the end of the one before; what was executed comes before what was logged."""
    assert expected is holds(KEY, in_order(*markers), trial(b"a\nb\na\n"))


def test_order_does_not_matter_where_it_is_not_asked():
    """An object without `ordered` asks as a list does."""
    assert [("/markers/0", True), ("/markers/1", True)] == held(KEY, {"markers": ["b", "a"]}, trial(b"a\nb\n"))


def test_markers_across_windows_are_found_in_order():
    """A long log is read in windows, and nothing is counted twice where they overlap."""
    mib = 1024 * 1024
    log = spooled(b"x" * (16 * mib - 2), b"one", b"y" * mib, b"two", b"z" * 20 * mib, b"three")
    capture = Capture(Exited(0), trajectory=log)

    assert holds(KEY, in_order("one", "two", "three"), capture)
    assert not holds(KEY, in_order("one", "one"), capture)
    assert not holds(KEY, in_order("two", "one"), capture)


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ("run.py", ""),
        ([], ""),
        ([""], "/0"),
        ({}, "/markers"),
        ({"markers": []}, "/markers"),
        ({"markers": ["a"], "ordered": 1}, "/ordered"),
        ({"markers": ["a"], "order": True}, "/order"),
        (1, ""),
    ],
)
def test_only_markers_are_accepted(value, place):
    """A list, or an object with a list, and nothing beside it."""
    assert [f"{KEY}{place}"] == refused_at(KEY, value)
