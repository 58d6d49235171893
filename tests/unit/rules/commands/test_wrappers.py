"""Wrappers: programs that only start another one are looked through."""

import pytest

from agentic_evals.rules.commands import parse_command

SAME = [
    "env ./run.sh x",
    "env -i ./run.sh x",
    "env A=b C=d ./run.sh x",
    "env -u HOME -i A=b ./run.sh x",
    "env -S './run.sh x'",
    "env -S 'A=b ./run.sh' x",
    "/usr/bin/env ./run.sh x",
    "nice ./run.sh x",
    "nice -n 5 ./run.sh x",
    "nice -n5 ./run.sh x",
    "timeout 5 ./run.sh x",
    "timeout -k 1 -s KILL 5s ./run.sh x",
    "timeout --signal=KILL --preserve-status 5 ./run.sh x",
    "/usr/bin/timeout 5 ./run.sh x",
    "nohup ./run.sh x",
    "stdbuf -oL -e 0 ./run.sh x",
    "setsid -w ./run.sh x",
    "ionice -c 3 ./run.sh x",
    "taskset 1 ./run.sh x",
    "sudo -u other A=b ./run.sh x",
    "timeout 5 nice -n 3 env A=b ./run.sh x",
    "xvfb-run -a ./run.sh x",
    "flock lock ./run.sh x",
    "uv run ./run.sh x",
    "uv run --project .. --with a --python 3.12 ./run.sh x",
    "uv --quiet run -- ./run.sh x",
    "poetry run ./run.sh x",
    "poetry -C .. run ./run.sh x",
    "conda run -n base ./run.sh x",
    "bundle exec ./run.sh x",
    "mise exec -- ./run.sh x",
]


@pytest.mark.parametrize("text", SAME)
@pytest.mark.parametrize("shell", [False, True], ids=["argv", "shell"])
def test_the_program_inside_is_found(text, shell):
    """With its own arguments, and with nothing of the wrapper's."""
    import shlex

    parsed = parse_command(["bash", "-c", text] if shell else shlex.split(text))

    assert [["./run.sh", "x"]] == [[word.text for word in command.words] for command in parsed.commands]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["uv", "run", "script.py", "x"], ["python", "script.py", "x"]),
        (["uv", "run", "python", "x.py"], ["python", "x.py"]),
        (["uv", "run", "-m", "mod", "x"], ["python", "-m", "mod", "x"]),
        (["uv", "run", "--script", "x", "y"], ["python", "x", "y"]),
        (["uv", "run", "--with", "pytest", "pytest", "-q"], ["pytest", "-q"]),
        (["uv", "tool", "run", "ruff", "check"], ["ruff", "check"]),
        (["uvx", "--from", "a", "ruff", "check"], ["ruff", "check"]),
        (["npx", "--yes", "-p", "a", "jest", "x"], ["jest", "x"]),
        (["uv", "sync"], ["uv", "sync"]),
        (["timeout", "5"], ["timeout", "5"]),
        (["timeout", "--version"], ["timeout", "--version"]),
        (["env"], ["env"]),
        (["nice", "--help"], ["nice", "--help"]),
    ],
)
def test_project_managers_start_what_they_are_given(argv, words):
    """A Python file is started by Python; without a program the wrapper is the program."""
    assert [words] == [[word.text for word in command.words] for command in parse_command(argv).commands]


def test_the_words_as_written_are_kept():
    """What was taken off can still be asked for."""
    command = parse_command(["uv", "run", "pytest"]).commands[0]

    assert ["uv", "run", "pytest"] == [word.text for word in command.written]


def test_assignments_and_folders_of_wrappers_are_kept():
    """The environment and the folder that a wrapper sets belong to the program inside."""
    command = parse_command(["env", "-C", "a", "A=b", "uv", "run", "--directory", "c", "--project", "d", "x"]).commands[
        0
    ]

    assert [("A", "b")] == [(name, word.text) for name, word in command.assignments]
    assert "a/c" == command.cwd
    assert command.projects


def test_a_wrapper_behind_a_variable_is_not_looked_through():
    """The program is what the text spells."""
    parsed = parse_command(["bash", "-c", "$WRAP ./run.sh; x=env; $x ./run.sh"])

    assert not [command for command in parsed.commands if command.program_path == "./run.sh"]
