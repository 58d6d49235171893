"""The operator stderr_matches."""

import pytest

from agentic_evals.model.trial import Capture, Exited
from tests.unit.rules.expectations.asking import err as printed
from tests.unit.rules.expectations.asking import held, holds, refusals, spooled

KEY = "stderr_matches"


def test_a_regex_matches_anywhere():
    """The regex is searched for, not matched from the start."""
    assert [("/0", True), ("/1", False)] == held(KEY, ["o.e", "^ne"], printed("one"))


def test_lines_are_seen_with_the_flag_m():
    """`^` and `$` are the ends of the stream, and of lines only with `(?m)`."""
    assert [("/0", False), ("/1", True)] == held(KEY, ["^two$", "(?m)^two$"], printed("one\ntwo\n"))


@pytest.mark.parametrize("pattern", ["", "(", r"(a)\1", "(?=a)", "a" * 10_001, "x{1001}"])
def test_what_is_no_regex_is_a_finding(pattern):
    """An empty regex matches everything, and RE2 knows neither backreferences nor look-around."""
    assert [f"{KEY}/1"] == [pointer for pointer, _ in refusals(KEY, ["fine", pattern])]


def test_a_regex_bomb_takes_linear_time():
    """What makes a backtracking engine explode is decided at once."""
    assert not holds(KEY, ["(a+)+$", "(a|a)*b"], printed("a" * 50_000 + "!"))


def test_the_border_of_a_window_is_no_beginning_and_no_end():
    """In a stream beyond 16 MiB, anchors hold at its true ends alone."""
    stream = spooled(*[b"x" * (1024 * 1024)] * 40)

    assert [("/0", False), ("/1", False), ("/2", True)] == held(
        KEY, [r"(?m)^x{10}$", r"\Ax{5}\z", r"\Ax"], Capture(Exited(0), stderr=stream)
    )


def test_a_match_across_two_windows_is_found():
    """What lies across a border is matched in the overlap."""
    stream = spooled(b"x" * (16 * 1024 * 1024 - 2), b"total 42", b"y" * 100)

    assert holds(KEY, ["total [0-9]+y"], Capture(Exited(0), stderr=stream))


def test_bytes_that_are_no_text_do_no_harm():
    r"""A byte that is not UTF-8 is no character; `\C` matches it."""
    assert [("/0", True), ("/1", False), ("/2", True)] == held(KEY, ["end", "a.b", r"a\Cb"], printed(b"a\xffb end"))
