"""A case whose every command only prints, looks or waits proves nothing."""

import pytest

from agentic_evals.rules.contract.trivial_case import RULE
from tests.unit.rules.contract.subjects import HONEST, case, said, shell, subject

TRIVIAL = {
    "echo": case("echo", "words: 14"),
    "by its path": case("/bin/echo", "words: 14"),
    "through env": case("env", "A=1", "echo", "hello"),
    "through nested wrappers": case("timeout", "5", "nice", "bash", "-lc", "env printf hello"),
    "a shell in a shell": case("sh", "-c", "bash -c 'true; :'"),
    "a look at files": shell("test -f run.sh && cat run.sh | head -n 1"),
    "true": case("true"),
    "nothing": shell(""),
    "a comment": shell("# ./run.sh samples/poem.txt"),
    "a dead branch": shell("exit 0; ./run.sh samples/poem.txt"),
    "a false condition": shell("true || ./run.sh samples/poem.txt"),
    "a function that nobody calls": shell("f() { ./run.sh samples/poem.txt; }; echo done"),
    "a constant program": case("python3", "-c", "print('words:', 14)"),
    "a computed constant": case("python3", "-c", "print('words:', 2 * 7)"),
    "an exit": shell("sleep 0; exit 2"),
    "moving files": shell("cp samples/poem.txt x && touch y && mv x z"),
    "the skill as text": shell("echo ./run.sh samples/poem.txt"),
}
SUBSTANTIAL = {
    "the skill": HONEST,
    "a pipeline ending in cat": shell("./run.sh samples/poem.txt | cat"),
    "a process substitution": shell("./run.sh samples/poem.txt > >(tee log)"),
    "after a look at files": shell("test -x run.sh && ./run.sh samples/poem.txt"),
    "a function that is called": shell("f() { ./run.sh samples/poem.txt; }; f"),
    "a module": case("python3", "-m", "scripts.count", "samples/poem.txt"),
    "imported code": case("python3", "-c", "from scripts.count import count; print(count('a b'))"),
    "a foreign program": case("git", "--version"),
}  # fmt: skip


@pytest.mark.parametrize("one", TRIVIAL.values(), ids=TRIVIAL.keys())
def test_trivial_commands_are_refused(one):
    """A case that runs nothing but them breaks the rule, at its command, required or not."""
    assert [("error", "/cases/0/command")] == said(RULE, subject(one))
    assert [("error", "/cases/0/command")] == said(RULE, subject(one | {"required": False}))


@pytest.mark.parametrize("one", SUBSTANTIAL.values(), ids=SUBSTANTIAL.keys())
def test_a_command_that_runs_something_is_accepted(one):
    """A case that surely runs one thing more keeps the rule."""
    assert [] == said(RULE, subject(one))


def test_what_cannot_be_read_is_not_called_trivial():
    """Of a text that cannot be parsed nothing is known; another rule says so."""
    assert [] == said(RULE, subject(shell("echo ok; if ./run.sh")))
