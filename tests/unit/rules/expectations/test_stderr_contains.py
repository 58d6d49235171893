"""The operator stderr_contains."""

import pytest

from agentic_evals.model.trial import Capture, Exited
from tests.unit.rules.expectations.asking import err as printed
from tests.unit.rules.expectations.asking import held, holds, refused_at, said, spooled

KEY = "stderr_contains"


def test_every_text_is_decided_on_its_own():
    """One that is there and one that is not are two decisions."""
    assert [("/0", True), ("/1", False)] == held(KEY, ["one", "two"], printed("one\n"))


def test_bytes_are_compared():
    """Letters with accents are found as UTF-8, and case matters."""
    assert [("/0", True), ("/1", False)] == held(KEY, ["é", "É"], printed("é"))


def test_a_text_across_two_windows_is_found():
    """A stream beyond 16 MiB is searched whole, wherever a needle is cut."""
    stream = spooled(b"x" * (16 * 1024 * 1024 - 3), b"needle", b"y" * 100)

    assert holds(KEY, ["needle"], Capture(Exited(0), stderr=stream))


def test_the_other_stream_does_not_count():
    """What the other stream holds is not looked at."""
    other = {"stdout": "stderr", "stderr": "stdout"}["stderr"]

    assert not holds(KEY, ["one"], Capture(Exited(0), **{other: printed("one").stderr}))


def test_a_long_text_is_cut_where_it_is_shown():
    """An observation stays readable, and says that it was cut."""
    assert len(said(KEY, ["n" * 5000], printed("x"))) < 150


@pytest.mark.parametrize("value", ["one", [], [""], [1], None, [True], {"a": "b"}])
def test_only_a_list_of_texts_is_accepted(value):
    """A string is no list, and neither an empty list nor an empty text asks for anything."""
    assert refused_at(KEY, value)
