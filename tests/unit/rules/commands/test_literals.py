"""Literal words: what a program that only repeats its own text could print."""

import pytest

from agentic_evals.rules.commands import literal_words, parse_command


@pytest.mark.parametrize(
    ("argv", "stdin", "needle"),
    [
        (["./run.sh", "PASS all"], None, "PASS all"),
        (["bash", "-c", "./run.sh && echo 'ALL GOOD'"], None, "ALL GOOD"),
        (["bash", "-c", 'echo PA"SS"'], None, "PASS"),
        (["bash", "-c", "x=ok; echo $x-$x"], None, "ok-ok"),
        (["bash", "-c", "echo a    b"], None, "a b"),
        (["bash", "-c", "printf 'a%sc' b"], None, "abc"),
        (["bash", "-c", "cat <<E\nfrom here\nE"], None, "from here"),
        (["bash", "-c", "bash -c \"echo 'deep words'\""], None, "deep words"),
        (["cat"], "from stdin", "from stdin"),
        (["bash"], "echo PA'SS'", "PASS"),
        (["python", "-c", "print('ok')"], None, "ok"),
        (["a", "b"], None, "a b"),
        (["bash", "-c", "echo 'unclosed"], None, "unclosed"),
    ],
)
def test_a_needle_of_the_own_text_is_found(argv, stdin, needle):
    """As it is written, without its quotes, and as `echo` would print it."""
    assert any(needle in piece for piece in literal_words(argv, stdin))


def test_what_only_running_shows_is_not_there():
    """The output of a program is no literal word."""
    assert not any("3" in piece for piece in literal_words(["bash", "-c", "./run.sh $((1 + 2))"]))


def test_the_elements_come_first():
    """Each as one piece."""
    assert ("a b", "c") == literal_words(["a b", "c"])[:2]


def test_scripts_are_not_the_commands_own_text():
    """What was read from a file is not repeated by the command."""
    parsed = parse_command(["bash", "x.sh"], read_script=lambda _path: "echo secret")

    assert not any("secret" in piece for piece in parsed.literal_words)
