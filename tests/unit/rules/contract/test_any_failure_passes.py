"""A negative case tells a refusal from a crash."""

import pytest

from agentic_evals.rules.contract.any_failure_passes import RULE
from tests.unit.rules.contract.subjects import ATTACK, HONEST, message, said, subject

CRASHES = ATTACK | {"expected": {"exit_code": 1}}


def test_words_of_the_refusal_are_accepted():
    """A case that expects words that no crash prints keeps the rule."""
    assert [] == said(RULE, subject(HONEST, ATTACK))


@pytest.mark.parametrize(
    "expected",
    [
        {"exit_code": 1},
        {"exit_code": -11},
        {"exit_code": 1, "stdout_excludes": ["words"]},
        {"exit_code": 1, "stderr_contains": ["Traceback"]},
        {"exit_code": 1, "artifacts": [{"path": "out.txt", "absent": True}]},
    ],
    ids=["an exit code", "a signal", "an exclusion", "a traceback", "an absent file"],
)
def test_what_any_crash_passes_is_said(expected):
    """A case that every crash passes is a warning, which names the exit code."""
    about = subject(HONEST, ATTACK | {"expected": expected})

    assert [("warning", "/cases/1/expected")] == said(RULE, about)
    assert f"exit code {expected['exit_code']}" in message(RULE, about)


def test_in_the_compliance_tier_it_is_refused():
    """There it is an error."""
    assert [("error", "/cases/1/expected")] == said(RULE, subject(HONEST, CRASHES, eval_tier="compliance"))


def test_a_success_is_no_crash():
    """A case that expects exit code 0 cannot be passed by a crash."""
    assert [] == said(RULE, subject(HONEST | {"expected": {"exit_code": 0}}))
