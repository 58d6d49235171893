"""Trivial commands: those that prove nothing about a skill."""

import pytest

from agentic_evals.rules.commands import is_trivial, only_trivial, parse_command

TRIVIAL = [
    "echo ok",
    "/bin/echo ok",
    "printf ok",
    "true",
    ":",
    "exit 3",
    "test -f x",
    "[ -f x ]",
    "[[ -f x ]]",
    "cat ../SKILL.md",
    "grep -q name ../SKILL.md",
    "cp a b",
    "sleep 1",
    "export X=1",
    "> out",
    "command -v x",
    "python -c \"print('ok')\"",
    "python3 -c 'import sys; sys.exit(3)'",
    "python -c 'import json; print(json.dumps({}))'",
    "python - <<'E'\nprint(1)\nE",
    "echo 'print(1)' | python",
    "python",
    "node -e 'console.log(1)'",
    "node -pe '1 + 1'",
    "perl -e 'print 1'",
    "ruby -e 'puts 1'",
    "php -r 'echo 1;'",
    "awk 'BEGIN{print 1}'",
    "bash -c 'echo ok'",
    "bash -c ''",
    "bash -n x.sh",
    "bash --version",
    "x=echo; $x ok",
    "timeout 5 echo ok",
    "env A=b true",
    "if true; then echo a; fi",
    "f() { echo ok; }; f",
    "# nothing",
]

NOT_TRIVIAL = [
    "./run.sh",
    "mytool x",
    "python x.py",
    "python -m pkg",
    "python -c 'import pkg'",
    "python -c 'open(\"x\").read()'",
    "python -c 'import subprocess; subprocess.run([\"x\"])'",
    "python -c 'import os; os.system(\"x\")'",
    "python -c '__import__(\"x\")'",
    "python -c 'import sys; print(sys.stdin.read())'",
    "python - < x.py",
    "./run.sh | python",
    "node -e 'require(\"./x\")'",
    "node -e 'import(\"./x\")'",
    "perl -e 'system(\"x\")'",
    "perl -e 'print `x`'",
    "ruby -e 'require \"x\"'",
    "awk 'BEGIN{system(\"x\")}'",
    "bash x.sh",
    "bash < x.sh",
    "curl https://a.example",
    "$UNKNOWN",
    'eval "$x"',
    'bash -c "$x"',
]


@pytest.mark.parametrize("text", TRIVIAL)
def test_what_only_prints_looks_or_waits_is_trivial(text):
    """So is an interpreter that is given a constant program."""
    assert only_trivial(parse_command(["bash", "-c", text]))


@pytest.mark.parametrize("text", NOT_TRIVIAL)
def test_what_runs_imports_or_reads_something_is_not(text):
    """Nor is what cannot be told."""
    assert not only_trivial(parse_command(["bash", "-c", text]))


def test_only_reached_commands_count():
    """A dead call of the skill does not save a case."""
    assert only_trivial(parse_command(["bash", "-c", "echo ok || ./run.sh"]))
    assert only_trivial(parse_command(["bash", "-c", "echo ok; exit 0; ./run.sh"]))


def test_an_argv_is_looked_at_alike():
    """Without a shell, too."""
    assert is_trivial(parse_command(["echo", "./run.sh"]).commands[0])
    assert not is_trivial(parse_command(["./run.sh"]).commands[0])
