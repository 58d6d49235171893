"""Runs the program as a user does, and writes small skills for it to evaluate."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.house.support import CHECKOUT, commit_all, strangers_environment

COMPILED = Path(tempfile.gettempdir()) / f"agentic-evals-tests-compiled-{os.getuid()}"
ENTRY = (sys.executable, "-m", "agentic_evals")
READY, REJECTED, USAGE, NOT_READY, ENVIRONMENT, INTEGRITY, INCONCLUSIVE, INTERRUPTED = 0, 1, 2, 3, 5, 6, 7, 130
PROGRAM = "a file of the skill"
"""The key of a case, never written, that holds the name and the text of the program it runs."""


class Program:
    """The program, with a home, a state folder and a folder for temporary files of its own."""

    def __init__(self, base, package=CHECKOUT / "src"):
        """Keep everything below `base`; `package` is the folder that holds `agentic_evals`."""
        self.base = base
        self.package = package
        self.state = base / "state"
        self.temporary = base / "temporary"
        self.temporary.mkdir(parents=True, exist_ok=True)

    def environment(self, **more):
        """Return the variables that it starts with."""
        return strangers_environment(
            **{
                "HOME": str(self.base),
                "XDG_STATE_HOME": str(self.state),
                "TMPDIR": str(self.temporary),
                "PYTHONPATH": str(self.package),
                "PYTHONPYCACHEPREFIX": os.environ.get("PYTHONPYCACHEPREFIX") or str(COMPILED),
                "COLUMNS": "120",
                "CI": "1",
                **more,
            }
        )

    def __call__(self, *arguments, cwd, entry=ENTRY, timeout=100, stdin="", **environment):
        """Run it to its end and return the completed process, with text for both streams."""
        return subprocess.run(
            [*entry, *map(str, arguments)],
            cwd=cwd,
            env=self.environment(**environment),
            input=stdin,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=timeout,
            check=False,
        )

    def start(self, *arguments, cwd, **environment):
        """Start it and return the running process, in a process group of its own."""
        return subprocess.Popen(
            [*ENTRY, *map(str, arguments)],
            cwd=cwd,
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def evaluate(self, fixture, *arguments, **environment):
        """Run a fixture from its skill's folder; return the process and the report, which must be there."""
        target = self.base / f"report-{time.monotonic_ns()}.json"
        done = self("run", fixture, "--output", target, *arguments, cwd=fixture.parent.parent, **environment)
        assert target.exists(), done.stderr
        return done, json.loads(target.read_text())

    def left_over(self):
        """List what is left of the private folders of runs."""
        return [str(path) for folder in self.temporary.glob("agentic-evals-*") for path in folder.iterdir()]


def case(name, text, expected=None, file=None, **more):
    """Return a positive case that runs the shell program `text`, a file of the skill."""
    file = file or f"{name}.sh"
    return {
        "name": name,
        "type": "positive",
        "command": ["sh", file],
        "workdir": "..",
        "expected": expected if expected is not None else {"exit_code": 0, "stdout_contains": ["it is done"]},
        PROGRAM: (file, text),
        **more,
    }


DOUBLE = """
case "$1" in
  *[!0-9]*) echo "refused: not a number"; exit 2 ;;
esac
echo "twice that is $(($1 * 2))"
"""
SOUND = (
    case(
        "doubles",
        DOUBLE,
        {"exit_code": 0, "stdout_contains": ["twice that is 42"]},
        command=["sh", "doubles.sh", "21"],
        real_world=True,
    ),
    case(
        "refuses",
        DOUBLE,
        {"exit_code": 2, "stdout_contains": ["refused: not a number"]},
        file="doubles.sh",
        type="negative",
        command=["sh", "doubles.sh", "x"],
    ),
)
"""A suite that meets the contract and is READY: tests add to it what they are about."""


def make_skill(folder, *cases, sound=SOUND, git=True, files=None, **manifest):
    """Write a skill with a fixture of the sound cases and `cases`; return the fixture's path."""
    suite = [*sound, *cases]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text("---\nname: sample\ndescription: A skill for tests.\n---\n\n# sample\n")
    programs = dict(one[PROGRAM] for one in suite if PROGRAM in one)
    for path, text in (programs | (files or {})).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    shown = [{key: value for key, value in one.items() if key != PROGRAM} for one in suite]
    fixture = folder / "fixtures" / "agentic_eval.json"
    fixture.parent.mkdir(exist_ok=True)
    fixture.write_text(json.dumps({"version": 2, "skill": "sample", "trials": 2, **manifest, "cases": shown}, indent=1))
    if git:
        commit_all(folder)
    return fixture


def outcomes(report):
    """Return the outcome of each case by its name."""
    return {one["name"]: one["outcome"] for one in report["cases"]}


def problems(report, name):
    """Return the problems of one case."""
    return next(one["problems"] for one in report["cases"] if one["name"] == name)


def living(marker):
    """Return the pids of the processes whose command line holds a text, without this one."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if marker.encode() in words:
                found.append(int(folder.name))
    return found


def until(condition, seconds=20.0):
    """Wait until something holds; return whether it does."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def contents(folder):
    """Return every file below a folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
