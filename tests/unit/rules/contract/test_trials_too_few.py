"""One trial is no evidence, whoever asked for it."""

import pytest

from agentic_evals.rules.contract.trials_too_few import RULE
from tests.unit.rules.contract.subjects import ATTACK, HONEST, fragments, message, said, subject


def test_two_trials_are_enough():
    """Two trials keep the rule."""
    assert [] == said(RULE, subject(HONEST, ATTACK))


def test_one_trial_is_refused():
    """One trial breaks it, at `trials`, with a fragment to paste."""
    about = subject(HONEST, ATTACK, trials=1)

    assert [("error", "/trials")] == said(RULE, about)
    assert ['"trials": 3'] == fragments(RULE, about)


@pytest.mark.parametrize("by", ["--trials", "AGENTIC_EVALS_TRIALS"])
def test_the_number_in_force_counts(by):
    """A flag or variable that lowers the number is refused by its name, and one that raises it is not."""
    lowered = subject(HONEST, trials=1, set_by=by)

    assert by in message(RULE, lowered)
    assert [] == said(RULE, subject(HONEST, trials=2, set_by=by))
