"""Readiness is scored on required cases."""

from agentic_evals.rules.contract.required_case_missing import RULE
from tests.unit.rules.contract.subjects import ATTACK, HONEST, said, subject


def test_one_required_case_is_enough():
    """A case is required unless it says otherwise."""
    assert [] == said(RULE, subject(HONEST, ATTACK | {"required": False}))


def test_only_optional_cases_are_refused():
    """A suite of optional cases has nothing to score."""
    assert [("error", "/cases")] == said(RULE, subject(HONEST | {"required": False}))
