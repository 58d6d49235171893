"""What holds for every report format: total, harmless, true, and green only where the gate is open."""

import pytest

from agentic_evals import wiring
from agentic_evals.reports._format import Surroundings
from tests.unit.reports.samples import blocked, failed, findings_report, hostile, report

FORMATS = sorted(wiring.formats())


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_called_as_its_file(name):
    """`--format` takes the file's name, and the leaf says the same."""
    assert name == wiring.formats()[name].name


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("made", [report, failed, blocked, hostile], ids=lambda made: made.__name__)
def test_a_run_is_rendered_to_text_that_ends_in_a_newline(name, made):
    """Every format renders every report to text that can be encoded."""
    text = wiring.formats()[name].render(made())
    text.encode()

    assert text.endswith("\n")


@pytest.mark.parametrize("name", FORMATS)
def test_findings_are_rendered_by_every_format(name):
    """Every format of this program can say what `validate` found."""
    render = wiring.formats()[name].findings

    assert render is not None
    assert "some-rule" in render(findings_report())


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("colour", [False, True])
def test_no_escape_code_of_a_trial_is_sent(name, colour):
    """Whatever a trial printed, only our own colours are escape codes."""
    leaf = wiring.formats()[name]
    leaf = leaf if leaf.suited is None else leaf.suited(Surroundings(colour=colour))
    text = leaf.render(hostile())
    for code in ("\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m") if colour and name == "terminal" else ():
        text = text.replace(code, "")

    assert not {"\x1b", "\x00", "\x9b", "\u202e", "\u2066", "\x07"} & set(text)
