"""What every clock must do."""

import re

import pytest

from agentic_evals.adapters.clock import SystemClock
from tests.fakes.clock import FakeClock


@pytest.fixture(params=[SystemClock, FakeClock], ids=["system", "fake"])
def clock(request):
    """Return each clock."""
    return request.param()


def test_time_is_utc_to_the_second(clock):
    """The time is RFC 3339 with `Z`."""
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", clock.now_iso())


def test_milliseconds_only_grow(clock):
    """Of two readings the later is not smaller."""
    readings = [clock.monotonic_ms() for _ in range(100)]

    assert sorted(readings) == readings


def test_seeds_are_fresh_and_small(clock):
    """A seed fits 31 bits, and a hundred of them are not one number."""
    seeds = [clock.new_seed() for _ in range(100)]

    assert all(0 <= seed < 2**31 for seed in seeds)
    assert len(set(seeds)) > 90


def test_run_ids_do_not_repeat_and_are_file_names(clock):
    """A run id is a harmless file name, and a thousand of them are a thousand."""
    names = [clock.new_run_id() for _ in range(1000)]

    assert 1000 == len(set(names))
    assert all(re.fullmatch(r"[A-Za-z0-9-]+", name) for name in names)
