"""The table for people."""

from agentic_evals.reports._format import Surroundings
from agentic_evals.reports.terminal import FORMAT
from tests.unit.reports.samples import blocked, case, checked, failed, finding, findings_report, report, trial


def test_the_first_line_says_the_readiness_and_what_it_does_not_cover():
    """Nobody has to read on to learn that nothing was claimed."""
    assert "sample: READY (cases only, nothing claimed)" == FORMAT.render(report()).splitlines()[0]


def test_each_case_is_one_row():
    """A row has the case's type, outcome, counts and time."""
    row = next(line for line in FORMAT.render(report()).splitlines() if line.startswith("works"))

    assert ["works", "positive", "PASS", "2/2", "24", "ms"] == row.split()


def test_an_optional_and_a_flaky_case_are_marked():
    """A reader sees which rows do not count, and which do not agree."""
    text = FORMAT.render(report(case(required=False, flaky=True)))

    assert "(optional, flaky)" in text


def test_a_problem_comes_with_the_command_and_the_output():
    """What is wrong, what was run and what it printed stand together."""
    text = FORMAT.render(failed())

    assert "FAIL breaks\n  command: ./run.sh breaks\n  - expected/exit_code: FAIL\n  stdout | out\n" in text


def test_many_problems_and_lines_are_counted_not_shown():
    """The table stays short, and says what it leaves out."""
    many = tuple(f"problem {number}" for number in range(9))
    long = trial("FAIL", stdout="line\n" * 7, problems=many)
    text = FORMAT.render(
        report(case(outcome="FAIL", problems=many, trials=(long,)), readiness="NOT_READY", exit_code=3)
    )

    assert "  - and 4 more" in text
    assert "  stdout | … 1 more line" in text


def test_each_obstacle_names_its_rule_and_case():
    """The reasons of a shut gate stand at the end."""
    last = FORMAT.render(blocked()).splitlines()[-1]

    assert "  case-blocked: needs: a precondition of a required case is unmet" == last


def test_a_bypass_is_said():
    """An exit of 0 that was asked for is no READY."""
    text = FORMAT.render(blocked(gate="bypassed", exit_code=0))

    assert (
        "gate bypassed by --report-only: exit 0 says nothing about readiness\n" == text[text.index("gate bypassed") :]
    )


def test_colours_are_only_in_the_suited_format():
    """Outcome words are coloured where colour is asked for, and nowhere else."""
    coloured = FORMAT.suited(Surroundings(colour=True)).render(failed())

    assert "\x1b[31mFAIL\x1b[0m breaks" in coloured
    assert "\x1b[32mPASS      \x1b[0m" in coloured
    assert "\x1b" not in FORMAT.suited(Surroundings(colour=False)).render(failed())


def test_a_finding_has_its_place_its_remedy_and_a_fragment():
    """What, where, which rule, what to do, what to paste."""
    lines = FORMAT.findings(findings_report()).splitlines()

    assert [
        "error[some-rule]: something is odd",
        "  --> fixtures/agentic_eval.json:4:7: /cases/0/expected",
        "  hint: Mend it.",
        '  paste: "trials": 3',
    ] == lines[:4]
    assert "fixtures/agentic_eval.json: REFUSED (2 cases)" == lines[-1]


def test_twenty_findings_are_shown():
    """The twenty-first is counted."""
    text = FORMAT.findings(findings_report(checked(*[finding("error")] * 21, admitted=False)))

    assert 20 == text.count("error[some-rule]")
    assert "… and 1 more; `validate --format json` shows all" in text


def test_an_exempt_fixture_says_so():
    """`admitted` alone would be too kind."""
    text = FORMAT.findings(findings_report(checked(contract="exempt")))

    assert "fixtures/agentic_eval.json: admitted (2 cases, contract exempt)\n" == text
