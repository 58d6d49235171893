"""Shells: which of their words is a text, a script, or a parameter."""

import pytest

from agentic_evals.rules.commands import parse_command
from agentic_evals.rules.commands.shells import ShellInput, shell_call
from agentic_evals.rules.commands.values import Word


def call(*argv):
    """Read words as the call of a shell."""
    return shell_call(tuple(map(Word.literal, argv)))


@pytest.mark.parametrize(
    "argv",
    [
        ("bash", "-c", "T"),
        ("/bin/bash", "-lc", "T"),
        ("sh", "-ec", "T"),
        ("dash", "-c", "T"),
        ("zsh", "-c", "T"),
        ("bash", "-euo", "pipefail", "-c", "T"),
        ("bash", "-o", "pipefail", "-ec", "T"),
        ("bash", "-eo", "pipefail", "-c", "T", "name", "arg"),
        ("bash", "--norc", "--rcfile", "x", "-c", "T"),
        ("bash", "-c", "-e", "T"),
        ("bash", "-c", "--", "T"),
        ("bash", "+x", "-c", "T"),
        ("bash", "-O", "extglob", "-c", "T"),
    ],
)
def test_the_text_is_found_behind_any_options(argv):
    """`-c` may stand in a cluster, and other options may stand before and after it."""
    found = call(*argv)

    assert (ShellInput.TEXT, "T") == (found.kind, found.source.text)
    assert found.executes


@pytest.mark.parametrize(
    ("argv", "kind", "source"),
    [
        (("bash", "x.sh", "a"), ShellInput.SCRIPT, "x.sh"),
        (("bash", "-e", "x.sh"), ShellInput.SCRIPT, "x.sh"),
        (("bash", "--", "x.sh"), ShellInput.SCRIPT, "x.sh"),
        (("bash",), ShellInput.STDIN, None),
        (("bash", "-s", "a"), ShellInput.STDIN, None),
        (("bash", "-"), ShellInput.STDIN, None),
        (("bash", "--version"), ShellInput.NOTHING, None),
        (("bash", "-c"), ShellInput.NOTHING, None),
    ],
)
def test_scripts_and_standard_input(argv, kind, source):
    """What is no option is a script; without one the shell reads its standard input."""
    found = call(*argv)

    assert (kind, source) == (found.kind, found.source.text if found.source else None)


@pytest.mark.parametrize("argv", [("bash", "-n", "x.sh"), ("bash", "-o", "noexec", "x.sh"), ("bash", "-D", "x")])
def test_a_syntax_check_executes_nothing(argv):
    """`-n` reads commands and runs none."""
    assert not call(*argv).executes


@pytest.mark.parametrize("argv", [("python3", "-c", "x"), ("./bash.sh",), ("basher", "-c", "x")])
def test_other_programs_are_no_shells(argv):
    """The name decides."""
    assert call(*argv) is None


def test_standard_input_is_shell_text_for_a_shell():
    """The case's own standard input is parsed where a shell reads it."""
    parsed = parse_command(["bash", "-s", "--", "x"], "./run.sh $1")

    assert [["./run.sh", "x"]] == [[word.text for word in command.words] for command in parsed.commands]
    assert "./run.sh $1" == parsed.shell_text


def test_standard_input_is_data_for_anything_else():
    """A program that is no shell does not run its input."""
    assert ["cat"] == [command.program for command in parse_command(["cat"], "./run.sh").commands]
