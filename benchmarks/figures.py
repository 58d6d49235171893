"""What a benchmark finds, and the one way in which times are taken: every contender in turn, round after round."""

import statistics
import time
from dataclasses import dataclass

FEWEST_FOR_A_MEDIAN = 3


@dataclass(frozen=True)
class Times:
    """The wall times of one contender, in milliseconds, one a round."""

    all: tuple[float, ...]

    @property
    def least(self):
        """The time that other work on the machine disturbed least."""
        return min(self.all)

    @property
    def median(self):
        """The time in the middle."""
        return statistics.median(self.all)

    def minus(self, other):
        """Return what this one takes longer than another, round by round."""
        return Times(tuple(mine - theirs for mine, theirs in zip(self.all, other.all, strict=True)))


@dataclass(frozen=True)
class Figure:
    """One row of the page."""

    what: str
    value: float
    """What a promise is held against."""
    unit: str
    limit: float | None = None
    """The promise: the value is at most this."""
    median: float | None = None
    """The same figure from medians."""
    detail: str = ""

    @property
    def kept(self):
        """Whether the promise is kept; `None` where nothing was promised."""
        return None if self.limit is None else self.value <= self.limit


@dataclass(frozen=True)
class Answer:
    """One question with its figures."""

    question: str
    how: str
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()


def interleaved(contenders, rounds):
    """Time every contender once a round, in turns of changing direction, after one round that does not count."""
    taken = {name: [] for name in contenders}
    for run in contenders.values():
        run()
    for number in range(rounds):
        names = list(contenders) if number % 2 == 0 else list(reversed(contenders))
        for name in names:
            started = time.perf_counter()
            contenders[name]()
            taken[name].append((time.perf_counter() - started) * 1000)
    return {name: Times(tuple(times)) for name, times in taken.items()}


def ratio(what, mine, base, limit=None):
    """Return how many times as long as the baseline something takes, by least times and by medians."""
    return Figure(
        what,
        mine.least / base.least,
        "×",
        limit,
        mine.median / base.median,
        f"{mine.least:.2f} ms against {base.least:.2f} ms",
    )
