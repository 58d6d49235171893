"""The documentation tells the truth: its commands run as shown, its links resolve, its tables are complete.

In a page, the blocks are carried out in order in a fresh copy of this checkout:

* a block `console` holds commands after `$ ` (continued after `> `), each followed by what it prints;
  a printed line must occur in the output, in this order, `…` stands for anything;
  a line `# exits N` says how the command ends, where that is not 0;
* any other block with `file=PATH` in its info string is written to that file.
"""

import re
import subprocess
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.house.support import CHECKOUT, copy_checkout, strangers_environment

PAGES = sorted([*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").rglob("*.md")])

FENCE = re.compile(
    r"^(?P<indent> *)(?P<ticks>`{3,})(?P<info>[^`\n]*)\n(?P<body>.*?)^(?P=indent)(?P=ticks)[ ]*$",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\((?P<target>[^()\s]+)\)")
EXITS = re.compile(r"^# exits (\d+)$")

# Commands that would start this very test again, or need minutes; test_run_sh.py carries them out.
ELSEWHERE = ("./run.sh test", "scripts/lock.sh", "git ", "benchmarks/")


@dataclass
class Command:
    """A command of a page, and what the page says of it."""

    text: str
    shown: list[str] = field(default_factory=list)
    code: int = 0


@dataclass
class File:
    """A file that a page has its reader write."""

    path: str
    text: str


def name(page):
    """Return a page's path as a reader would write it."""
    return str(page.relative_to(CHECKOUT))


def blocks(page):
    """Yield the info string and the text of each fenced block."""
    for fence in FENCE.finditer(page.read_text()):
        yield fence["info"].strip(), textwrap.dedent(fence["body"])


def commands(text):
    """Read a console block."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:]))
        elif line.startswith("> ") and found and not found[-1].shown:
            found[-1].text += "\n" + line[2:]
        elif exits := EXITS.match(line):
            found[-1].code = int(exits[1])
        elif line.strip():
            found[-1].shown.append(line)
    return found


def steps(page):
    """Return what a reader of the page does, in order."""
    found = []
    for info, text in blocks(page):
        if info.split(" ")[0] == "console":
            found += commands(text)
        elif wanted := re.search(r"\bfile=(\S+)", info):
            found.append(File(wanted[1], text))
    return [step for step in found if isinstance(step, File) or not step.text.startswith(ELSEWHERE)]


def missing_lines(shown, output):
    """Return the first shown line that the output does not have in its turn."""
    lines = [" ".join(line.split()) for line in output.splitlines()]
    position = 0
    for line in shown:
        pattern = re.compile(".*".join(re.escape(part) for part in " ".join(line.split()).split("…")))
        while position < len(lines) and not pattern.search(lines[position]):
            position += 1
        if position == len(lines):
            return line
        position += 1
    return None


RUNNABLE = [page for page in PAGES if any(isinstance(step, Command) for step in steps(page))]


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", RUNNABLE, ids=name)
def test_the_page_does_what_it_says(page, tmp_path):
    """Every command of the page ends as the page says, and prints what it shows."""
    checkout = copy_checkout(tmp_path / "checkout")
    environment = strangers_environment(XDG_STATE_HOME=str(tmp_path / "state"), HOME=str(Path.home()), COLUMNS="120")

    for step in steps(page):
        if isinstance(step, File):
            path = checkout / step.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text)
            continue
        done = subprocess.run(
            ["bash", "-c", step.text],
            cwd=checkout,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        assert (step.text, step.code) == (step.text, done.returncode), done.stdout
        assert missing_lines(step.shown, done.stdout) is None, done.stdout


def anchors(page):
    """Return the anchors of a page's headings."""
    text = FENCE.sub("", page.read_text())
    headings = re.findall(r"^#+ +(.+?) *$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_between_pages_resolve(page):
    """Every relative link of the page leads to a file of this repository, and to a heading where it names one."""
    broken = []
    for link in LINK.finditer(FENCE.sub("", page.read_text())):
        target, _, anchor = link["target"].partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = (page.parent / target).resolve() if target else page
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            broken.append(link["target"])

    assert [] == broken


def test_every_page_is_reached_from_the_index():
    """Whoever starts at README.md finds every page of docs."""
    reached, waiting = set(), [CHECKOUT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md" or not page.is_file():
            continue
        reached.add(page)
        for link in LINK.finditer(FENCE.sub("", page.read_text())):
            target = link["target"].partition("#")[0]
            if target and not re.match(r"[a-z]+:", target):
                there = (page.parent / target).resolve()
                waiting += sorted(there.glob("*.md")) if there.is_dir() else [there]

    assert [] == [name(page) for page in PAGES if page not in reached and "docs" in page.parts]


def test_every_exit_code_is_documented():
    """docs/reference/exit-codes.md has a row for each member of ExitCode, and no other."""
    from agentic_evals.model.errors import ExitCode

    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", (CHECKOUT / "docs/reference/exit-codes.md").read_text(), re.MULTILINE)

    assert [(code.value, code.name) for code in sorted(ExitCode)] == sorted((int(code), word) for code, word in rows)


def test_the_readme_shows_the_same_exit_codes():
    """README's table names each exit code as the reference does."""
    table = re.compile(r"^\| (\d+) \| `(\w+)` \|", re.MULTILINE)

    assert set(table.findall((CHECKOUT / "docs/reference/exit-codes.md").read_text())) == set(
        table.findall((CHECKOUT / "README.md").read_text())
    )


def test_every_environment_variable_is_documented():
    """A variable of ours that the source names has its row in docs/reference/environment.md."""
    page = (CHECKOUT / "docs/reference/environment.md").read_text()
    named = set()
    for file in (CHECKOUT / "src").rglob("*.py"):
        named |= set(re.findall(r"AGENTIC_EVALS_[A-Z_]*[A-Z]", file.read_text()))

    assert [] == sorted(variable for variable in named if f"`{variable}`" not in page)


def test_changelog_fragments_are_named_well():
    """A fragment's name says its issue and its type, so that it is not lost at a release."""
    types = "added|changed|deprecated|removed|fixed|security|contributor"
    fragments = [path.name for path in (CHECKOUT / "changelog.d").glob("*") if path.name != "README.md"]

    assert [] == [
        fragment for fragment in fragments if not re.fullmatch(rf"(\d+|\+[a-z0-9-]+)\.({types})(\.\d+)?\.md", fragment)
    ]


def test_the_blocks_of_a_page_are_read():
    """The reader of pages sees commands, their continuation, what they print and how they end."""
    read = commands("$ one \\\n>   two\nprinted …\n# exits 3\n$ three\n")

    assert [("one \\\n  two", ["printed …"], 3), ("three", [], 0)] == [
        (command.text, command.shown, command.code) for command in read
    ]


@pytest.mark.parametrize(
    ("shown", "missing"),
    [(["a", "c …"], None), (["b 1", "a"], "a"), (["c … f"], "c … f"), (["… e"], None)],
)
def test_shown_lines_are_compared_in_order(shown, missing):
    """A shown line must be printed, after the one shown before it."""
    assert missing == missing_lines(shown, "a\nb   1\nc d e\n")
