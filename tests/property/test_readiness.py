"""What holds of readiness for any outcomes."""

from hypothesis import given
from hypothesis import strategies as st

from agentic_evals.model.errors import ExitCode
from agentic_evals.model.verdict import Obstacle, Outcome, Readiness
from agentic_evals.rules.readiness import CaseResult, case_obstacles, case_readiness, exit_code, fold

OUTCOMES = st.sampled_from(list(Outcome))
TRIALS = st.lists(OUTCOMES, max_size=5)
CASES = st.lists(TRIALS, max_size=5)
BADNESS = {Outcome.PASS: 0, Outcome.NOT_TESTED: 1, Outcome.BLOCKED: 2, Outcome.FAIL: 3}


def gate(cases):
    """Return the exit code of required cases."""
    results = [CaseResult(str(index), True, fold(trials)) for index, trials in enumerate(cases)]  # noqa: FBT003 - required
    return exit_code(case_readiness(cases), case_obstacles(results))


@given(TRIALS, st.randoms())
def test_the_order_of_trials_does_not_matter(trials, chance):
    """Trials run in parallel and end in any order."""
    shuffled = chance.sample(trials, len(trials))

    assert fold(trials) is fold(shuffled)


@given(CASES, st.randoms())
def test_the_order_of_cases_does_not_matter(cases, chance):
    """A fixture may list its cases in any order."""
    shuffled = chance.sample(cases, len(cases))

    assert case_readiness(cases) is case_readiness(shuffled)
    assert gate(cases) is gate(shuffled)


@given(TRIALS)
def test_one_failure_fails_the_case(trials):
    """No number of passes outweighs a FAIL."""
    assert Outcome.FAIL is fold([*trials, Outcome.FAIL])


@given(st.lists(OUTCOMES, min_size=1, max_size=5), OUTCOMES)
def test_a_further_trial_never_improves_a_case(trials, more):
    """Evidence against a case cannot be run away from."""
    assert BADNESS[fold(trials)] <= BADNESS[fold([*trials, more])]


@given(CASES)
def test_a_failed_case_never_improves_readiness(cases):
    """Adding a required case that failed leaves readiness as it is or makes it worse, unless nothing was known."""
    before = case_readiness(cases)
    after = case_readiness([*cases, [Outcome.FAIL]])

    assert after <= max(before, Readiness.NOT_READY)
    assert ExitCode.NOT_READY is gate([*cases, [Outcome.FAIL]])


@given(CASES, st.integers(0, 4))
def test_a_case_that_turns_to_fail_never_improves_readiness(cases, place):
    """Replacing the outcome of one case by FAIL never helps."""
    if place >= len(cases):
        return
    worse = [*cases[:place], [Outcome.FAIL], *cases[place + 1 :]]

    assert case_readiness(worse) <= max(case_readiness(cases), Readiness.NOT_READY)


@given(CASES)
def test_the_gate_opens_for_ready_and_nothing_else(cases):
    """Exit 0 if and only if there are cases and each trial of each passed."""
    everything_passed = bool(cases) and all(trials and set(trials) == {Outcome.PASS} for trials in cases)

    assert everything_passed is (gate(cases) is ExitCode.OK)
    assert everything_passed is (case_readiness(cases) is Readiness.READY)


@given(st.sampled_from(list(Readiness)), st.lists(st.sampled_from(list(ExitCode)), max_size=4))
def test_zero_needs_ready_and_no_obstacle(readiness, codes):
    """No obstacle is lost, not even one that asks for no code of its own."""
    code = exit_code(readiness, [Obstacle(one, "some-rule", "some reason") for one in codes])
    opened = readiness is Readiness.READY and not codes

    assert opened is (code is ExitCode.OK)


@given(st.lists(st.sampled_from(list(Readiness)), min_size=1))
def test_the_worse_of_several_is_the_least(several):
    """Readiness is ordered from nothing known to ready."""
    assert (min(several) is Readiness.READY) is (set(several) == {Readiness.READY})
