"""The operator exit_code."""

import pytest

from agentic_evals.model.trial import Capture, Exited, FailedToStart, OutputLimit, Signalled, TimedOut, WorkerLost
from tests.unit.rules.expectations.asking import holds, refused_at, said

KEY = "exit_code"


@pytest.mark.parametrize(("code", "ended"), [(0, Exited(0)), (255, Exited(255)), (-15, Signalled(15))])
def test_the_code_is_the_one_that_the_command_ended_with(code, ended):
    """Death by a signal is the negative of its number."""
    assert holds(KEY, code, Capture(ended))


@pytest.mark.parametrize(
    "ended", [Exited(1), Signalled(9), TimedOut(), FailedToStart(2, "no"), OutputLimit("stdout"), WorkerLost("no")]
)
def test_no_other_ending_is_exit_0(ended):
    """What did not end by itself has no code, and 137 is not -9."""
    assert not holds(KEY, 0, Capture(ended))


def test_a_shell_that_hides_a_signal_is_not_taken_for_it():
    """128 + n is an exit code."""
    assert not holds(KEY, -9, Capture(Exited(137)))


def test_the_observation_names_both_codes():
    """A reader sees what came and what was expected."""
    assert "exit code 2, expected exit code 0" == said(KEY, 0, Capture(Exited(2)))


@pytest.mark.parametrize("value", [126, 127, True, "0", 0.5, None, 256, -65, [0]])
def test_what_cannot_be_meant_is_refused(value):
    """126 and 127 say that nothing ran; a boolean and a string are no integers."""
    assert [KEY] == refused_at(KEY, value)
