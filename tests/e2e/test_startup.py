"""What a start loads: counted by modules, since a clock says more about the machine than about the program."""

import subprocess
import sys

import pytest

from tests.e2e.program import READY

HEAVY = ("asyncio", "jinja2", "pydantic", "re2", "rich", "ruamel", "tree_sitter", "tree_sitter_json")
"""Packages that showing a page of help or a version has no use for."""
UNUSED_BY_RUN = (
    "asyncio",
    "importlib.metadata",
    "jinja2",
    "markdown_it",
    "networkx",
    "rich",
    "ruamel",
    "tree_sitter_json",
)
"""Packages that an admitted fixture in JSON whose cases pass has no use for."""


def loaded(program, *arguments, cwd):
    """Return the names of all modules that a command line imports, and insist that it works."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "agentic_evals", *map(str, arguments)],
        cwd=cwd,
        env=program.environment(),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert READY == done.returncode, done.stderr[-2000:]
    lines = (line for line in done.stderr.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip() for line in lines}


def among(modules, packages):
    """Return which of the packages, or modules in them, are among the modules."""
    return [name for name in packages if any(one == name or one.startswith(f"{name}.") for one in modules)]


@pytest.mark.parametrize("option", ["--help", "-h", "--version"])
def test_a_page_costs_next_to_nothing(program, tmp_path, option):
    """Help and version load no package but our own, and of that only what they print."""
    modules = loaded(program, option, cwd=tmp_path)

    assert [] == among(modules, (*HEAVY, "click", "typing", "dataclasses", "json"))
    assert {"agentic_evals", "agentic_evals.cli", "agentic_evals.cli.front", "agentic_evals.cli.main"} >= {
        name for name in modules if name.startswith("agentic_evals")
    }


def test_the_help_of_a_command_loads_no_model(program, tmp_path):
    """The options of `run` are shown without the fixture's model, and without any library of a later step."""
    modules = loaded(program, "run", "--help", cwd=tmp_path)

    assert [] == among(modules, (*HEAVY, "agentic_evals.rules", "agentic_evals.flows", "agentic_evals.adapters"))


def test_a_run_loads_what_it_uses(program, sound):
    """A run of a small fixture leaves out what only other formats, pages and refusals need."""
    modules = loaded(program, "run", sound, cwd=sound.parent)

    assert {"pydantic", "agentic_evals.flows.evaluate"} <= modules
    assert [] == among(modules, UNUSED_BY_RUN)


def test_a_check_starts_no_part_that_runs_trials(program, sound):
    """`validate` loads neither the executor nor the store: it could not run anything."""
    modules = loaded(program, "validate", sound, cwd=sound.parent)

    assert [] == among(
        modules,
        (
            *UNUSED_BY_RUN,
            "agentic_evals.adapters.executors",
            "agentic_evals.adapters.process",
            "agentic_evals.adapters.store",
            "agentic_evals.adapters.worker_client",
        ),
    )


@pytest.mark.parametrize("first", [("--help",), ("--version",)])
def test_the_short_way_says_what_the_long_way_says(program, tmp_path, first):
    """The answer that imports nothing is the one that the group of commands itself would give."""
    other = {"--help": "--version", "--version": "--help"}[first[0]]
    short = program(*first, cwd=tmp_path)
    long = program(*first, other, cwd=tmp_path)  # two options are not answered at once

    assert (READY, READY) == (short.returncode, long.returncode)
    assert short.stdout == long.stdout


def test_a_page_that_nobody_reads_is_no_crash(program, tmp_path):
    """A closed pipe ends the page without a traceback."""
    done = subprocess.run(
        ["bash", "-c", 'exec 1> >(true); sleep 0.5; "$@"', "bash", sys.executable, "-m", "agentic_evals", "--help"],
        cwd=tmp_path,
        env=program.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert "Traceback" not in done.stderr
