"""Stub input: what is fed from a `fixtures` folder, and what is not."""

from pathlib import PurePosixPath

import pytest

from agentic_evals.rules.commands import Facts, is_stub, parse_command, stub_inputs

FACTS = Facts(
    PurePosixPath("skills/a"),
    PurePosixPath("skills/a"),
    "/home/fixtures/repo",
    frozenset(
        {
            "skills/a/run.sh",
            "skills/a/fixtures/x.json",
            "skills/a/fixtures/agentic_eval.json",
            "skills/a/fixtures/fake.sh",
            "skills/a/tests/fixtures/test_x.py",
            "skills/a/tests/fixtures/y.json",
            "skills/a/data/x.json",
        }
    ),
)

FED = [
    "./run.sh fixtures/x.json",
    "./run.sh --in fixtures/x.json",
    "./run.sh --in=fixtures/x.json",
    "./run.sh -ifixtures/x.json",
    "./run.sh -d @fixtures/x.json",
    "./run.sh --form file=@fixtures/x.json",
    "./run.sh a,fixtures/x.json",
    "./run.sh file:///home/fixtures/repo/skills/a/fixtures/x.json",
    "./run.sh ./data/../fixtures/x.json",
    "./run.sh fixtures",
    "./run.sh fixtures/missing.json",
    "./run.sh < fixtures/x.json",
    "./run.sh 0< fixtures/x.json",
    "cat fixtures/x.json | ./run.sh",
    "./run.sh <(cat fixtures/x.json)",
    './run.sh "$(cat fixtures/x.json)"',
    './run.sh "$(< fixtures/x.json)"',
    "cd fixtures && ../run.sh x.json",
    "cd fixtures && ../run.sh < x.json",
    "cd fixtures && ../run.sh *.json",
    "./run.sh fixtures/*.json",
    "./run.sh fixtures/{x,z}.json",
    'for f in fixtures/*.json; do ./run.sh "$f"; done',
    "f=fixtures/x.json; ./run.sh $f",
    "if ./o; then f=fixtures/x.json; else f=y; fi; ./run.sh $f",
    'a=(--in fixtures/x.json); ./run.sh "${a[@]}"',
    'run() { ./run.sh "$@"; }; run fixtures/x.json',
    "{ ./run.sh; } < fixtures/x.json",
    'while read l; do ./run.sh "$l"; done < fixtures/x.json',
    "exec < fixtures/x.json; ./run.sh",
    "INPUT=fixtures/x.json ./run.sh",
    './run.sh "$UNKNOWN/fixtures/x.json"',
    './run.sh "$PWD/fixtures/x.json"',
    './run.sh "$(git rev-parse --show-toplevel)/skills/a/fixtures/x.json"',
    "./run.sh /home/fixtures/repo/skills/a/fixtures/x.json",
    "python -c \"print(open('fixtures/x.json').read())\" | ./run.sh",
    "pytest tests --data fixtures/x.json",
    "pytest --data=tests/fixtures/y.json",
    "cp fixtures/x.json /tmp/x && ./run.sh /tmp/x",
    "xargs -a fixtures/x.json ./run.sh",
    "./o || ./run.sh fixtures/x.json",
    "bash -c './run.sh fixtures/x.json'",
    "timeout 5 ./run.sh fixtures/x.json",
]

NOT_FED = [
    "./run.sh data/x.json",
    "./run.sh x.json",
    "./run.sh /tmp/fixtures/x.json",
    "./run.sh ../../../x.json",
    './run.sh "$(mktemp -d)/fixtures/x.json"',
    './run.sh "$UNKNOWN/fixtures/other.json"',
    "./run.sh --out fixtures/x.json",
    "./run.sh -o fixtures/x.json",
    "./run.sh --output=fixtures/x.json",
    "./run.sh --receipt-out fixtures/x.json",
    "./run.sh > fixtures/out.json",
    "./run.sh | tee fixtures/out.json",
    "cd fixtures && ../run.sh capabilities --json",
    "cd tests/fixtures && ../../run.sh",
    "mkdir -p fixtures/out; ./run.sh",
    "rm -f fixtures/x.json; ./run.sh",
    "[ -f fixtures/x.json ] && ./run.sh",
    "bash fixtures/fake.sh",
    "fixtures/fake.sh",
    "python fixtures/fake.py",
    "pytest tests/fixtures/test_x.py",
    "cd .. && python -m pytest a/tests/fixtures/test_x.py::test",
    "cp data/x.json fixtures/z.json; ./run.sh",
    "./run.sh 'text that mentions fixtures/x.json among others'",
    "exit 0; ./run.sh fixtures/x.json",
    "# ./run.sh fixtures/x.json",
]


@pytest.mark.parametrize("text", FED)
def test_what_is_fed_from_fixtures_is_found(text):
    """As an argument, a value, a redirection, through a pipe, a variable or a folder."""
    assert stub_inputs(parse_command(["bash", "-c", text]), FACTS)


@pytest.mark.parametrize("text", NOT_FED)
def test_what_is_no_input_is_left_alone(text):
    """Outputs, entry points, tests to run, other folders, and a checkout below `fixtures`."""
    assert () == stub_inputs(parse_command(["bash", "-c", text]), FACTS)


def test_an_argv_is_looked_at_alike():
    """Without a shell, as it is written."""
    assert ("fixtures/x.json",) == stub_inputs(parse_command(["./run.sh", "fixtures/x.json"]), FACTS)


def test_a_path_that_the_case_asserts_is_an_output():
    """Asserted paths are relative to the case's folder."""
    parsed = parse_command(["bash", "-c", "cd data; ../run.sh ../fixtures/x.json"])

    assert () == stub_inputs(parsed, FACTS, ["fixtures/x.json"])
    assert stub_inputs(parsed, FACTS, ["data/x.json"])


def test_a_case_that_starts_in_fixtures_feeds_only_what_is_there():
    """A fixture usually lies in `fixtures` itself, where any word could be a path."""
    facts = Facts(FACTS.skill_root, PurePosixPath("skills/a/fixtures"), FACTS.workspace_root, FACTS.files)

    assert () == stub_inputs(parse_command(["../run.sh", "list", "--project", ".."]), facts)
    assert ("x.json",) == stub_inputs(parse_command(["../run.sh", "--in", "x.json"]), facts)


def test_a_single_path_can_be_asked_for():
    """For a standard input that the case names as a file."""
    assert is_stub("fixtures/x.json", FACTS)
    assert not is_stub("data/x.json", FACTS)
