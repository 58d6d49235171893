"""Also a traced command leaves nothing alive, whatever it does to outlive its trial."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.worker.test_escapes import ROOT, TECHNIQUES, TESTS, USERS, WORKER, check, pairs_of, run_driver

COPIES = {
    "worker/client.py": "client.py",
    "worker/escape_driver.py": "plain_escape_driver.py",
    "programs/traced_escapes.py": "escape_driver.py",
    "programs/escapes.py": "escapes.py",
    "programs/dockerlike.py": "dockerlike.py",
}


@pytest.fixture(scope="module")
def stage():
    """Return a folder that every user can read, with the worker and a driver that traces."""
    folder = Path(tempfile.mkdtemp(prefix="worker-traced-escapes-", dir="/tmp"))
    folder.chmod(0o755)
    shutil.copytree(WORKER, folder / "worker", ignore=shutil.ignore_patterns("__pycache__"))
    for source, name in COPIES.items():
        shutil.copy(TESTS / source, folder / name)
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=False)


@pytest.mark.parametrize("user", USERS)
def test_traced_techniques_leave_nothing_alive(stage, user):
    """After the hardest techniques under trace, ended or hanging, the pid namespace holds only the runner."""
    pairs = pairs_of(["stealth", "stopped", "cloneparent", "newpidns", "hopper"])
    check(run_driver(stage, user, "shared", pairs), pairs)


@pytest.mark.long
@pytest.mark.parametrize("user", [*USERS, "docker"] if ROOT else USERS)
@pytest.mark.parametrize("mode", ["shared", "auto"])
def test_every_traced_technique_twice(stage, user, mode):
    """The same holds again, in every room, and under what Docker allows by default."""
    pairs = pairs_of(TECHNIQUES) * 2
    check(run_driver(stage, user, mode, pairs), pairs)
