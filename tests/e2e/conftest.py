"""What the end-to-end tests share: the program with a home of its own, and a skill that is READY."""

import os
import time

import pytest

from tests.e2e.program import Program, make_skill


@pytest.fixture
def program(tmp_path):
    """Return the program, whose folders lie beside the skill's."""
    return Program(tmp_path / "home")


@pytest.fixture
def skill(tmp_path):
    """Return where a test's skill lies."""
    return tmp_path / "sample"


@pytest.fixture
def sound(skill):
    """Return the fixture of a skill that is READY."""
    return make_skill(skill)


@pytest.fixture
def nap():
    """Return a number of seconds, about a minute, by which the `sleep` of this test alone is recognised."""
    return f"57.{os.getpid()}{time.monotonic_ns()}"
