"""GitLab's code-quality report."""

import json

import jsonschema_rs
import pytest

from agentic_evals.reports.codequality import FORMAT
from tests.unit.reports.samples import blocked, checked, failed, finding, findings_report, hostile, report

ENTRY = {
    "type": "object",
    "required": ["description", "check_name", "fingerprint", "severity", "location"],
    "additionalProperties": False,
    "properties": {
        "description": {"type": "string", "minLength": 1},
        "check_name": {"type": "string", "minLength": 1},
        "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
        "location": {
            "type": "object",
            "required": ["path", "lines"],
            "properties": {
                "path": {"type": "string", "pattern": "^(?!\\./)"},
                "lines": {"type": "object", "properties": {"begin": {"type": "integer", "minimum": 1}}},
            },
        },
    },
}


@pytest.mark.parametrize("made", [report, failed, blocked, hostile], ids=lambda made: made.__name__)
def test_a_run_has_the_structure_that_gitlab_reads(made):
    """An array of entries, whatever the run was."""
    validator = jsonschema_rs.validator_for({"type": "array", "items": ENTRY})

    assert validator.is_valid(json.loads(FORMAT.render(made())))


def test_severities_are_gitlabs():
    """An error is major, a warning minor, a note info; the most severe comes first."""
    findings = checked(finding("note"), finding("warning"), finding("error"), admitted=False)
    entries = json.loads(FORMAT.findings(findings_report(findings)))

    assert ["major", "minor", "info"] == [entry["severity"] for entry in entries]


def test_a_failed_case_is_an_entry_and_a_path_has_no_dot():
    """GitLab compares paths as text."""
    entry = json.loads(FORMAT.render(failed(source="./fixtures/x.json")))[0]

    assert ("case-failed", "fixtures/x.json", 3) == (
        entry["check_name"],
        entry["location"]["path"],
        entry["location"]["lines"]["begin"],
    )


def test_nothing_to_say_is_an_empty_array():
    """A run without findings is still a document."""
    assert [] == json.loads(FORMAT.render(report()))


def test_equal_findings_have_fingerprints_of_their_own():
    """GitLab drops entries with the same fingerprint."""
    entries = json.loads(FORMAT.findings(findings_report(checked(finding(), finding()))))

    assert 2 == len({entry["fingerprint"] for entry in entries})
