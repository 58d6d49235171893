"""Validation errors as findings."""

import json

import pytest

from agentic_evals import wiring
from agentic_evals.rules.parse.fixture import parse_fixture


def messages(**changes):
    """Return pointer and message of what is wrong with a fixture that is fine but for some keys of its case."""
    case = {"name": "a", "type": "positive", "command": ["x"], "expected": {"exit_code": 0}} | changes
    document = {"version": 2, "skill": "s", "cases": [case]}
    suite = parse_fixture(json.dumps(document).encode(), "any.json", wiring.operators())
    return [(finding.location.pointer.removeprefix("/cases/0/"), finding.message) for finding in suite.findings]


@pytest.mark.parametrize(
    ("changes", "pointer", "message"),
    [
        ({"required": 1}, "required", "must be a boolean, not the number 1"),
        ({"timeout_seconds": "5m"}, "timeout_seconds", "must be a number, not '5m'"),
        ({"command": "ls"}, "command", "must be a list, not 'ls'"),
        ({"command": [1]}, "command/0", "must be a string, not the number 1"),
        ({"expected": []}, "expected", "must be an object, not a list"),
        ({"expected": {"exit_code": True}}, "expected/exit_code", "must be an integer, not true"),
        ({"env": []}, "env", "must be an object, not a list"),
        ({"name": "x" * 5}, "name", None),
    ],
)
def test_a_message_is_in_the_words_of_json(changes, pointer, message):
    """What is wrong, and what was given instead."""
    expected = [] if message is None else [(pointer, message)]

    assert expected == messages(**changes)


def test_a_missing_key_is_named():
    """The pointer is that of the key which is not there."""
    suite = parse_fixture(b'{"version": 2, "cases": [{}]}', "any.json", wiring.operators())

    assert {"/skill", "/cases/0/name", "/cases/0/type", "/cases/0/command", "/cases/0/expected"} == {
        finding.location.pointer for finding in suite.findings if finding.rule == "fixture-missing-key"
    }
