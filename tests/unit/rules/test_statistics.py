"""Closed forms against values worked out by hand."""

import math
from itertools import product

import pytest

from agentic_evals.rules.statistics import pass_power_k, wilson


@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    [(0, 1, 0.0, 0.793451), (1, 1, 0.206549, 1.0), (5, 10, 0.236593, 0.763407), (81, 263, 0.255288, 0.366210)],
)
def test_wilsons_interval(passed, total, low, high):
    """Known intervals at 95 %; the last is Wilson's own kind of example, published in textbooks."""
    assert (low, high) == pytest.approx(wilson(passed, total), abs=5e-6)


@pytest.mark.parametrize(("passed", "total"), [(0, 0), (2, 1), (-1, 3)])
def test_no_proportion_has_no_interval(passed, total):
    """Without trials there is nothing to estimate."""
    with pytest.raises(ValueError, match="is no proportion"):
        wilson(passed, total)


@pytest.mark.parametrize(("passed", "total", "k"), list(product(range(4), [3], [1, 2, 3])))
def test_pass_power_k_is_the_share_of_passing_selections(passed, total, k):
    """Counted one by one: of all ways to choose k of the trials, how many passed wholly."""
    if passed > total:
        return
    trials = [1] * passed + [0] * (total - passed)
    chosen = [
        [trials[place] for place in range(total) if mask >> place & 1]
        for mask in range(2**total)
        if mask.bit_count() == k
    ]

    assert math.isclose(sum(all(one) for one in chosen) / len(chosen), pass_power_k(passed, total, k))


@pytest.mark.parametrize("k", [0, 4])
def test_pass_power_k_needs_k_trials(k):
    """More trials than were run cannot be estimated without bias."""
    with pytest.raises(ValueError, match="needs at least"):
        pass_power_k(3, 3, k)
