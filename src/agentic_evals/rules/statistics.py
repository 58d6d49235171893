"""Closed forms for a few trials: Wilson's interval and pass^k."""

from __future__ import annotations

import math
from typing import Final

Z_95: Final = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


def wilson(passed: int, total: int, z: float = Z_95) -> tuple[float, float]:
    """Return Wilson's score interval for a proportion (Wilson 1927).

    Raises:
        ValueError: there were no trials, or more passes than trials.

    """
    if total <= 0 or not 0 <= passed <= total:
        message = f"{passed} of {total} is no proportion"
        raise ValueError(message)
    rate = passed / total
    spread = z * z / total
    centre = (rate + spread / 2) / (1 + spread)
    half = z * math.sqrt(rate * (1 - rate) / total + spread / (4 * total)) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def pass_power_k(passed: int, total: int, k: int) -> float:
    """Estimate, without bias, the chance that k fresh trials all pass: C(passed, k) / C(total, k).

    Raises:
        ValueError: fewer than k trials were run.

    """
    if not 0 < k <= total:
        message = f"pass^{k} needs at least {k} trials, not {total}"
        raise ValueError(message)
    return math.comb(passed, k) / math.comb(total, k)
