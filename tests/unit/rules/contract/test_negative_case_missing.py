"""Some required case attacks the skill, and tells a refusal from a crash."""

import json

import pytest

from agentic_evals.rules.contract.negative_case_missing import RULE
from tests.unit.rules.contract.subjects import ATTACK, HONEST, REFUSES, case, fragments, message, said, shell, subject


@pytest.mark.parametrize("kind", ["negative", "adversarial"])
def test_one_attack_is_enough(kind):
    """A required case of either type that reaches the skill and expects a refusal keeps the rule."""
    assert [] == said(RULE, subject(HONEST, ATTACK | {"type": kind}))


NONE = {
    "no attack": ((HONEST,), "there is no required negative or adversarial case"),
    "an optional one": ((HONEST, ATTACK | {"required": False}), "there is no required negative"),
    "any failure": ((ATTACK | {"expected": {"exit_code": 2}},), "'refuses' passes for any program that crashes"),
    "vacuous": ((ATTACK | {"expected": {"exit_code": 0}},), "'refuses' passes for a program that does nothing"),
    "a foreign program": (
        (case("git", "no-such-command", name="refuses", type="negative", expected=REFUSES),),
        "'refuses' reaches no entry point of the skill: `git`",
    ),
    "a label": (
        (shell("ls /no/such/file", name="refuses", type="adversarial", expected=REFUSES),),
        "'refuses' runs nothing that belongs to the skill",
    ),
    "only under a condition": (
        (shell("false && ./run.sh x", name="refuses", type="negative", expected=REFUSES),),
        "'refuses'",
    ),
    "help": ((ATTACK | {"command": ["./run.sh", "--help"]},), "'refuses' only asks for help or a version"),
    "unparsed": (
        (shell("if ./run.sh", name="refuses", type="negative", expected=REFUSES),),
        "'refuses' cannot be parsed",
    ),
}


@pytest.mark.parametrize(("cases", "told"), NONE.values(), ids=NONE.keys())
def test_a_suite_without_one_is_refused_and_told_why(cases, told):
    """What does not count breaks the rule, and the message says of each candidate why."""
    about = subject(*cases)

    assert [("error", "/cases")] == said(RULE, about)
    assert told in message(RULE, about)


def test_one_that_counts_outweighs_those_that_do_not():
    """Beside an attack that counts, others may be weak."""
    assert [] == said(RULE, subject(ATTACK | {"expected": {"exit_code": 2}}, ATTACK))


def test_many_that_do_not_count_are_cut_short():
    """The message names five, and how many more there are."""
    assert "; and 2 more" in message(RULE, subject(*[ATTACK | {"expected": {"exit_code": 2}}] * 7))


def test_the_fragment_is_a_case_of_this_skill():
    """The text to paste calls the entry point that the suite already calls, and expects words."""
    (fragment,) = fragments(RULE, subject(HONEST))
    pasted = json.loads(fragment)

    assert ("negative", ["./run.sh", "bad input"]) == (pasted["type"], pasted["command"])
    assert {"exit_code", "stderr_contains"} == set(pasted["expected"])
