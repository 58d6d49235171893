"""Words, redirections and commands as values."""

import pytest

from agentic_evals.rules.commands import ParsedCommand, Reach, Redirect, SimpleCommand, Word, parse_command


@pytest.mark.parametrize("one", list(Reach))
@pytest.mark.parametrize("other", list(Reach))
def test_the_weaker_reach_prevails(one, other):
    """From reached to dead."""
    order = [Reach.REACHED, Reach.CONDITIONAL, Reach.DEAD]

    assert order[max(order.index(one), order.index(other))] is one.weakened_by(other)


@pytest.mark.parametrize(
    ("operator", "target", "writes", "reads"),
    [
        (">", "f", True, False),
        (">>", "f", True, False),
        (">|", "f", True, False),
        ("&>", "f", True, False),
        (">&", "f", True, False),
        (">&", "2", False, False),
        (">&", "2-", False, False),
        (">&", "-", False, False),
        ("<", "f", False, True),
        ("<>", "f", True, True),
        ("<<", "E", False, False),
    ],
)
def test_a_redirection_reads_or_writes_a_file(operator, target, writes, reads):
    """Or only another descriptor."""
    redirect = Redirect(operator, None, Word.literal(target))

    assert (writes, reads) == (redirect.writes, redirect.reads_file)


@pytest.mark.parametrize(("text", "fd"), [("a 2> f", 2), ("a > f", None), ("a 10< f", 10)])
def test_a_redirection_keeps_its_descriptor(text, fd):
    """As it is written."""
    assert fd == parse_command(["bash", "-c", text]).commands[0].redirects[0].fd


def test_the_body_of_a_here_document_is_kept():
    """Without the tabs that `<<-` takes away, and unknown where it holds what is unknown."""
    bodies = [
        parse_command(["bash", "-c", text]).commands[0].redirects[0].body
        for text in ("a <<E\nx\nE", "a <<-E\n\tx\n\tE", "a <<< x", "a <<E\n$x\nE", "a <<'E'\n$x\nE")
    ]

    assert ["x\n", "x\n", "x\n", None, "$x\n"] == bodies


def test_a_program_is_named_by_its_last_component():
    """Whatever its folder is."""
    assert "run.sh" == SimpleCommand((Word.literal("../a/run.sh"),)).program
    assert SimpleCommand((Word(text=None, raw="$x"),)).program is None
    assert "" == SimpleCommand(()).program


def test_commands_are_chosen_by_their_reach():
    """Those that are reached at least as surely."""
    commands = tuple(SimpleCommand((), reach=reach) for reach in Reach)

    assert commands[:1] == ParsedCommand(commands).at_least(Reach.REACHED)
    assert commands[:2] == ParsedCommand(commands).at_least(Reach.CONDITIONAL)
    assert commands == ParsedCommand(commands).at_least(Reach.DEAD)
