"""Whatever a command does to outlive its trial, nothing of it is alive afterwards, and what was left is named."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
WORKER = TESTS.parent / "src" / "agentic_evals" / "adapters" / "worker"
TECHNIQUES = (
    "bg setpgid setsid daemon stealth nosig stopped cloneparent subreaper newpidns hopper pipehold bomb".split()
)
NAMESPACE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
ROOT = os.geteuid() == 0


@pytest.fixture(scope="module")
def stage():
    """Return a folder that every user can read, with the worker and the programs in it."""
    folder = Path(tempfile.mkdtemp(prefix="worker-escapes-", dir="/tmp"))
    folder.chmod(0o755)
    shutil.copytree(WORKER, folder / "worker", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("worker/client.py", "worker/escape_driver.py", "programs/escapes.py", "programs/dockerlike.py"):
        shutil.copy(TESTS / name, folder)
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=False)


def interpreter_for(user):
    """Return a Python 3.11 or later that `user` may execute: the tests' own may lie in a closed home folder."""
    if user != "nobody":
        return sys.executable
    recent = "import ctypes, os, sys; sys.exit(sys.version_info < (3, 11) or not os.access(sys.executable, 1))"
    for candidate in (os.path.realpath(sys.executable), "/usr/bin/python3", "/usr/local/bin/python3"):
        if (
            subprocess.run([*NOBODY, candidate, "-c", recent], capture_output=True, check=False, cwd="/").returncode
            == 0
        ):
            return candidate
    pytest.skip("no Python 3.11 that every user may execute")
    return None


def run_driver(stage, user, mode, pairs):
    """Run the driver as `user` and return its rows, the last one being the end of the worker."""
    base = stage / f"base-{os.urandom(4).hex()}"
    base.mkdir(mode=0o700)
    command = [
        interpreter_for(user),
        "-S",
        "-E",
        str(stage / "escape_driver.py"),
        str(stage / "worker"),
        str(base),
        mode,
    ]
    if not ROOT:
        command = [*NAMESPACE[:1], "--user", "--map-current-user", *NAMESPACE[1:], *command]
    elif user == "root":
        command = [*NAMESPACE, *command]
    elif user == "nobody":
        os.chown(base, 65534, 65534)
        command = [*NAMESPACE, *NOBODY, *command]
    else:
        command = [*NAMESPACE, sys.executable, str(stage / "dockerlike.py"), *command]
    done = subprocess.run([*command, *pairs], stdout=subprocess.PIPE, timeout=110, check=False, cwd="/")
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(rows, pairs):
    """Compare what happened with what must."""
    assert len(rows) == len(pairs) + 1, rows
    for row in rows[:-1]:
        assert row["alive"] == [], row
        assert row["no_survivors"] == "verified", row
        if row["then"] == "hang":
            assert row["termination"] == {"kind": "timed_out"}, row
            assert row["leaked"] == [], row
            assert row["killed"] >= (0 if row["technique"] == "bg" else 1), (
                row
            )  # SIGTERM to the group ends a plain child
            assert row["seconds"] < 5, row
        else:
            assert row["termination"] == {"kind": "exited", "code": 0}, row
            assert row["leaked"], row
            assert len({process["pid"] for process in row["leaked"]}) == len(row["leaked"]), row
            assert row["duration_ms"] < 5000, row
            assert row["seconds"] < 5, row
    assert rows[-1] == {"exit": 0, "alive": [], "left": ["spool"]}


def pairs_of(techniques):
    """Return each technique with both ways to go on."""
    return [f"{technique}/{then}" for technique in techniques for then in ("exit", "hang")]


USERS = ["root", "nobody"] if ROOT else ["self"]


@pytest.mark.parametrize("user", USERS)
def test_thirteen_techniques_leave_nothing_alive(stage, user):
    """After each of 13 techniques, ended or hanging, the pid namespace holds no process but the runner's."""
    pairs = pairs_of(TECHNIQUES)
    check(run_driver(stage, user, "shared", pairs), pairs)


@pytest.mark.parametrize("user", USERS)
def test_a_private_view_changes_nothing_about_teardown(stage, user):
    """Also inside an overlay, where the worker has privileges that the trial has not, nothing is left."""
    pairs = pairs_of(["daemon", "hopper", "newpidns", "stealth"])
    check(run_driver(stage, user, "overlay", pairs), pairs)


@pytest.mark.long
@pytest.mark.parametrize("user", [*USERS, "docker"] if ROOT else USERS)
@pytest.mark.parametrize("mode", ["shared", "auto"])
def test_every_technique_three_times(stage, user, mode):
    """The same holds again and again, in every room, and under what Docker allows by default."""
    pairs = pairs_of(TECHNIQUES) * 3
    check(run_driver(stage, user, mode, pairs), pairs)
