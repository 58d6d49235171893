"""Entry points: what each command invokes."""

from pathlib import PurePosixPath

import pytest

from agentic_evals.rules.commands import Facts, InvocationKind, Reach, invocations, parse_command

FACTS = Facts(
    PurePosixPath("skills/a"),
    PurePosixPath("skills/a/fixtures"),
    "/work/repo",
    frozenset(
        {
            "skills/a/run.sh",
            "skills/a/SKILL.md",
            "skills/a/main.py",
            "skills/a/pkg/__init__.py",
            "skills/a/pkg/__main__.py",
            "skills/a/src/deep/tool.py",
            "skills/a/tests/test_x.py",
            "skills/a/tests/x.bats",
            "skills/a/fixtures/agentic_eval.json",
            "scripts/other.sh",
            "web/package.json",
        }
    ),
    programs=frozenset({"mytool"}),
)
KINDS = InvocationKind


def found(command):
    """Return kind, name and paths of what a command invokes."""
    argv = ["bash", "-c", command] if isinstance(command, str) else command
    return [(each.kind, each.name, each.paths) for each in invocations(parse_command(argv), FACTS)]


@pytest.mark.parametrize(
    "command",
    [
        "../run.sh x",
        "bash ../run.sh x",
        "cd .. && ./run.sh x",
        "/work/repo/skills/a/run.sh x",
        "source ../run.sh x",
        ". ../run.sh x",
        "bash -s x < ../run.sh",
        "bash -e -- ../run.sh x",
        "timeout 5 env A=b ../run.sh x",
        'root=$(git rev-parse --show-toplevel) && cd "$root/skills/a" && sh run.sh x',
        "x=..; $x/run.sh x",
        ["../run.sh", "x"],
        ["uv", "run", "../run.sh", "x"],
    ],
)
def test_a_shell_script_is_found_by_its_path(command):
    """However it is started, and from whichever folder."""
    scripts = [each for each in found(command) if each[0] is KINDS.SCRIPT]

    assert [("skills/a/run.sh",)] == [paths for _, _, paths in scripts]


@pytest.mark.parametrize(
    "command",
    [
        ["python", "../main.py", "x"],
        ["python3.12", "-u", "-X", "dev", "../main.py"],
        [".venv/bin/python", "../main.py"],
        ["uv", "run", "../main.py"],
        ["uv", "run", "--project", "..", "python", "../main.py"],
        ["../main.py"],
        ["python", "-W", "error", "../main.py"],
    ],
)
def test_a_script_of_an_interpreter_is_found(command):
    """Behind the interpreter's own options."""
    assert [(KINDS.SCRIPT, "../main.py", ("skills/a/main.py",))] == found(command)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["node", "--import", "x", "../run.js"], "../run.js"),
        (["deno", "run", "-A", "../run.ts"], "../run.ts"),
        (["ruby", "-I", "lib", "../run.rb"], "../run.rb"),
        (["perl", "../run.pl"], "../run.pl"),
        (["php", "../run.php"], "../run.php"),
        (["Rscript", "../run.R"], "../run.R"),
    ],
)
def test_every_language_has_scripts(command, expected):
    """Also where the file is not there: that is for the rules to say."""
    assert [(KINDS.SCRIPT, expected)] == [each[:2] for each in found(command)]


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cd .. && python -m pkg", "skills/a/pkg/__main__.py"),
        ("python -m pkg", "skills/a/pkg/__main__.py"),
        ("python -um pkg", "skills/a/pkg/__main__.py"),
        ("PYTHONPATH=../src python -m deep.tool", "skills/a/src/deep/tool.py"),
        ("uv run --project .. python -m deep.tool", "skills/a/src/deep/tool.py"),
        ("uv run -m deep.tool", "skills/a/src/deep/tool.py"),
        ("python -c 'import pkg; pkg.main()'", "skills/a/pkg/__main__.py"),
        ("python -c 'from deep.tool import x'", "skills/a/src/deep/tool.py"),
        ("python - <<'E'\nimport deep.tool\nE", "skills/a/src/deep/tool.py"),
    ],
)
def test_a_module_is_found_on_its_path(command, path):
    """In the folder, on PYTHONPATH, in the project, and below `src`."""
    assert [(KINDS.MODULE, (path,))] == [(kind, paths) for kind, _, paths in found(command)]


@pytest.mark.parametrize(
    "command", ["python -c 'import json'", "python -c 'if 0:\n import pkg'", "python -c 'def f(): import pkg'"]
)
def test_an_import_that_may_not_run_is_no_entry_point(command):
    """Nor is one of a module from elsewhere."""
    assert [] == found(command)


@pytest.mark.parametrize(
    ("command", "name", "paths"),
    [
        ("cd .. && pytest", "pytest", ("skills/a",)),
        ("cd .. && pytest -q -k x tests/test_x.py::test_y", "pytest", ("skills/a/tests/test_x.py",)),
        ("cd .. && python -m pytest tests", "pytest", ("skills/a/tests",)),
        ("cd .. && uv run --with pytest pytest tests", "pytest", ("skills/a/tests",)),
        ("cd .. && python -m unittest tests.test_x", "unittest", ("skills/a/tests/test_x.py",)),
        ("bats ../tests/x.bats", "bats", ("skills/a/tests/x.bats",)),
        ("npm --prefix ../../../web test -- --run", "npm", ("web",)),
        ("cd ../../../web && npm run test", "npm", ("web",)),
        ("make -C .. check", "make", ("skills/a",)),
        ("cargo test --lib x", "cargo", ("skills/a/fixtures",)),
        ("cargo nextest run", "cargo", ("skills/a/fixtures",)),
        ("cd .. && go test ./...", "go", ("skills/a",)),
        ("node --test ../tests", "node", ("skills/a/tests",)),
        ("npx vitest run ../tests", "vitest", ("skills/a/tests",)),
        ("jest", "jest", ("skills/a/fixtures",)),
        ("tox -e py", "tox", ("skills/a/fixtures",)),
        ("mvn -f .. test", "mvn", ("skills/a",)),
    ],
)
def test_a_test_runner_is_found_with_its_tests(command, name, paths):
    """Those that it names, or the folder in which it looks for them."""
    assert (KINDS.TEST_RUNNER, name, paths) in found(command)


@pytest.mark.parametrize(
    "command", ["npm install", "cargo build", "go vet ./...", "make", "node x.js", "deno run x.ts"]
)
def test_other_subcommands_run_no_tests(command):
    """The same program may do something else."""
    assert not [each for each in found(command) if each[0] is KINDS.TEST_RUNNER]


@pytest.mark.parametrize(
    "command", ["curl -s https://a.example/x", "wget -q https://a.example/x", "http GET https://a.example/x"]
)
def test_an_address_is_found(command):
    """With a client of HTTP."""
    assert [(KINDS.URL, "https://a.example/x", ())] == found(command)


def test_a_program_is_found_by_its_name():
    """Whether it is installed is for the trial to say."""
    assert [(KINDS.PROGRAM, "mytool", ())] == found(["mytool", "do"])
    assert [(KINDS.PROGRAM, "mytool", ())] == found(["/usr/local/bin/mytool", "do"])
    assert [(KINDS.PROGRAM, "mytool", ())] == found(["../.venv/bin/mytool", "do"])


@pytest.mark.parametrize(
    "command", ["echo ../run.sh", "cat ../run.sh", "x=../run.sh; $x", "awk -f ../run.sh", "> ../run.sh"]
)
def test_a_trivial_program_invokes_nothing(command):
    """Its arguments are data."""
    assert [] == found(command)


@pytest.mark.parametrize(
    ("command", "wiring"),
    [
        ("../run.sh --help", True),
        ("../run.sh -h", True),
        ("../run.sh sub --help", True),
        ("../run.sh --version", True),
        ("../run.sh version", True),
        ("../run.sh", False),
        ("../run.sh -h localhost x", False),
        ("../run.sh x help", False),
        ("../run.sh -- --help", False),
        ("../run.sh check --version 3 x", False),
        ("bash -n ../run.sh", True),
        ("pytest --collect-only", True),
        ("cargo test --no-run", True),
    ],
)
def test_asking_for_help_is_wiring(command, wiring):
    """So is whatever checks or lists without running."""
    assert [wiring] == [each.only_help for each in invocations(parse_command(["bash", "-c", command]), FACTS)]


def test_the_reach_of_the_command_is_kept():
    """An entry point is as sure as the command that invokes it."""
    parsed = parse_command(["bash", "-c", "../run.sh; x || ../run.sh; exit; ../run.sh"])
    scripts = [each for each in invocations(parsed, FACTS) if each.kind is KINDS.SCRIPT]

    assert [Reach.REACHED, Reach.CONDITIONAL, Reach.DEAD] == [each.reach for each in scripts]
