"""In the compliance tier, positive controls are the minority."""

from agentic_evals.rules.contract.compliance_majority import RULE
from tests.unit.rules.contract.subjects import ATTACK, HONEST, message, said, subject

TIER = {"eval_tier": "compliance"}
CRASHES = ATTACK | {"expected": {"exit_code": 2}}


def test_more_than_half_are_enough():
    """Two attacks beside one positive case keep the rule; negative and adversarial count alike."""
    assert [] == said(RULE, subject(HONEST, ATTACK, ATTACK | {"type": "adversarial"}, **TIER))


def test_half_is_not_a_majority():
    """One of two breaks it, with both numbers in the message."""
    about = subject(HONEST, ATTACK, **TIER)

    assert [("error", "/cases")] == said(RULE, about)
    assert "1 of 2 cases" in message(RULE, about)


def test_what_any_crash_passes_does_not_count():
    """Attacks that any crash passes are none."""
    assert [("error", "/cases")] == said(RULE, subject(HONEST, ATTACK, CRASHES, CRASHES, **TIER))


def test_without_the_tier_nothing_is_asked():
    """A fixture of no tier may consist of positive cases."""
    assert [] == said(RULE, subject(HONEST, HONEST))
