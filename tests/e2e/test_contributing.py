"""The pages of CONTRIBUTING say all that is needed: they are carried out word for word in a copy of this checkout."""

import re
import subprocess
import sys

import pytest

from tests.e2e.program import Program
from tests.house.support import CHECKOUT, copy_checkout
from tests.house.test_docs import Command, File, blocks, commands, missing_lines

PAGES = sorted(CHECKOUT.glob("docs/how-to/add-*.md"))
FIRST = CHECKOUT / "docs" / "how-to" / "add-an-operator.md"
RUN_SH = """#!/bin/sh
# Stands in for run.sh: the environment is there already.
export PYTHONPATH="$(cd "$(dirname "$0")" && pwd)/src"
if [ "$1" = test ]; then
  shift
  cd "$(dirname "$0")" && exec {python} -m pytest -q -p no:cacheprovider -p no:randomly "$@"
fi
exec {python} -m agentic_evals "$@"
"""


def what_a_reader_does(page):
    """Return the files that the page has its reader write and the commands it has them run, in order."""
    found = []
    for info, text in blocks(page):
        if info.split(" ")[0] == "console":
            found += commands(text)
        elif wanted := re.search(r"\bfile=(\S+)", info):
            found.append(File(wanted[1], text))
    return found


def files_of_tests(steps):
    """Return the test files among what was written."""
    return [step.path for step in steps if isinstance(step, File) and re.search(r"(^|/)test_\w+\.py$", step.path)]


def leaves_of(steps):
    """Return the files of the source among what was written."""
    return [step.path for step in steps if isinstance(step, File) and step.path.startswith("src/")]


def shell(text, checkout, program):
    """Run a line of shell in the copy; return the completed process."""
    return subprocess.run(
        ["bash", "-c", text],
        cwd=checkout,
        env=program.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=280,
        check=False,
    )


@pytest.fixture
def prepared(tmp_path):
    """Return a copy of this checkout whose run.sh uses the environment of these tests."""
    checkout = copy_checkout(tmp_path / "checkout")
    (checkout / "run.sh").write_text(RUN_SH.format(python=sys.executable))
    subprocess.run(["git", "update-index", "--assume-unchanged", "run.sh"], cwd=checkout, check=True)
    return checkout


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[] if page == FIRST else pytest.mark.long, id=page.stem) for page in PAGES]
)
def test_a_page_for_contributors_is_carried_out_word_for_word(prepared, tmp_path, page):
    """What the page has its reader write and run works as shown, edits no source file, and leaves nothing to add."""
    program = Program(tmp_path / "home", prepared / "src")
    steps = what_a_reader_does(page)

    for step in steps:
        if isinstance(step, File):
            assert not (prepared / step.path).exists(), f"{step.path} is edited: a leaf is one new file"
            (prepared / step.path).parent.mkdir(parents=True, exist_ok=True)
            (prepared / step.path).write_text(step.text)
            continue
        if step.text.startswith("./run.sh test"):
            continue  # carried out below, for all files of tests that the page names or writes
        done = shell(step.text, prepared, program)
        assert (step.text, step.code) == (step.text, done.returncode), done.stdout
        assert missing_lines(step.shown, done.stdout) is None, done.stdout

    assert 1 == len(leaves_of(steps))
    changed = shell("git status --porcelain --untracked-files=all src", prepared, program)
    assert f"?? {leaves_of(steps)[0]}\n" == changed.stdout
    asked = [*files_of_tests(steps), "tests/test_completeness.py -k 'leaf or has_its_page'"]
    for tests in asked:
        done = shell(f"./run.sh test {tests}", prepared, program)
        assert 0 == done.returncode, done.stdout


def test_every_kind_of_leaf_has_its_page():
    """CONTRIBUTING's table leads to a page for each kind, and the page writes a leaf where the table says."""
    rows = re.findall(
        r"^\| .+? \| `(\S+?)/<\w+>\.py` \| `\w+` \| \[page\]\((\S+)\) \|$", text_of_contributing(), re.MULTILINE
    )
    written = {leaves_of(what_a_reader_does(CHECKOUT / page))[0].rpartition("/")[0] for _, page in rows}

    assert {page.name for page in PAGES} == {page.rpartition("/")[2] for _, page in rows}
    assert {f"src/agentic_evals/{folder}" for folder, _ in rows} == written


def text_of_contributing():
    """Return CONTRIBUTING.md."""
    return (CHECKOUT / "CONTRIBUTING.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_says_what_its_leaf_is_tested_by(page):
    """Each page has its reader write a test or names the suite that takes the new leaf, and uses the leaf."""
    steps = what_a_reader_does(page)

    assert files_of_tests(steps) or "tests/contracts" in page.read_text()
    assert any(isinstance(step, Command) for step in steps)
