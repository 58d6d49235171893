"""What every test shares: the options `--all` and `--update-golden`, and a clean environment."""

import os
from pathlib import Path

import pytest


def pytest_addoption(parser):
    """Offer our two options."""
    group = parser.getgroup("agentic-evals")
    group.addoption("--all", action="store_true", help="Run the tests marked `long`, too.")
    group.addoption("--update-golden", action="store_true", help="Write the golden files anew.")


def pytest_configure():
    """Take the caller's settings of the program away: they are not part of what is tested."""
    for name in [name for name in os.environ if name.startswith("AGENTIC_EVALS_")]:
        del os.environ[name]


def pytest_collection_modifyitems(config, items):
    """Leave the long tests out unless they are asked for."""
    if config.getoption("--all"):
        return
    skip = pytest.mark.skip(reason="long; use --all")
    for item in items:
        if "long" in item.keywords:
            item.add_marker(skip)


def pytest_terminal_summary(terminalreporter):
    """Say beside the tests' result that run.sh found something to mend before them."""
    failed = os.environ.get("LINT_FAILED")
    if failed:
        terminalreporter.section("lint", red=True)
        terminalreporter.write_line(f"failed before the tests (see above): {failed}", red=True)


@pytest.fixture(scope="session")
def checkout():
    """Return the root of this checkout."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture
def update_golden(request):
    """Tell whether golden files are to be written anew."""
    return request.config.getoption("--update-golden")
