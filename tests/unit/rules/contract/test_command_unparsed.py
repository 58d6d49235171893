"""What cannot be parsed is no evidence, and the author learns of it."""

from agentic_evals.rules.contract.command_unparsed import RULE
from tests.unit.rules.contract.subjects import HONEST, message, said, shell, subject


def test_commands_that_can_be_read_are_accepted():
    """Plain words and well-formed shell text keep the rule."""
    assert [] == said(RULE, subject(HONEST, shell("for x in a b; do ./run.sh $x; done | sort > >(tee log)")))


def test_broken_shell_text_is_said():
    """Text that no shell would read is a warning at the command, and it says which case."""
    about = subject(HONEST, shell("if ./run.sh samples/poem.txt"))

    assert [("warning", "/cases/1/command")] == said(RULE, about)
    assert "'counts 1'" in message(RULE, about)
