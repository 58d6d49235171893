"""Foreign text becomes harmless and stays readable."""

import unicodedata
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentic_evals.reports._text import counted, duration, one_line, visible
from tests.unit.reports.samples import HOSTILE

ANYTHING = st.text(st.characters(codec=None))


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("\x1b[31m", "\\x1b[31m"),
        ("\x1b]8;;http://x\x07", "\\x1b]8;;http://x\\x07"),
        ("\x00", "\\x00"),
        ("\x9b", "\\x9b"),
        ("\r", "\\x0d"),
        ("\u202e", "\\u202e"),
        ("\u2028", "\\u2028"),
        ("\ud800", "\\ud800"),
        ("\uffff", "\\uffff"),
        ("\U000e0041", "\\U000e0041"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("naïve 数 👩\u200d🔬", "naïve 数 👩\u200d🔬"),
    ],
)
def test_what_acts_or_hides_is_shown_as_an_escape(given_text, shown):
    """Escape codes, controls, bidirectional marks, tags and halves of pairs are written out; all else stays."""
    assert shown == visible(given_text)


@given(ANYTHING)
def test_nothing_that_acts_is_left(text):
    """Whatever comes in, no control but tab and newline comes out, and the text has a UTF-8 form."""
    left = visible(text)
    left.encode()

    assert not [one for one in left if unicodedata.category(one) in {"Cc", "Cs"} and one not in "\t\n"]


@given(ANYTHING)
def test_what_is_left_may_stand_in_xml(text):
    """Whatever comes in, an XML element can hold it."""
    element = ET.Element("x")
    element.text = visible(text)

    assert visible(text) == (ET.fromstring(ET.tostring(element)).text or "")


@given(ANYTHING)
def test_a_text_is_made_visible_once(text):
    """Making a text visible again changes nothing."""
    assert visible(text) == visible(visible(text))


@given(ANYTHING, st.integers(5, 50))
def test_one_line_is_one_short_line(text, limit):
    """No line break is left, for any reader of lines, and no more than the limit."""
    line = one_line(text, limit)

    assert len(line.splitlines()) <= 1
    assert len(line) <= limit


def test_a_cut_line_says_so():
    """A line that was cut ends with the mark."""
    assert "abcd…" == one_line("abcdefgh", 5)
    assert "abcde" == one_line("abcde", 5)


def test_the_hostile_sample_is_hostile():
    """The sample that other tests render would act, were it not escaped."""
    assert HOSTILE != visible(HOSTILE)
    assert "\x1b" not in visible(HOSTILE)


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (1000, "1.0 s"),
        (59_900, "59.9 s"),
        (306_000, "5 min 06 s"),
        (7_500_000, "2 h 05 min"),
    ],
)
def test_durations_are_for_people(milliseconds, words):
    """The unit follows the size."""
    assert words == duration(milliseconds)


def test_nouns_follow_their_number():
    """One case, two cases."""
    assert ("1 case", "0 cases", "2 boxes") == (counted(1, "case"), counted(0, "case"), counted(2, "box", "boxes"))
