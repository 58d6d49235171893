"""The public document."""

import json

import jsonschema_rs
import pytest

from agentic_evals.reports.json_ import FORMAT
from agentic_evals.rules.schemas import report_schema, validation_schema
from tests.unit.reports.samples import HOSTILE, blocked, case, failed, findings_report, hostile, report


@pytest.mark.parametrize("made", [report, failed, blocked, hostile], ids=lambda made: made.__name__)
def test_a_report_meets_the_shipped_schema(made):
    """What `schema report` prints describes what `--format json` prints."""
    validator = jsonschema_rs.validator_for(report_schema())

    assert [] == [error.message for error in validator.iter_errors(json.loads(FORMAT.render(made())))]


def test_the_schema_refuses_another_document():
    """A schema that takes anything would prove nothing."""
    document = json.loads(FORMAT.render(report())) | {"cases": "many"}

    assert not jsonschema_rs.validator_for(report_schema()).is_valid(document)


def test_a_check_meets_the_shipped_schema():
    """What `schema validation` prints describes what `validate --format json` prints."""
    document = json.loads(FORMAT.findings(findings_report()))

    assert jsonschema_rs.validator_for(validation_schema()).is_valid(document)
    assert "agentic_evals.validation.v1" == document["schema"]


def test_the_document_names_its_schema_and_keeps_the_names_of_version_2():
    """Consumers of version 2 find what they know."""
    document = json.loads(FORMAT.render(report()))

    assert "agentic_evals.report.v3" == document["schema"]
    assert {
        "source",
        "run_id",
        "fixture_sha256",
        "repo",
        "mocked",
        "live",
        "proof_scope",
        "claims",
        "readiness",
    } <= set(document)
    assert {"case_readiness", "capability_readiness", "generated_at", "outcome_counts", "cases"} <= set(document)


def test_what_acts_on_a_terminal_is_escaped_and_nothing_is_lost():
    """Parsed, the document holds the very text; half a pair, which has no UTF-8 form, is written out."""
    text = HOSTILE.replace("\ud800", "")
    document = FORMAT.render(report(case(text)))

    assert text == json.loads(document)["cases"][0]["name"]
    assert not set("\x1b\x00\x9b\u202e\U000e0041") & set(document)
    assert "\\\\ud800" in FORMAT.render(report(case("\ud800")))
