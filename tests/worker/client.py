"""Speaks the worker protocol as the main program would; standard library only, to work in other namespaces, too."""

import base64
import json
import os
import socket
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(__file__), *[os.pardir] * 2, "src", "agentic_evals", "adapters", "worker")


class WorkerProcess:
    """A worker of our own and the socket to it."""

    def __init__(self, folder=FOLDER, prefix=()):
        """Start it; `prefix` are the words of a command that executes it."""
        ours, theirs = socket.socketpair()
        command = [*prefix, sys.executable, "-S", "-E", "-I", os.path.abspath(folder), "--fd", str(theirs.fileno())]
        self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        theirs.close()
        self.socket = ours
        self._file = ours.makefile("rb")

    @property
    def pid(self):
        """The worker's pid."""
        return self.process.pid

    def send(self, request):
        """Send a request without waiting for the reply."""
        self.socket.sendall(json.dumps(request).encode() + b"\n")

    def receive(self):
        """Return the next reply, None when the worker is gone."""
        line = self._file.readline()
        return json.loads(line) if line else None

    def ask(self, **request):
        """Send a request and return its reply."""
        self.send(request)
        return self.receive()

    def trial(self, job):
        """Run a trial and return its capture; anything else is an error of the test."""
        reply = self.ask(op="trial", job=job)
        assert reply is not None, "the worker is gone"
        assert reply["ok"], reply
        return reply["capture"]

    def close(self):
        """Hang up and wait for the worker's end; return its exit code."""
        self._file.close()
        self.socket.close()
        return self.process.wait(timeout=30)


def make_room(workspace, scratch, mode="shared", **more):
    """Return a RoomSpec; makes `scratch` with its spool."""
    os.makedirs(os.path.join(scratch, "spool"), mode=0o700, exist_ok=True)
    return {"workspace": str(workspace), "also": [], "mode": mode, "scratch": str(scratch), "replace": [], **more}


def make_job(room, *argv, **more):
    """Return a TrialJob that runs `argv` in the workspace with a plain PATH."""
    return {
        "schema": "agentic_evals.trial_job.v1",
        "id": "case/1",
        "room": room,
        "argv": list(argv),
        "cwd": room["workspace"],
        "env": {"PATH": "/usr/local/bin:/usr/bin:/bin"},
        "tmp_env": ["TMPDIR"],
        "trajectory_env": None,
        "replace_tokens": {},
        "stdin": {"kind": "closed"},
        "timeout_ms": 20000,
        "term_grace_ms": 200,
        "leak_grace_ms": 200,
        "max_output": 1 << 31,
        "spool": os.path.join(room["scratch"], "spool"),
        "observe": [],
        **more,
    }


def text(blob):
    """Return a small stream as text."""
    assert blob["file"] is None, blob
    return (base64.b64decode(blob["head"]) + base64.b64decode(blob["tail"])).decode()
