"""Each import contract holds, and is shown to fail when it is broken."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib

import pytest

from tests.house.support import CHECKOUT, development_tool

PACKAGE = CHECKOUT / "src" / "agentic_evals"

BROKEN = {
    "a decision that renders": ("layers", "rules/broken.py", "import agentic_evals.reports"),
    "a step that knows an adapter": ("layers", "flows/broken.py", "import agentic_evals.adapters"),
    "a value that knows a port": ("layers", "model/broken.py", "import agentic_evals.ports"),
    "a flow that knows the command line": ("layers", "flows/broken.py", "import agentic_evals.cli"),
    "an adapter that decides": ("adapters", "adapters/broken.py", "import agentic_evals.rules"),
    "an adapter that renders": ("adapters", "adapters/broken.py", "import agentic_evals.reports"),
    "a value that reads the clock": ("pure", "model/broken.py", "import time"),
    "a decision that starts a process": ("pure", "rules/broken.py", "import subprocess"),
    "a decision that searches for its rules": ("pure", "rules/broken.py", "import agentic_evals.discovery"),
    "a renderer that reads files": ("pure", "reports/broken.py", "import os"),
    "a worker that knows us": ("worker", "adapters/worker/broken.py", "import agentic_evals.model"),
}


def contracts():
    """Return the contracts of pyproject.toml, by id."""
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]
    return {contract["id"]: contract for contract in settings["contracts"]}


def lint(folder, *arguments):
    """Run lint-imports on a copy of the package."""
    return subprocess.run(
        [development_tool("lint-imports"), "--no-logo", "--no-cache", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path):
    """Copy the package and its settings."""
    shutil.copytree(PACKAGE, tmp_path / "src" / "agentic_evals", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    return tmp_path


def test_every_contract_is_kept(copy):
    """Unbroken, every contract holds."""
    done = lint(copy)

    assert (0, True) == (
        done.returncode,
        f"{len(contracts())} kept, 0 broken" in done.stdout,
    ), done.stdout + done.stderr


def test_every_contract_has_a_case_that_breaks_it():
    """No contract is here that nothing was shown to break."""
    assert set(contracts()) == {contract for contract, _, _ in BROKEN.values()}


@pytest.mark.parametrize(("contract", "file", "offence"), BROKEN.values(), ids=BROKEN)
def test_one_offending_import_breaks_the_contract(copy, contract, file, offence):
    """One import in the wrong place fails the lint, which names the contract."""
    path = copy / "src" / "agentic_evals" / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'"""Breaks a contract."""\n\n{offence}\n')

    done = lint(copy, "--contract", contract)

    assert (1, True) == (
        done.returncode,
        f"{contracts()[contract]['name']} BROKEN" in done.stdout,
    ), done.stdout + done.stderr


def test_a_new_package_must_be_placed(copy):
    """A package `utils` fails the lint until somebody says where it belongs."""
    utils = copy / "src" / "agentic_evals" / "utils"
    utils.mkdir()
    (utils / "__init__.py").write_text('"""Everything that nobody could place."""\n')

    done = lint(copy, "--contract", "layers")

    assert (1, True) == (done.returncode, "utils" in done.stdout), done.stdout + done.stderr


def test_the_worker_is_seen_by_the_contracts():
    """The worker is a package: a folder without `__init__.py` would be passed over, and its contract be empty."""
    assert (PACKAGE / "adapters" / "worker" / "__init__.py").is_file()


INNER_MODULES = {"_sha2", "_sha256"}
"""Of the standard library, each in some of the versions that we support."""


def runtime_imports(tree):
    """Yield what a module imports when it runs: `if TYPE_CHECKING:` is passed over."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            waiting += node.orelse
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module if node.level == 0 else "."
        else:
            waiting += ast.iter_child_nodes(node)


@pytest.mark.parametrize("file", sorted((PACKAGE / "adapters" / "worker").glob("*.py")), ids=lambda file: file.name)
def test_the_worker_needs_the_standard_library_and_itself(file):
    """A file of the worker imports only the standard library and its own siblings, by their bare names."""
    siblings = {path.stem for path in file.parent.glob("*.py")}
    imported = {name.partition(".")[0] for name in runtime_imports(ast.parse(file.read_text()))}

    assert set() == imported - siblings - set(sys.stdlib_module_names) - INNER_MODULES
