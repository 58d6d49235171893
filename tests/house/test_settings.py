"""The settings of this repository: locks, linters, and what they are shown to catch."""

import re
import subprocess
import tomllib

import pytest

from tests.house.support import CHECKOUT, development_tool

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
RUNTIME, DEVELOPMENT = "requirements.lock", "requirements-dev.lock"

BANNED = {
    "a file is opened by path": ("rules", "from pathlib import Path\n\n_HERE = Path()\n"),
    "the clock is read": ("model", "import datetime\n\n_NOW = datetime.datetime.now(tz=datetime.UTC)\n"),
    "an identity is drawn": ("flows", "import uuid\n\n_ID = uuid.uuid4()\n"),
    "chance is drawn": ("rules", "import random\n\n_DRAWN = random.choice\n"),
    "the environment is read": ("reports", "import os\n\n_HOME = os.environ\n"),
    "a process is started": ("flows", "import subprocess\n\n_RUN = subprocess.run\n"),
    "the process is ended": ("rules", "import sys\n\n_END = sys.exit\n"),
}


def pins(lock):
    """Return the pinned version of each distribution of a lock."""
    return dict(re.findall(r"^([a-z0-9-]+)==([^ ;\\]+)", (CHECKOUT / lock).read_text(), re.MULTILINE))


def names(requirements):
    """Return the normalised names of requirements."""
    return {re.match(r"[A-Za-z0-9._-]+", requirement)[0].lower().replace(".", "-") for requirement in requirements}


@pytest.mark.parametrize("lock", [RUNTIME, DEVELOPMENT])
def test_a_lock_holds_only_pins_and_hashes(lock):
    """A lock names no index, no address and no local path, and every pin has hashes."""
    lines = (CHECKOUT / lock).read_text().splitlines()
    strange = [line for line in lines if not re.match(r"[a-z0-9-]+==| +--hash=sha256:[0-9a-f]{64}( \\)?$", line)]
    unhashed = [
        line for line, after in zip(lines, [*lines[1:], ""], strict=True) if "==" in line and "--hash" not in after
    ]

    assert ([], []) == (strange, unhashed)


def test_what_the_program_needs_is_locked():
    """Every dependency has its pin, and the development lock has the same pin."""
    assert set() == names(PROJECT["project"]["dependencies"]) - pins(RUNTIME).keys()
    assert set() == names(PROJECT["dependency-groups"]["dev"]) - pins(DEVELOPMENT).keys()
    assert set() == set(pins(RUNTIME).items()) - set(pins(DEVELOPMENT).items())


def test_every_exception_of_the_linter_has_its_reason():
    """An ignored rule stands alone on its line, with the reason behind it."""
    text = (CHECKOUT / "pyproject.toml").read_text()
    ruff = text[text.index("[tool.ruff.lint]") : text.index("[tool.ruff.lint.flake8-tidy-imports]")]
    exceptions = re.findall(r'^ +"[A-Z]+[0-9]*",.*$', ruff, re.MULTILINE)

    assert exceptions
    assert [] == [line for line in exceptions if not re.search(r"# \S", line)]


def test_every_exception_in_the_source_has_its_reason():
    """A `noqa` or `type: ignore` names its rule and its reason."""
    silenced = re.compile(r"# (noqa|type: ignore)(?P<rest>.*)")
    well = re.compile(r"(: [A-Z]+[0-9]+(, [A-Z]+[0-9]+)*( -|  #) \w|\[[a-z, -]+\]  # \w)")
    found = [
        (str(file.relative_to(CHECKOUT)), number, line.strip())
        for file in sorted((CHECKOUT / "src").rglob("*.py"))
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if (match := silenced.search(line)) and not well.match(match["rest"])
    ]

    assert [] == found


@pytest.mark.parametrize(("package", "code"), BANNED.values(), ids=BANNED)
def test_an_effect_in_the_core_is_noticed(package, code):
    """The linter refuses the effect in the core, and allows it where effects belong."""

    def refused(folder):
        settings = ["--no-cache", "--select", "TID251", "--config", str(CHECKOUT / "pyproject.toml")]
        name = str(CHECKOUT / "src" / "agentic_evals" / folder / "example.py")
        return subprocess.run(
            [development_tool("ruff"), "check", *settings, "--stdin-filename", name, "-"],
            input=code,
            cwd=CHECKOUT,
            capture_output=True,
            text=True,
            check=False,
        ).stdout.count("TID251")

    assert (True, False) == (refused(package) > 0, refused("adapters") > 0)
