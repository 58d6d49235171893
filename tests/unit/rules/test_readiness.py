"""Trials to cases, cases to readiness, obstacles to an exit code."""

import pytest

from agentic_evals.model.errors import PRECEDENCE, ExitCode, strongest
from agentic_evals.model.verdict import Obstacle, Outcome, Readiness
from agentic_evals.rules.readiness import CaseResult, case_obstacles, case_readiness, exit_code, fold, is_flaky

PASS, FAIL, BLOCKED, NOT_TESTED = Outcome.PASS, Outcome.FAIL, Outcome.BLOCKED, Outcome.NOT_TESTED


@pytest.mark.parametrize(
    ("trials", "outcome"),
    [
        ((), NOT_TESTED),
        ((PASS, PASS), PASS),
        ((PASS, FAIL, BLOCKED), FAIL),
        ((PASS, BLOCKED), BLOCKED),
        ((BLOCKED, NOT_TESTED), BLOCKED),
        ((PASS, NOT_TESTED), NOT_TESTED),
    ],
)
def test_a_case_is_as_bad_as_its_worst_trial(trials, outcome):
    """Any FAIL fails, else any BLOCKED blocks, else every trial must have passed."""
    assert outcome is fold(trials)


@pytest.mark.parametrize(
    ("trials", "flaky"), [((PASS, PASS), False), ((PASS, FAIL), True), ((PASS, NOT_TESTED), False), ((), False)]
)
def test_a_case_is_flaky_where_trials_that_ran_disagree(trials, flaky):
    """A trial that did not run disagrees with nothing."""
    assert flaky is is_flaky(trials)


@pytest.mark.parametrize(
    ("required", "readiness"),
    [
        ([], Readiness.NOT_ESTABLISHED),
        ([(PASS, PASS)], Readiness.READY),
        ([(PASS, FAIL)], Readiness.NOT_READY),
        ([(PASS,), (FAIL,)], Readiness.USABLE_WITH_GAPS),
        ([(PASS,), (BLOCKED,)], Readiness.USABLE_WITH_GAPS),
        ([(PASS,), (NOT_TESTED,)], Readiness.USABLE_WITH_GAPS),
        ([(BLOCKED,)], Readiness.NOT_READY),
        ([(NOT_TESTED,), (NOT_TESTED,)], Readiness.NOT_ESTABLISHED),
        ([()], Readiness.NOT_ESTABLISHED),
        ([(PASS, NOT_TESTED)], Readiness.NOT_READY),
    ],
)
def test_readiness_is_scored_on_required_cases(required, readiness):
    """READY needs every required case; where definitions overlap, the worse one wins."""
    assert readiness is case_readiness(required)


@pytest.mark.parametrize(
    ("outcome", "code", "rule"),
    [
        (FAIL, ExitCode.NOT_READY, "case-failed"),
        (BLOCKED, ExitCode.ENVIRONMENT, "case-blocked"),
        (NOT_TESTED, ExitCode.NOTHING_EVALUATED, "case-not-tested"),
    ],
)
def test_each_required_case_that_did_not_pass_is_an_obstacle(outcome, code, rule):
    """The obstacle names its rule, its case and its exit code."""
    found = case_obstacles([CaseResult("fine", True, PASS), CaseResult("bad", True, outcome)])  # noqa: FBT003 - required

    assert [(code, rule, "bad")] == [(one.code, one.rule, one.case) for one in found]


@pytest.mark.parametrize("outcome", list(Outcome))
def test_an_optional_case_is_no_obstacle(outcome):
    """Whatever an optional case shows, it does not shut the gate."""
    assert () == case_obstacles([CaseResult("extra", False, outcome)])  # noqa: FBT003 - not required


def obstacle(code):
    """Make an obstacle that asks for an exit code."""
    return Obstacle(code, "some-rule", "some reason")


@pytest.mark.parametrize(
    ("readiness", "codes", "code"),
    [
        (Readiness.READY, (), ExitCode.OK),
        (Readiness.READY, (ExitCode.INCONCLUSIVE,), ExitCode.INCONCLUSIVE),
        (Readiness.NOT_READY, (), ExitCode.NOT_READY),
        (Readiness.USABLE_WITH_GAPS, (), ExitCode.NOT_READY),
        (Readiness.NOT_ESTABLISHED, (), ExitCode.NOTHING_EVALUATED),
        (Readiness.NOT_ESTABLISHED, (ExitCode.NOTHING_EVALUATED,), ExitCode.NOTHING_EVALUATED),
        (Readiness.USABLE_WITH_GAPS, (ExitCode.NOTHING_EVALUATED,), ExitCode.NOT_READY),
        (Readiness.NOT_READY, (ExitCode.ENVIRONMENT,), ExitCode.ENVIRONMENT),
        (Readiness.NOT_READY, (ExitCode.ENVIRONMENT, ExitCode.NOT_READY), ExitCode.NOT_READY),
        (Readiness.NOT_READY, (ExitCode.INTERRUPTED, ExitCode.NOT_READY), ExitCode.INTERRUPTED),
        (Readiness.NOT_ESTABLISHED, (ExitCode.INCONCLUSIVE, ExitCode.ENVIRONMENT), ExitCode.INCONCLUSIVE),
    ],
)
def test_the_exit_code_is_the_strongest_obstacles(readiness, codes, code):
    """A failure is never hidden behind a missing precondition, and 0 needs READY without an obstacle."""
    assert code is exit_code(readiness, [obstacle(one) for one in codes])


def test_the_precedence_is_the_specified_one():
    """70, 130, 2, 1, 6, 3, 7, 5, 4, 0: every code, each once."""
    assert (70, 130, 2, 1, 6, 3, 7, 5, 4, 0) == PRECEDENCE
    assert set(ExitCode) == set(PRECEDENCE)


@pytest.mark.parametrize("place", range(len(PRECEDENCE)))
def test_the_first_in_the_order_wins(place):
    """Among a code and all weaker ones, the code wins; nothing at all is 0."""
    assert PRECEDENCE[place] is strongest(reversed(PRECEDENCE[place:]))
    assert ExitCode.OK is strongest([])
