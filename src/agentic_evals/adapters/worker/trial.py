"""Runs one job in an open room and gathers its Capture."""

from __future__ import annotations

import os
import stat
import time

import spawn
from observing import Observer
from protocol import CAPTURE_SCHEMA
from spawn import CannotStart
from streams import Capture, Spool
from supervise import Ending, Supervision
from teardown import Reaper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from folders import Folders
    from protocol import Stdin, TrialJob
    from supervise import PeerWatch
    from trace_recorder import Recording
    from view import View

_CHUNK = 64 * 1024
NOT_RECORDED = {"recorder": "off", "grade": "none", "lost": 0, "why": None, "changed": [], "count": 0, "events": []}
"""The Record of a trial for which none was asked."""


class Trial:
    """One job on its way through a room."""

    def __init__(self, job: TrialJob, view: View, folders: Folders, spools: dict[str, Spool]) -> None:
        """Prepare names and captures; nothing runs yet. Raises `OSError` when the trial's folders cannot be made."""
        self._job = job
        self._view = view
        self._spool = spools.setdefault(job.spool, Spool(job.spool))
        self._tmp = folders.fresh_tmp()
        self._trajectory = folders.fresh_trajectory() if job.trajectory_env else None
        self._observer = Observer(view, job.cwd, self._spool)
        self._captures = {name: Capture(self._spool, name, job.max_output) for name in ("stdout", "stderr")}
        self._recording = self._record() if job.recorder != "off" else None

    def _record(self) -> Recording:
        from trace_recorder import Recording

        regions = [self._view.root, self._tmp, *map(self._view.locate, self._job.trace.regions)]
        return Recording(self._job.recorder, regions, self._spool, self._view)

    def run(self, peer: PeerWatch) -> dict[str, object]:
        """Run the command to its end and return the Capture.

        Raises:
            PeerGone: when the asking side hangs up.
            SpoolError: when a stream or a file could not be kept whole.
        """
        before = self._observer.look_before(self._job.observe)
        started_unix_ms = int(time.time() * 1000)
        try:
            ending, usage = self._run_command(peer)
            capture = self._capture(ending)
            capture["record"] = self._recording.finish() if self._recording else NOT_RECORDED
            capture["observed"] = [self._observer.look(one, before) for one in self._job.observe]
        except BaseException:
            for stream in self._captures.values():
                stream.discard()
            if self._recording is not None:
                self._recording.discard()
            raise
        capture["started_unix_ms"] = started_unix_ms
        capture["rusage"] = usage
        return capture

    def _run_command(self, peer: PeerWatch) -> tuple[Ending, dict[str, object]]:
        self._view.note_use()
        try:
            start = self._recording.start if self._recording else spawn.start
            started = start(
                [self._replaced(word) for word in self._job.argv],
                self._environment(),
                self._view.locate(self._job.cwd),
                self._stdin(),
            )
        except CannotStart as error:
            return _never_started(error), Reaper(-1).usage()
        supervision = Supervision(peer, started, self._captures)
        return supervision.run(self._job), supervision.reaper.usage()

    def _replaced(self, text: str) -> str:
        for token, meaning in self._job.replace_tokens.items():
            text = text.replace(token, self._tmp if meaning == "tmp" else self._view.root)
        return text

    def _environment(self) -> dict[str, str]:
        if self._job.replace_tokens:
            env = {name: self._replaced(value) for name, value in self._job.env.items()}
        else:
            env = dict(self._job.env)
        for name in self._job.tmp_env:
            env[name] = self._tmp
        if self._job.trajectory_env and self._trajectory:
            env[self._job.trajectory_env] = self._trajectory
        return env

    def _stdin(self) -> Stdin:
        stdin = self._job.stdin
        if stdin.kind == "file":
            stdin.path = self._view.locate(stdin.path)
        elif stdin.data and self._job.replace_tokens:
            text = self._replaced(stdin.data.decode("utf-8", "surrogateescape"))
            stdin.data = text.encode("utf-8", "surrogateescape")
        return stdin

    def _capture(self, ending: Ending) -> dict[str, object]:
        streams: dict[str, object] = {name: stream.finish() for name, stream in self._captures.items()}
        streams["trajectory"] = self._read_trajectory()
        changes, truncated = self._view.changes()
        return {
            "schema": CAPTURE_SCHEMA,
            "id": self._job.id,
            "termination": ending.termination,
            "duration_ms": round(ending.duration_ms, 3),
            "leaked": ending.leaked,
            **ending.teardown.document(),
            "streams": streams,
            "room": self._view.facts(),
            "changes": changes,
            "changes_truncated": truncated,
        }

    def _read_trajectory(self) -> dict[str, object] | None:
        """Return the steps that the command logged; None where it took the file away or put something else there."""
        if self._trajectory is None:
            return None
        capture = Capture(self._spool, "trajectory", self._job.max_output)
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(self._trajectory, flags)
        except OSError:
            return None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            while not capture.failed and (chunk := os.read(descriptor, _CHUNK)):
                capture.add(chunk)
        finally:
            os.close(descriptor)
        return capture.finish()


def _never_started(error: CannotStart) -> Ending:
    ending = Ending()
    ending.termination = {"kind": "failed_to_start", "errno": error.errno, "message": str(error)}
    ending.teardown.proven = Reaper(-1).collect()
    ending.teardown.evidence = "ECHILD" if ending.teardown.proven else "a child of the worker is still alive"
    return ending
