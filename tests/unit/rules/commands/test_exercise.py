"""must_exercise: the words that a command has to hold."""

import pytest

from agentic_evals.rules.commands import Reach, must_exercise, parse_command


@pytest.mark.parametrize(
    ("entry", "command"),
    [
        ("./run.sh chart", "./run.sh chart x"),
        ("run.sh chart", "../../a/run.sh chart x"),
        ("skills/ticket/run.sh", "../../skills/ticket/run.sh"),
        ("skills/ticket/run.sh", "/abs/skills/ticket/run.sh list"),
        ("skills/ticket/run.sh", "cd skills/ticket && ./run.sh"),
        ("../run.sh", "cd .. && ./run.sh"),
        ("--flag value", "./run.sh a --flag value b"),
        ("python scripts/x.py", "uv run --project . python scripts/x.py"),
        ("uv run pytest", "uv run pytest -q"),
        ("pytest", "python -m pytest"),
        ("'a b' c", "./run.sh 'a b' c"),
        ("run.sh", '"$UNKNOWN/run.sh" x'),
        ("./run.sh", "bash -c './run.sh x'"),
        ("./run.sh", "x=$(./run.sh)"),
    ],
)
def test_consecutive_words_of_a_command_are_exercised(entry, command):
    """A path by its trailing components, the other words as they are."""
    assert Reach.REACHED is must_exercise(entry, parse_command(["bash", "-c", command]))


@pytest.mark.parametrize(
    ("entry", "command"),
    [
        ("./run.sh chart", "./run.sh x chart"),
        ("./run.sh chart", "./run.sh; chart"),
        ("./run.sh", "echo ./run.sh"),
        ("./run.sh", "cat ./run.sh"),
        ("./run.sh", "grep -q x ./run.sh"),
        ("./run.sh", "# ./run.sh"),
        ("./run.sh", "./other 'text with ./run.sh'"),
        ("./run.sh", "cat <<E\n./run.sh\nE"),
        ("a/run.sh", "b/run.sh"),
        ("run.sh", "my-run.sh"),
        ("./run.sh", "x=./run.sh; $x"),
        ("./run.sh", "./run.sh() { :; }; ./run.sh"),
        ("chart", "./run.sh docs/chart"),
        ("", "./run.sh"),
        ("'", "./run.sh"),
    ],
)
def test_anything_else_is_not(entry, command):
    """Not in a comment, nor as an argument of a trivial program."""
    assert must_exercise(entry, parse_command(["bash", "-c", command])) is None


def test_how_surely_is_told():
    """The surest occurrence counts."""
    assert Reach.CONDITIONAL is must_exercise("./run.sh", parse_command(["bash", "-c", "x || ./run.sh"]))
    assert Reach.DEAD is must_exercise("./run.sh", parse_command(["bash", "-c", "exit; ./run.sh"]))
    assert Reach.REACHED is must_exercise("./run.sh", parse_command(["bash", "-c", "./run.sh; x || ./run.sh"]))


def test_scripts_that_were_looked_into_do_not_count():
    """Only the case's own command does."""
    parsed = parse_command(["bash", "eval.sh"], read_script={"eval.sh": "./run.sh"}.get)

    assert must_exercise("./run.sh", parsed) is None
