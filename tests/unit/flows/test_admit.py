"""Admission: from a path to a fixture that may run, or to every reason why it may not."""

import hashlib
import json

import pytest

from tests.fakes.workspace import FakeWorkspace
from tests.unit.flows.suite import FIXTURE, REFUSES, WORKS, admission, admit


def asked(document, **facts):
    """Admit a document."""
    data = document if isinstance(document, bytes) else json.dumps(document, indent=1).encode()
    files = {FIXTURE: data, "/skill/SKILL.md": b"", "/skill/works.sh": b"", "/skill/refuses.sh": b""}
    return admit(FakeWorkspace(files, **facts))(FIXTURE)


SOUND = {"version": 2, "skill": "sample", "trials": 2, "cases": [WORKS, REFUSES]}


def test_a_sound_fixture_is_admitted():
    """No finding refuses it, and its digest is that of its very bytes."""
    made = asked(SOUND)

    assert made.admitted
    assert not made.exempt
    assert hashlib.sha256(json.dumps(SOUND, indent=1).encode()).hexdigest() == made.sha256


def test_a_file_that_cannot_be_read_is_refused_with_its_reason():
    """A missing file is a finding like any other, and never an exception."""
    made = admit(FakeWorkspace({}))("/skill/missing.json")

    assert not made.admitted
    assert ["document-unreadable"] == [finding.rule for finding in made.findings]


def test_every_problem_is_named_at_once():
    """Wrong values, unknown keys and unknown expectations are found in one go, each with pointer and line."""
    wrong = {
        **SOUND,
        "trials": "two",
        "cases": [
            {**WORKS, "real_word": True, "expected": {"exit_code": "0", "stdout_contain": ["x"]}},
            {**REFUSES, "type": "maybe"},
        ],
    }
    made = asked(wrong)

    found = {finding.location.pointer for finding in made.findings}
    assert {
        "/trials",
        "/cases/0/real_word",
        "/cases/0/expected/exit_code",
        "/cases/0/expected/stdout_contain",
        "/cases/1/type",
    } <= found
    assert all(finding.location.line and finding.location.file == FIXTURE for finding in made.findings)


def test_the_contract_is_asked_with_the_trials_in_force():
    """One trial asked for outside the fixture is refused, and the one who asked is named."""
    files = {FIXTURE: json.dumps(SOUND).encode(), "/skill/works.sh": b"", "/skill/refuses.sh": b""}
    made = admit(FakeWorkspace(files))(FIXTURE, 1, "AGENTIC_EVALS_TRIALS")

    assert not made.admitted
    (finding,) = [finding for finding in made.findings if finding.rule == "trials-too-few"]
    assert "AGENTIC_EVALS_TRIALS" in finding.message


def test_the_number_in_force_may_also_mend():
    """A fixture of one trial is admitted where two are asked for."""
    files = {FIXTURE: json.dumps({**SOUND, "trials": 1}).encode(), "/skill/works.sh": b"", "/skill/refuses.sh": b""}

    assert not admit(FakeWorkspace(files))(FIXTURE).admitted
    assert admit(FakeWorkspace(files))(FIXTURE, 2, "--trials").admitted


def test_an_honest_exemption_is_admitted_and_said():
    """A scaffold is not held to the contract, and `exempt` says so."""
    made = asked({**SOUND, "eval_kind": "scaffold", "trials": 1, "cases": [WORKS]})

    assert made.admitted
    assert made.exempt


def test_a_foreign_document_is_recognised():
    """Whoever hands over another tool's suite learns what it is, beside what is missing."""
    made = asked([{"prompt": "Say hello."}])

    assert not made.admitted
    assert "foreign-document" in {finding.rule for finding in made.findings}


@pytest.mark.parametrize("data", [b"", b"{", b"null", b"[]", b'"text"', b"\xff\xfe", b"\x00"])
def test_what_is_no_fixture_is_refused(data):
    """No document, whatever it holds, is an exception or admitted."""
    made = asked(data)

    assert not made.admitted
    assert made.findings


def test_errors_come_first_and_in_the_order_of_the_fixture():
    """What refuses stands before what only warns; within each, by line."""
    made = asked({**SOUND, "a_remark": 1, "cases": [{**WORKS, "type": "maybe"}, {**REFUSES, "type": "perhaps"}]})
    places = [(-finding.severity, finding.location.line) for finding in made.findings]

    assert sorted(places) == places


def test_a_warning_refuses_nothing():
    """An unknown key that is no near miss is told and lets the fixture in."""
    made = asked({**SOUND, "a_remark": 1})

    assert made.admitted
    assert ["unknown-key"] == [finding.rule for finding in made.findings]


def test_the_suites_of_the_other_tests_are_admitted():
    """What `suite.admission` makes is sound."""
    assert admission().admitted
