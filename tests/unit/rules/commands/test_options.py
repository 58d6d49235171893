"""Options told from operands."""

import pytest

from agentic_evals.rules.commands.options import Syntax, leading_options, only_help, option_value
from agentic_evals.rules.commands.values import Word

SYNTAX = Syntax.of("-n --number -o")


def words(text):
    """Make literal words."""
    return tuple(map(Word.literal, text.split()))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("x -n", 0),
        ("-n 5 x", 2),
        ("-n5 x", 1),
        ("-vn 5 x", 2),
        ("-v x", 1),
        ("--number 5 x", 2),
        ("--number=5 x", 1),
        ("--flag x", 1),
        ("-v -- -x", 2),
        ("-n", 1),
        ("- x", 0),
    ],
)
def test_options_end_at_the_first_operand(text, count):
    """With the values of those that take one."""
    assert count == leading_options(words(text), SYNTAX)


@pytest.mark.parametrize(
    ("text", "value"), [("-o a", "a"), ("--number=3 -v", "3"), ("-o a -o b", "b"), ("-o", None), ("x", None)]
)
def test_the_last_value_counts(text, value):
    """Joined by `=`, or in the next word."""
    found = option_value(words(text), frozenset({"-o", "--number"}))

    assert value == (found.text if found else None)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("--help", True),
        ("sub --help", True),
        ("-h", True),
        ("help", True),
        ("", False),
        ("-h host x", False),
        ("x help", False),
    ],
)
def test_help_is_all_that_is_asked_for(text, asks):
    """Not a value that looks like it."""
    assert asks is only_help(words(text))
