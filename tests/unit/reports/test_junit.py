"""JUnit XML: always well-formed, and never green while the gate is shut."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentic_evals.model.report import ObstacleReport
from agentic_evals.reports.junit import FORMAT
from tests.unit.reports.samples import blocked, case, checked, failed, finding, findings_report, hostile, report, trial

ANYTHING = st.text(st.characters(codec=None))


def parsed(made):
    """Render a report and parse the XML."""
    return ET.fromstring(FORMAT.render(made))


def is_green(root):
    """Tell whether a CI system shows the file as passed, by its counts and by its elements."""
    counted = int(root.get("failures")) + int(root.get("errors"))
    listed = len(root.findall(".//failure")) + len(root.findall(".//error"))
    assert counted == listed
    return counted == 0


def test_each_trial_is_a_test_case():
    """Two trials are two test cases, named by case and number."""
    root = parsed(report())

    assert ["works [1]", "works [2]"] == [test.get("name") for test in root.iter("testcase")]
    assert "2" == root.get("tests")
    assert is_green(root)


def test_a_failed_required_trial_is_a_failure_with_its_problems_and_output():
    """The test page shows why."""
    failure = parsed(failed()).find(".//failure")

    assert "expected/exit_code: FAIL" == failure.get("message")
    assert "exited" == failure.get("type")
    assert "out\n" == parsed(failed()).find(".//testcase[system-out]/system-out").text


def test_a_passed_trial_carries_no_output():
    """Ten thousand passing trials do not make a file that no CI system reads."""
    assert parsed(report()).find(".//system-out") is None


def test_an_optional_failure_does_not_fail_the_file():
    """Only required cases gate, and the reader still sees what an optional one showed."""
    root = parsed(report(case(), case("extra", "FAIL", required=False)))

    assert is_green(root)
    assert "optional: expected/exit_code: FAIL" == root.find(".//skipped").get("message")


@pytest.mark.parametrize(
    "made",
    [
        failed(),
        blocked(),
        blocked(obstacles=()),
        report(case(outcome="NOT_TESTED"), readiness="NOT_ESTABLISHED", exit_code=4, gate="shut"),
        report(readiness="NOT_ESTABLISHED", exit_code=7, gate="shut", selection="partial"),
        report(case(), case("extra", "FAIL", required=False), readiness="USABLE_WITH_GAPS", exit_code=3, gate="shut"),
        report(exit_code=130, gate="shut", interrupted=True),
        report(case("bare", "FAIL", trials=(trial("FAIL", problems=()),)), exit_code=3, gate="shut"),
    ],
)
def test_a_shut_gate_is_never_green(made):
    """Whatever shut the gate, the file shows a failure or an error."""
    assert not is_green(parsed(made))


def test_a_gate_that_no_trial_explains_names_its_rule():
    """The error is typed with the obstacle's rule."""
    error = parsed(blocked()).find(".//error")

    assert "case-blocked" == error.get("type")
    assert "case-blocked: a precondition of a required case is unmet" == error.get("message")


def test_a_bypassed_gate_is_said():
    """A file that is green because someone asked for it says who."""
    skipped = parsed(blocked(gate="bypassed", exit_code=0)).findall(".//skipped")[-1]

    assert "gate bypassed by --report-only: case-blocked: a precondition of a required case is unmet" == skipped.get(
        "message"
    )


def test_trials_that_did_not_run_are_skipped():
    """A case that was cut short shows it."""
    root = parsed(report(case(trials=(trial(),), total_trials=1), exit_code=130, gate="shut"))

    assert "not tested" == root.find(".//testcase[@name='works']/skipped").get("message")


def test_hostile_output_is_well_formed():
    """Escape codes, NUL, halves of pairs and the end of a CDATA section do not break the file."""
    root = parsed(hostile())

    assert "\\x1b[31m" in root.find(".//failure").get("message")


@given(ANYTHING, ANYTHING)
def test_any_text_is_well_formed(name, output):
    """Whatever a case is called and prints, the file parses."""
    made = replace(
        failed(), cases=(case(name, "FAIL", trials=(trial("FAIL", 1, name, stdout=output, problems=(name,)),)),)
    )
    made = replace(
        made, obstacles=(ObstacleReport(name, output, 3, name),), skill=name, run_id=output, generated_at=name
    )

    assert not is_green(parsed(made))


def test_a_refused_fixture_is_not_green():
    """Each error is a failure with its rule; notes do not fail."""
    root = ET.fromstring(FORMAT.findings(findings_report()))

    assert ["some-rule"] == [failure.get("type") for failure in root.iter("failure")]
    assert not is_green(root)


def test_a_refusal_without_an_error_is_not_green():
    """A fixture that is refused for whatever reason never looks admitted."""
    assert not is_green(ET.fromstring(FORMAT.findings(findings_report(checked(admitted=False)))))


def test_an_admitted_fixture_is_green():
    """Warnings are shown and refuse nothing."""
    root = ET.fromstring(FORMAT.findings(findings_report(checked(finding("warning")), checked())))

    assert is_green(root)
    assert 2 == len(root.findall("testsuite"))
    assert "3" == root.get("tests")
