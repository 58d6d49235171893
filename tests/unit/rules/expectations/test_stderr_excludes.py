"""The operator stderr_excludes."""

import pytest

from agentic_evals.model.trial import Capture, Exited
from tests.unit.rules.expectations.asking import err as printed
from tests.unit.rules.expectations.asking import held, holds, refused_at, spooled

KEY = "stderr_excludes"


def test_every_text_is_decided_on_its_own():
    """One that is there and one that is not are two decisions."""
    assert [("/0", False), ("/1", True)] == held(KEY, ["one", "two"], printed("one\n"))


def test_an_empty_stream_excludes_everything():
    """Nothing holds nothing, which is why this alone proves nothing."""
    assert holds(KEY, ["one"], printed(""))


def test_a_text_across_two_windows_is_found():
    """A needle that lies across the border of two windows is not overlooked."""
    stream = spooled(b"x" * (16 * 1024 * 1024 - 3), b"needle", b"y" * 100)

    assert not holds(KEY, ["needle"], Capture(Exited(0), stderr=stream))


def test_the_last_bytes_of_a_long_stream_are_searched():
    """A needle at the very end is seen."""
    stream = spooled(b"x" * (16 * 1024 * 1024), b"y" * (20 * 1024 * 1024), b"needle")

    assert not holds(KEY, ["needle"], Capture(Exited(0), stderr=stream))


@pytest.mark.parametrize("value", ["one", [], [""], ["n" * 262_145], [1]])
def test_only_a_list_of_texts_is_accepted(value):
    """A text longer than two windows share could hide at their border: it is refused."""
    assert refused_at(KEY, value)
