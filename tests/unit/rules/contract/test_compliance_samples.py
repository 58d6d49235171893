"""A compliance suite draws fresh inputs, and enough of them."""

import pytest

from agentic_evals.rules.contract.compliance_samples import RULE
from tests.unit.rules.contract.subjects import HONEST, case, message, said, shell, subject

TIER = {"eval_tier": "compliance"}


def drawing(*words, **manifest):
    """Return a compliance suite with a case that is given some words."""
    return subject(HONEST, case("./run.sh", *words), **TIER, **manifest)


ENOUGH = {
    "many samples": drawing("--samples", "1000"),
    "in one word": drawing("--samples=500"),
    "with a fixed key": drawing("--samples", "500", "--seed", "7"),
    "the last one counts": drawing("--samples", "5", "--samples", "1000"),
    "a seed of the shell": subject(HONEST, shell("./run.sh --samples 600 --seed $RANDOM"), **TIER),
    "a seed of the runner": drawing("--samples", "600", "--seed", "{seed}", placeholders=True),
    "through wrappers": subject(HONEST, case("timeout", "9", "bash", "-lc", "./run.sh --samples 999"), **TIER),
    "of several cases": subject(case("./run.sh", "--samples", "250"), case("./run.sh", "--samples", "250"), **TIER),
    "a seed from the input": subject(
        HONEST, case("bash", stdin="./run.sh --samples 600 --seed {seed}"), placeholders=True, **TIER
    ),
}


@pytest.mark.parametrize("about", ENOUGH.values(), ids=ENOUGH.keys())
def test_enough_samples_are_accepted(about):
    """A suite that draws a thousand fresh inputs in all its trials keeps the rule."""
    assert [] == said(RULE, about)


NEVER_FRESH = {
    "nothing drawn": subject(HONEST, **TIER),
    "a fixed seed": drawing("--seed", "7"),
    "a placeholder that is not replaced": drawing("--seed", "{seed}"),
    "literal braces": drawing("--seed", "{{seed}}", placeholders=True),
    "a quoted variable": subject(HONEST, shell("./run.sh --seed '$RANDOM'"), **TIER),
    "a variable in plain words": drawing("--seed", "$RANDOM"),
    "in a comment": subject(HONEST, shell("./run.sh x # --samples 1000"), **TIER),
    "printed": subject(HONEST, shell("./run.sh x; echo --samples 1000 --seed $RANDOM"), **TIER),
    "in dead code": subject(HONEST, shell("./run.sh x; exit 0; ./run.sh --samples 1000"), **TIER),
}


@pytest.mark.parametrize("about", NEVER_FRESH.values(), ids=NEVER_FRESH.keys())
def test_a_suite_that_draws_nothing_fresh_is_refused(about):
    """Words that look like sampling and draw nothing anew break it."""
    assert [("error", "/cases")] == said(RULE, about)


TOO_FEW = {
    "49": drawing("--samples", "49"),
    "no number": drawing("--samples", "many"),
    "no count": subject(HONEST, shell("./run.sh --seed $RANDOM"), **TIER),
    "an unknown number": subject(HONEST, shell('./run.sh --samples "$COUNT"'), **TIER),
    "the last one counts": drawing("--samples", "1000", "--samples", "5"),
}


@pytest.mark.parametrize("about", TOO_FEW.values(), ids=TOO_FEW.keys())
def test_a_case_that_draws_too_few_is_refused(about):
    """Fewer than 50, or a number that is not named, breaks it at the case's command."""
    assert ("error", "/cases/1/command") in said(RULE, about)


def test_few_samples_in_all_are_said():
    """Fifty in two trials are admitted, with a warning that gives the sum."""
    about = drawing("--samples", "50")

    assert [("warning", "/cases")] == said(RULE, about)
    assert "100 samples in all" in message(RULE, about)


def test_without_the_tier_nothing_is_asked():
    """A fixture of no tier need not sample, and a few samples are its own matter."""
    assert [] == said(RULE, subject(HONEST, case("./run.sh", "--samples", "5")))
