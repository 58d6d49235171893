"""The operator max_duration_seconds."""

import pytest

from agentic_evals.model.trial import Capture, Exited
from tests.unit.rules.expectations.asking import holds, refused_at, said

KEY = "max_duration_seconds"


@pytest.mark.parametrize(
    ("seconds", "milliseconds", "expected"), [(1, 1000.0, True), (1, 1000.1, False), (0.5, 0, True)]
)
def test_the_limit_itself_is_allowed(seconds, milliseconds, expected):
    """At most means at most."""
    assert expected is holds(KEY, seconds, Capture(Exited(0), duration_ms=milliseconds))


def test_the_verdict_is_that_of_the_record():
    """What the record rounds away does not decide, so that judging again gives the same."""
    assert holds(KEY, 1, Capture(Exited(0), duration_ms=1000.0004))


def test_the_observation_says_how_long_it_took():
    """A reader sees both times, in seconds."""
    assert "took 2.500 s, at most 2 s allowed" == said(KEY, 2, Capture(Exited(0), duration_ms=2500.0))


@pytest.mark.parametrize("value", [0, -1, True, "1", None, [1], 10**400])
def test_only_a_number_above_0_is_accepted(value):
    """Nothing takes no time, and a boolean is no number."""
    assert [KEY] == refused_at(KEY, value)
