"""A skill that refuses everything is not ready."""

import json

import pytest

from agentic_evals.rules.contract.positive_case_missing import RULE
from tests.unit.rules.contract.subjects import ATTACK, HONEST, fragments, message, said, subject

IDLE = HONEST | {"expected": {"exit_code": 0}}


def test_a_positive_case_that_can_fail_is_accepted():
    """One required positive case that a no-op does not pass keeps the rule, beside ones that it passes."""
    assert [] == said(RULE, subject(IDLE, HONEST, ATTACK))


@pytest.mark.parametrize(
    "cases",
    [
        (ATTACK,),
        (IDLE, ATTACK),
        (HONEST | {"required": False}, ATTACK),
        (HONEST | {"type": "adversarial"}, ATTACK),
        (HONEST | {"expected": {"exit_code": 0, "stdout_contains": ["poem"]}}, ATTACK),
    ],
    ids=["none", "vacuous", "optional", "another type", "a word of the command"],
)
def test_a_suite_without_one_is_refused(cases):
    """None at all, vacuous ones, optional ones and attacks do not show that the skill works."""
    assert [("error", "/cases")] == said(RULE, subject(*cases))


def test_the_vacuous_ones_are_named():
    """The message names the cases that a no-op passes, the first five of them."""
    told = message(RULE, subject(*[IDLE] * 7, ATTACK))

    assert "'counts 0', 'counts 1', 'counts 2', 'counts 3', 'counts 4', and 2 more" in told


def test_the_fragment_is_a_case_of_this_skill():
    """The text to paste calls the entry point that the suite already calls, and expects a result."""
    (fragment,) = fragments(RULE, subject(ATTACK))
    pasted = json.loads(fragment)

    assert ("positive", ["./run.sh", "good input"], "..") == (pasted["type"], pasted["command"], pasted["workdir"])
    assert 0 == pasted["expected"]["exit_code"]
