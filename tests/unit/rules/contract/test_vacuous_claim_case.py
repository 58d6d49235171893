"""A case that carries a claim can fail."""

from agentic_evals.rules.contract.vacuous_claim_case import RULE
from tests.unit.rules.contract.subjects import ATTACK, CLAIM, HONEST, message, said, subject

IDLE = HONEST | {"expected": {"exit_code": 0}, "supports_claims": ["counts"]}


def test_a_case_that_can_fail_may_carry_a_claim():
    """A case that a no-op does not pass keeps the rule; a vacuous one that carries nothing does too."""
    carrying = HONEST | {"supports_claims": ["counts"]}
    idle = HONEST | {"expected": {"exit_code": 0}}

    assert [] == said(RULE, subject(carrying, idle, ATTACK, capability_claims=[CLAIM]))


def test_a_vacuous_case_that_carries_a_claim_is_refused():
    """It breaks the rule, required or not, and the message names the claim."""
    about = subject(HONEST, IDLE | {"required": False}, capability_claims=[CLAIM])

    assert [("error", "/cases/1/expected")] == said(RULE, about)
    assert "carries counts" in message(RULE, about)
