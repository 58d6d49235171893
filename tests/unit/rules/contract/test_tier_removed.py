"""The compliance tier is not dropped in silence."""

import pytest

from agentic_evals.rules.contract.tier_removed import RULE
from tests.unit.rules.contract.subjects import ATTACK, HONEST, facts, fragments, said, subject

GUARDED = facts(declared_compliance=True)


def test_a_tier_that_stays_is_accepted():
    """A fixture that declared the tier before and declares it now keeps the rule."""
    assert [] == said(RULE, subject(HONEST, ATTACK, around=GUARDED, eval_tier="compliance"))


def test_a_tier_that_is_gone_is_refused():
    """A fixture that declared it before and does not now breaks it."""
    about = subject(HONEST, ATTACK, around=GUARDED)

    assert [("error", "")] == said(RULE, about)
    assert ['"eval_tier": "compliance"'] == fragments(RULE, about)


def test_a_tier_that_never_was_is_not_asked_for():
    """Without such a history nothing is asked."""
    assert [] == said(RULE, subject(HONEST, ATTACK))


@pytest.mark.parametrize("kind", ["runner_selftest", "scaffold"])
def test_an_exempt_kind_does_not_excuse_it(kind):
    """Declaring an exempt kind does not take the tier away in silence either."""
    assert [("error", "")] == said(RULE, subject(HONEST, around=GUARDED, eval_kind=kind))
    assert kind not in RULE.exempt_kinds
