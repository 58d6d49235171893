"""Copies of this checkout, and the tools that tests of the house call."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

_OURS = ("AGENTIC_EVALS_", "HYPOTHESIS_", "PYTEST_", "PYTHON", "XDG_")
_OURS_EXACTLY = {"HOME", "LINT_FAILED", "MYPYPATH", "VIRTUAL_ENV"}


def strangers_environment(**more):
    """Return this process's environment without what the test suite, or a user's settings, put there."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(_OURS) and name not in _OURS_EXACTLY
    }
    return kept | more


def sources():
    """List the files that make up this checkout: tracked ones, and new ones that are not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=CHECKOUT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    return [name for name in sorted(set(listed.split("\0")) - {""}) if (CHECKOUT / name).is_file()]


def copy_checkout(target):
    """Make a git checkout with our files, all of them committed."""
    for name in sources():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(CHECKOUT / name, target / name, follow_symlinks=False)
    commit_all(target)
    return target


def commit_all(folder):
    """Commit everything below a folder."""
    identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost", "-c", "core.hooksPath=/dev/null"]
    git = ["git", *identity]
    subprocess.run([*git, "init", "--quiet", "--initial-branch=main"], cwd=folder, check=True)
    subprocess.run([*git, "add", "--all"], cwd=folder, check=True)
    subprocess.run([*git, "commit", "--quiet", "--message=all"], cwd=folder, check=True)


def untracked(folder):
    """List everything below a checkout that is not committed as it stands, ignored files included."""
    return subprocess.run(
        ["git", "status", "--porcelain", "--ignored", "--untracked-files=all"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def development_tool(name):
    """Return the path of a tool that is installed beside this Python."""
    return str(Path(sys.executable).parent / name)
