"""What the tests of the worker share: a workspace, a scratch folder, and workers that are always closed."""

import os
import subprocess

import pytest

from tests.worker.client import WorkerProcess, make_room


@pytest.fixture
def workspace(tmp_path):
    """Return a small workspace."""
    folder = tmp_path / "workspace"
    (folder / "sub").mkdir(parents=True)
    (folder / "old.txt").write_text("old\n")
    (folder / "sub" / "deep.txt").write_text("deep\n")
    return folder


@pytest.fixture
def scratch(tmp_path):
    """Return where rooms keep their things."""
    return tmp_path / "scratch"


@pytest.fixture
def start_worker():
    """Return a function that starts a worker; all are closed at the end."""
    started = []

    def start(**options):
        started.append(WorkerProcess(**options))
        return started[-1]

    yield start
    for worker in started:
        worker.close()


@pytest.fixture
def worker(start_worker):
    """Return a running worker."""
    return start_worker()


@pytest.fixture
def shared(workspace, scratch):
    """Return the room in place."""
    return make_room(workspace, scratch, "shared")


@pytest.fixture
def overlay(workspace, scratch, start_worker):
    """Return a room with a private view, where this machine gives one."""
    room = make_room(workspace, scratch, "overlay")
    worker = start_worker()
    reply = worker.ask(op="probe", room=room)
    worker.close()
    if not reply["ok"]:
        pytest.skip(f"no overlay here: {reply['error']['message']}")
    return room


@pytest.fixture
def git(tmp_path):
    """Return a function that runs git with a fixed identity and no configuration of the user's."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }

    def run(*words, cwd):
        done = subprocess.run(["git", *words], cwd=cwd, env=env, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    run.env = env
    return run
