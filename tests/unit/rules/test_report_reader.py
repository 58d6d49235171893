"""Reports of every version are read to one value, or refused with every reason."""

import json

import pytest

from agentic_evals.reports.json_ import FORMAT
from agentic_evals.rules.report_reader import read_report
from tests.unit.reports.samples import case, failed, report

TRIAL = {"exit_code": 0, "stdout": "out", "stderr": "", "duration_ms": 12.5, "timed_out": False}
FIRST = {
    "schema": "agentic_evals.report.v1",
    "source": "fixtures/agentic_eval.json",
    "mocked": False,
    "fixture_backed": True,
    "live": False,
    "proof_scope": "wiring",
    "claims": {"proves": "a little", "does_not_prove": "the rest"},
    "readiness": "READY",
    "case_count": 1,
    "trial_count": 2,
    "cases": [
        {
            "name": "works",
            "type": "positive",
            "passed_trials": 2,
            "total_trials": 2,
            "pass_rate": 1.0,
            "avg_latency_ms": 12.5,
            "trials": [TRIAL, TRIAL],
        }
    ],
}
SECOND = {
    **FIRST,
    "schema": "agentic_evals.report.v2",
    "run_id": "r2",
    "fixture_sha256": "0" * 64,
    "repo": "sample",
    "readiness": "NOT_READY",
    "case_readiness": "NOT_READY",
    "capability_readiness": {"aggregate_readiness": "NOT_READY", "claims": []},
    "generated_at": "2030-01-01T00:00:00Z",
    "outcome_counts": {"FAIL": 1},
    "cases": [
        {
            **FIRST["cases"][0],
            "passed_trials": 1,
            "required": True,
            "outcome": "FAIL",
            "problems": ["exit code 1"],
            "argv": ["./run.sh"],
            "effective_evidence_class": "deterministic",
            "trials": [{**TRIAL, "outcome": "PASS", "problems": []}, {**TRIAL, "outcome": "FAIL", "problems": ["x"]}],
        }
    ],
}


def read(document):
    """Read a document that is written as JSON."""
    return read_report(json.dumps(document, indent=1).encode(), "report.json")


def test_version_1_is_read_as_far_as_it_goes():
    """Outcomes follow from counts, nothing is said of gates, and the limits say what READY meant then."""
    past, findings = read(FIRST)

    assert () == findings
    assert (1, "READY", None, None, None) == (past.version, past.readiness, past.gate, past.exit_code, past.run_id)
    assert ("works", "PASS", 2, 2) == (
        past.cases[0].name,
        past.cases[0].outcome,
        past.cases[0].passed_trials,
        past.cases[0].total_trials,
    )
    assert (None, 0, "out") == (
        past.cases[0].trials[0].outcome,
        past.cases[0].trials[0].exit_code,
        past.cases[0].trials[0].stdout,
    )
    assert any("READY" in limit for limit in past.limits)


def test_version_2_is_read_with_outcomes():
    """Names of version 2 mean what they meant."""
    past, findings = read(SECOND)

    assert () == findings
    assert (2, "NOT_READY", "r2", {"name": "sample"}) == (past.version, past.readiness, past.run_id, past.repo)
    assert ("FAIL", "deterministic", ("exit code 1",)) == (
        past.cases[0].outcome,
        past.cases[0].evidence_class,
        past.cases[0].problems,
    )
    assert ["PASS", "FAIL"] == [trial.outcome for trial in past.cases[0].trials]


@pytest.mark.parametrize("made", [report(), failed(), report(case(required=False, outcome="FAIL"), case())])
def test_version_3_is_read_as_it_was_written(made):
    """What this program writes, it reads."""
    past, findings = read_report(FORMAT.render(made).encode())

    assert () == findings
    assert (3, made.readiness, made.gate.state, made.exit_code) == (
        past.version,
        past.readiness,
        past.gate,
        past.exit_code,
    )
    assert [(one.name, one.outcome, one.required) for one in made.cases] == [
        (one.name, one.outcome, one.required) for one in past.cases
    ]
    assert made.limits == past.limits


@pytest.mark.parametrize(
    "document", [[], {}, {"schema": "agentic_evals.report.v4"}, {"schema": "other"}, {"schema": 3}]
)
def test_an_unknown_schema_is_a_finding(document):
    """A document of another kind is not guessed at."""
    past, findings = read(document)

    assert past is None
    assert ["report-unknown-schema"] == [found.rule for found in findings]


def test_every_wrong_value_is_named_with_its_place():
    """Rule, pointer and line, all at once."""
    past, findings = read(
        {**FIRST, "readiness": "FINE", "cases": [{**FIRST["cases"][0], "passed_trials": True, "name": 1}]}
    )

    assert past is None
    assert {"/readiness", "/cases/0/passed_trials", "/cases/0/name"} == {found.location.pointer for found in findings}
    assert {"report-value"} == {found.rule for found in findings}
    assert all(found.location.line for found in findings)


def changed(document, **case_changes):
    """Return the document with its only case changed."""
    return {**document, "cases": [{**document["cases"][0], **case_changes}]}


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (changed(FIRST, passed_trials=3), "/cases/0/passed_trials"),
        (changed(FIRST, total_trials=3), "/cases/0/total_trials"),
        (changed(FIRST, passed_trials=1), "/readiness"),
        (changed(SECOND, outcome="PASS"), "/cases/0/outcome"),
        ({**SECOND, "readiness": "READY"}, "/readiness"),
    ],
)
def test_what_cannot_be_true_is_refused(document, pointer):
    """A report does not pass for more than its own counts show."""
    past, findings = read(document)

    assert past is None
    assert pointer in {found.location.pointer for found in findings}


def test_an_open_gate_without_readiness_is_refused():
    """Nobody turned a shut gate open by hand."""
    document = json.loads(FORMAT.render(failed()))
    document["gate"]["state"] = "open"

    assert ["/gate/state"] == [found.location.pointer for found in read(document)[1]]


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b'{"schema": 1, "schema": 2}', b'{"a": NaN}'])
def test_bytes_that_are_no_json_are_refused(data):
    """As strictly as a fixture."""
    past, findings = read_report(data)

    assert past is None
    assert findings


@pytest.mark.parametrize("key", ["gate", "exit_code", "selection", "run_id", "case_readiness"])
def test_version_3_says_everything_that_it_promises(key):
    """A version 3 without its gate is no version 3."""
    document = json.loads(FORMAT.render(report()))
    del document[key]

    assert [f"/{key}"] == [found.location.pointer for found in read(document)[1]]
