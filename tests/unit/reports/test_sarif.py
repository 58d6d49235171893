"""SARIF 2.1.0: the parts of the standard that are used, within the limits of code scanning."""

import json
from pathlib import Path

import jsonschema_rs
import pytest

from agentic_evals.reports._format import Surroundings
from agentic_evals.reports.sarif import FORMAT, MOST_RESULTS
from tests.unit.reports.samples import blocked, case, checked, failed, finding, findings_report, hostile, report

SUBSET = json.loads((Path(__file__).parent / "sarif_subset.json").read_text())
PAGE = "# some-rule\n\nA rule of the sample, in\ntwo lines.\n\n## Remedy\n\nMend it.\n"


def the_run(text):
    """Return the one run of a document."""
    return json.loads(text)["runs"][0]


@pytest.mark.parametrize(
    "text",
    [
        *(FORMAT.render(made) for made in (report(), failed(findings=(finding(),)), blocked(), hostile())),
        FORMAT.findings(findings_report()),
        FORMAT.findings(findings_report(checked())),
    ],
)
def test_the_document_has_the_structure_of_the_standard(text):
    """Every document meets the used subset of SARIF 2.1.0, in which no other key is allowed."""
    validator = jsonschema_rs.validator_for(SUBSET, validate_formats=True)

    assert [] == [f"{error.instance_path}: {error.message}" for error in validator.iter_errors(json.loads(text))]


def test_a_failed_required_case_is_a_result_at_its_place():
    """The annotation stands at the case in the fixture and says what did not hold."""
    result = the_run(FORMAT.render(failed()))["results"][0]

    assert "case-failed" == result["ruleId"]
    assert "error" == result["level"]
    assert "case 'breaks' failed, 0 of 2 trials passed: expected/exit_code: FAIL" == result["message"]["text"]
    assert {"uri": "fixtures/agentic_eval.json"} == result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert {"startLine": 3} == result["locations"][0]["physicalLocation"]["region"]


def test_an_optional_failure_and_a_pass_are_no_results():
    """Only what shuts the gate is an alert."""
    assert [] == the_run(FORMAT.render(report(case(), case("extra", "FAIL", required=False))))["results"]


def test_a_blocked_gate_is_said_beside_the_results():
    """A run without results is not a run without obstacles."""
    run = the_run(FORMAT.render(blocked()))

    assert 5 == run["invocations"][0]["exitCode"]
    assert (
        "case-blocked: needs: a precondition of a required case is unmet"
        == (run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"])
    )


def test_a_finding_has_line_column_and_pointer():
    """Places are counted from 1, in characters."""
    run = the_run(FORMAT.findings(findings_report(checked(finding("note")))))
    location = run["results"][0]["locations"][0]

    assert "unicodeCodePoints" == run["columnKind"]
    assert {"startLine": 4, "startColumn": 7} == location["physicalLocation"]["region"]
    assert "/cases/0/expected" == location["logicalLocations"][0]["fullyQualifiedName"]


def test_a_rule_brings_its_page():
    """The full description is the page's first paragraph, and the help is the page."""
    leaf = FORMAT.suited(Surroundings(page={"some-rule": PAGE}.get))
    rule = the_run(leaf.findings(findings_report()))["tool"]["driver"]["rules"][0]

    assert "A rule of the sample, in two lines." == rule["fullDescription"]["text"]
    assert PAGE == rule["help"]["markdown"]
    assert "`agentic-evals explain some-rule`" in rule["help"]["text"]


def test_a_rule_without_a_page_is_described_all_the_same():
    """Code scanning drops rules without a description."""
    rule = the_run(FORMAT.findings(findings_report()))["tool"]["driver"]["rules"][0]

    assert "some-rule" in rule["fullDescription"]["text"]


def test_every_result_points_to_its_rule():
    """The index and the id name the same rule."""
    findings = (finding(rule="b-rule"), finding("error", rule="a-rule"), finding(rule="b-rule", line=9))
    run = the_run(FORMAT.render(failed(findings=findings)))
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]

    assert ["a-rule", "b-rule", "case-failed"] == rules
    assert [result["ruleId"] for result in run["results"]] == [rules[result["ruleIndex"]] for result in run["results"]]


def fingerprints(*findings):
    """Return the fingerprints of findings, in the document's order."""
    run = the_run(FORMAT.findings(findings_report(checked(*findings))))
    return [next(iter(result["partialFingerprints"].values())) for result in run["results"]]


def test_a_fingerprint_outlives_a_move():
    """The same finding on another line, in a case of another number, is the same alert."""
    assert fingerprints(finding()) == fingerprints(finding(line=40, pointer="/cases/7/expected"))


def test_different_findings_have_different_fingerprints():
    """Rule, file, place and message tell findings apart; equal ones are numbered."""
    others = [finding(rule="other"), finding(message="other"), finding(file="other"), finding(pointer="/trials")]

    assert 6 == len(set(fingerprints(finding(), finding(), *others)))


def test_paths_are_relative_uris():
    """A blank and a percent sign are encoded, and so is a byte that is no UTF-8; an absolute path is a file URI."""
    texts = [
        FORMAT.findings(findings_report(checked(finding(file=path))))
        for path in ("./a b/50%.json", "/x/y.json", "sk\udcffll.json")
    ]
    uris = [
        the_run(text)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for text in texts
    ]

    assert ["a%20b/50%25.json", "file:///x/y.json", "sk%FFll.json"] == uris


def test_no_more_results_than_code_scanning_takes():
    """The most severe are kept, and what is left out is counted."""
    findings = [finding("note")] * MOST_RESULTS + [finding("error")]
    run = the_run(FORMAT.findings(findings_report(checked(*findings, admitted=False))))

    assert MOST_RESULTS == len(run["results"])
    assert "error" == run["results"][0]["level"]
    assert "1 result left out" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_a_version_that_is_not_semantic_is_cut_to_one():
    """Development versions are read, too."""
    driver = the_run(FORMAT.render(report(tool={"version": "1.2.3.dev4"})))["tool"]["driver"]

    assert ("1.2.3.dev4", "1.2.3") == (driver["version"], driver["semanticVersion"])
