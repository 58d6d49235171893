"""Progress: live at a terminal, one plain line a case elsewhere, harmless everywhere."""

import io

import pytest

from agentic_evals.cli.colour import is_live, wants_colour
from agentic_evals.cli.console import Console
from agentic_evals.model.progress import CaseFinished, RunFinished, RunStarted, TrialFinished
from agentic_evals.model.verdict import Outcome, Readiness
from tests.unit.reports.samples import HOSTILE


class Screen(io.StringIO):
    """A stream that says whether it is a terminal."""

    def __init__(self, terminal):
        """Be a terminal, or not."""
        super().__init__()
        self._terminal = terminal

    def isatty(self):
        """Tell what it is."""
        return self._terminal


def shown(*events, terminal=False, verbose=False, times=None, **environment):
    """Return what the console writes for events."""
    screen = Screen(terminal)
    clock = iter(times) if times is not None else None
    console = Console(
        verbose=verbose,
        stream=screen,
        environment=environment,
        monotonic=(lambda: next(clock)) if clock is not None else (lambda: 0.0),
    )
    for event in events:
        console(event)
    return screen.getvalue()


STARTED = RunStarted("fixtures/agentic_eval.json", 1, 2, "process, workspace copy")
FIRST = TrialFinished("works", 1, Outcome.PASS, 12.0)
SECOND = TrialFinished("works", 2, Outcome.FAIL, 12.0)
CASE = CaseFinished("works", Outcome.FAIL, 1, 2, "exit code 1")
FINISHED = RunFinished(Readiness.NOT_READY, 3)
EVENTS = (STARTED, FIRST, SECOND, CASE, FINISHED)


def test_elsewhere_than_at_a_terminal_a_case_is_one_plain_line():
    """A log of ten thousand trials stays readable."""
    assert (
        "fixtures/agentic_eval.json: 1 case, 2 trials; isolation: process, workspace copy\n"
        "FAIL    works 1/2: exit code 1\n"
    ) == shown(*EVENTS)


def test_verbose_shows_every_trial():
    """Asked for, a trial is a line of its own."""
    lines = shown(*EVENTS, verbose=True).splitlines()

    assert ["  PASS    works [1] 12 ms", "  FAIL    works [2] 12 ms"] == lines[1:3]


def test_at_a_terminal_a_counter_stays_on_its_line():
    """Count, time spent and, once it can be told, the time left; nothing is left of it at the end."""
    text = shown(*EVENTS, terminal=True, times=[0, 0, 4, 8])

    assert "\r\x1b[K1/2 4.0 s, about 4.0 s left  works" in text
    assert "\r\x1b[K2/2 8.0 s  works" in text
    assert text.endswith("\r\x1b[K")


def test_the_counter_is_drawn_ten_times_a_second_at_most():
    """A thousand fast trials do not flood a terminal; the last one is always shown."""
    events = [RunStarted("f", 1, 1000, "i"), *[FIRST] * 1000]
    text = shown(*events, terminal=True, times=[0, *[index / 10_000 for index in range(1001)]])

    assert text.count("\r\x1b[K") <= 4
    assert "1000/1000" in text


@pytest.mark.parametrize("environment", [{"CI": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_nobody_watches_gets_plain_lines(environment):
    """CI systems and dumb terminals show no live counter."""
    assert "\r" not in shown(*EVENTS, terminal=True, NO_COLOR="1", **environment)


@pytest.mark.parametrize("terminal", [False, True])
def test_no_escape_code_of_a_trial_is_sent(terminal):
    """Names and problems pass through the filter."""
    events = (
        RunStarted(HOSTILE, 1, 1, HOSTILE),
        TrialFinished(HOSTILE, 1, Outcome.FAIL, 1.0),
        CaseFinished(HOSTILE, Outcome.FAIL, 0, 1, HOSTILE),
    )
    text = shown(*events, terminal=terminal, verbose=True, NO_COLOR="1").replace("\r\x1b[K", "")

    assert not set("\x1b\x00\x07\x9b\u202e\u2066\ud800\r") & set(text)


def test_an_outcome_is_coloured_where_colour_is_wanted():
    """Only our own word is coloured."""
    assert "\x1b[31mFAIL   \x1b[0m works 1/2" in shown(*EVENTS, FORCE_COLOR="1")
    assert "\x1b[31m" not in shown(*EVENTS, terminal=True, NO_COLOR="1")


@pytest.mark.parametrize(
    ("terminal", "environment", "wanted"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
        (True, {"CLICOLOR": "0"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "0"}, False),
        (False, {"CLICOLOR_FORCE": "1"}, True),
        (False, {"CLICOLOR_FORCE": "0"}, False),
        (True, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_follows_the_conventions(terminal, environment, wanted):
    """NO_COLOR wins, then what forces it, then whether it is a terminal that shows colours."""
    assert wanted is wants_colour(Screen(terminal), environment)


@pytest.mark.parametrize(
    ("terminal", "environment", "live"),
    [(True, {}, True), (False, {}, False), (True, {"CI": "true"}, False), (True, {"TERM": "dumb"}, False)],
)
def test_progress_is_live_where_a_person_watches(terminal, environment, live):
    """A line is written again only where that works."""
    assert live is is_live(Screen(terminal), environment)
