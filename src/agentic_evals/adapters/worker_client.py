"""One supervising worker, from the outside: starting it, talking JSON lines with it, noticing its death."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

from agentic_evals.adapters.spool import SpooledFile
from agentic_evals.model.errors import EnvironmentUnfit
from agentic_evals.model.event import Record, RecordedEvent
from agentic_evals.model.trial import (
    Blob,
    Capture,
    Exited,
    FailedToStart,
    Observed,
    OutputLimit,
    ProcessNote,
    RoomFacts,
    Signalled,
    Termination,
    TimedOut,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agentic_evals.model.trial import RoomSpec

FOLDER: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker")
_FAREWELL_SECONDS: Final = 15.0
_READ_BYTES: Final = 262_144


def start_command() -> list[str]:
    """Return the argv that starts a worker: isolated, without site, its byte code where ours is kept."""
    byte_code = ["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else []
    return [sys.executable, "-S", "-E", "-I", *byte_code, FOLDER]


class WorkerDied(Exception):
    """The worker is gone; what it supervised has come to us."""


class RequestRefused(EnvironmentUnfit):
    """The worker could not do what it was asked."""


class Worker:
    """A worker process and the socket to it."""

    def __init__(self) -> None:
        """Start it; it is ready when it answers."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            self._process = subprocess.Popen(
                [*start_command(), "--fd", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                cwd="/",
            )
        self._socket = ours
        self._pending = bytearray()

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._socket.fileno()

    @property
    def pid(self) -> int:
        """The worker's process id."""
        return self._process.pid

    def send(self, request: Mapping[str, Any]) -> None:
        """Send one request.

        Raises:
            WorkerDied: it cannot hear.

        """
        try:
            self._socket.sendall(json.dumps(request).encode() + b"\n")
        except OSError as error:
            raise WorkerDied(str(error)) from error

    def receive(self) -> dict[str, Any] | None:
        """Read what is there; return a whole reply, or `None` while it is incomplete.

        Raises:
            WorkerDied: it hung up.

        """
        try:
            data = self._socket.recv(_READ_BYTES)
        except OSError as error:
            raise WorkerDied(str(error)) from error
        if not data:
            message = "the worker hung up"
            raise WorkerDied(message)
        self._pending += data
        if not data.endswith(b"\n"):
            return None
        reply: dict[str, Any] = json.loads(self._pending)
        self._pending.clear()
        return reply

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its reply.

        Raises:
            WorkerDied: it hung up.
            RequestRefused: it answered with an error.

        """
        self.send(request)
        while (reply := self.receive()) is None:
            pass
        return accepted(reply)

    def hang_up(self) -> None:
        """Let the worker know that it is no longer wanted; do not wait."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Hang up: the worker ends whatever it runs, cleans up and exits; it is killed if it does not."""
        self._socket.close()
        try:
            self._process.wait(_FAREWELL_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End the worker itself at once."""
        self._socket.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()


_spare: list[Worker] = []


def hire() -> Worker:
    """Return the worker that was set aside, else a new one."""
    return _spare.pop() if _spare else Worker()


def set_aside(worker: Worker) -> None:
    """Keep a worker without a room for the next who needs one, since starting one takes as long as many trials.

    A worker that nobody asks for ends, as all do, when this process does.
    """
    if _spare:
        worker.close()
    else:
        _spare.append(worker)


def accepted(reply: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reply that is no error.

    Raises:
        RequestRefused: it is one; the message says what could not be done, and why.

    """
    if reply.get("ok"):
        return dict(reply)
    error = reply.get("error") or {}
    raise RequestRefused(f"{error.get('kind', 'refused')}: {error.get('message', 'no reason given')}")


def room_facts(document: Mapping[str, Any]) -> RoomFacts:
    """Read the worker's description of a room."""
    return RoomFacts(
        mode=document["mode"],
        root=document["root"],
        reason=document.get("reason"),
        private=document.get("private", "none"),
        mechanism=document.get("mechanism", "none"),
    )


def capture(document: Mapping[str, Any], argv: Sequence[str], asked: Sequence[str]) -> Capture:
    """Read the worker's capture; `asked` are the observed paths as the fixture writes them, in order."""
    streams = document["streams"]
    trajectory = streams.get("trajectory")
    observed = observations(asked, document["observed"])
    return Capture(
        termination=_termination(document["termination"]),
        stdout=_blob(streams["stdout"]),
        stderr=_blob(streams["stderr"]),
        trajectory=_blob(trajectory) if trajectory is not None else None,
        observed={seen.path: seen for seen in observed},
        duration_ms=document["duration_ms"],
        started_unix_ms=document["started_unix_ms"],
        leaked=tuple(
            ProcessNote(leak["pid"], tuple(leak["argv"] or ()), leak.get("exe")) for leak in document["leaked"]
        ),
        killed=document["killed"],
        no_survivors=document["no_survivors"],
        argv=tuple(argv),
        room=room_facts(document["room"]),
        changes=tuple(document.get("changes") or ()),
        max_rss_kb=document["rusage"]["max_rss_kb"],
        record=_record(document.get("record")),
    )


def observations(asked: Sequence[str], entries: Sequence[Mapping[str, Any]]) -> list[Observed]:
    """Read the worker's observations, which come in the order in which they were asked for."""
    return [_observed(path, entry) for path, entry in zip(asked, entries, strict=True)]


def spooled_files(seen: Capture) -> list[str]:
    """Return the spool files that hold a capture's bytes."""
    blobs = [seen.stdout, seen.stderr, seen.trajectory, *(entry.blob for entry in seen.observed.values())]
    paths = [blob.whole.path for blob in blobs if blob is not None and isinstance(blob.whole, SpooledFile)]
    if seen.record is not None and isinstance(seen.record.events, SpooledEvents):
        paths.append(seen.record.events.path)
    return paths


def _termination(document: Mapping[str, Any]) -> Termination:
    match document["kind"]:
        case "exited":
            return Exited(document["code"])
        case "signalled":
            return Signalled(document["signal"])
        case "timed_out":
            return TimedOut()
        case "output_limit":
            return OutputLimit(document["stream"])
        case "failed_to_start":
            return FailedToStart(document["errno"], document["message"])
        case other:
            message = f"the worker reported an unknown ending: {other}"
            raise ValueError(message)


def _blob(document: Mapping[str, Any]) -> Blob:
    file = document.get("file")
    return Blob(
        size=document["size"],
        sha256=document["sha256"],
        head=base64.b64decode(document["head"]),
        tail=base64.b64decode(document["tail"]),
        whole=SpooledFile(file) if file else None,
    )


def _observed(path: str, entry: Mapping[str, Any]) -> Observed:
    blob, reread = entry.get("blob"), entry.get("reread")
    return Observed(
        path=path,
        kind=entry["kind"],
        size=entry.get("size") or 0,
        fresh=bool(entry.get("fresh")),
        fresh_by=entry.get("fresh_by") or "none",
        blob=_blob(blob) if blob is not None else None,
        message=entry.get("message"),
        reread_sha256=reread["sha256"] if reread else None,
    )


class SpooledEvents:
    """The events of a long record, read anew from its file at each iteration."""

    def __init__(self, path: str) -> None:
        """Remember where they are."""
        self.path = path

    def __iter__(self) -> Iterator[RecordedEvent]:
        """Yield the events in order."""
        with open(self.path, encoding="ascii") as file:
            for line in file:
                yield _event(json.loads(line))


def _record(document: Mapping[str, Any] | None) -> Record | None:
    if document is None or (document["recorder"] == "off" and document["why"] is None):
        return None
    file = document.get("file")
    return Record(
        recorder=document["recorder"],
        grade=document["grade"],
        lost=document["lost"],
        why=document["why"],
        changed=tuple(document["changed"]),
        count=document["count"],
        events=SpooledEvents(file) if file else tuple(map(_event, document["events"])),
    )


def _event(document: Mapping[str, Any]) -> RecordedEvent:
    envelope = ("n", "t_ns", "kind", "pid", "ppid", "parent")
    return RecordedEvent(
        kind=document["kind"],
        t_ns=document["t_ns"],
        pid=document["pid"],
        ppid=document["ppid"],
        number=document["n"],
        parent=document["parent"],
        body={name: value for name, value in document.items() if name not in envelope},
    )


def trial_request(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request that runs one job document."""
    return {"op": "trial", "job": {key: value for key, value in document.items() if not key.startswith("x-")}}


def probe_request(spec: RoomSpec) -> dict[str, Any]:
    """Return the request that opens a room, looks at it and closes it."""
    return {"op": "probe", "room": spec.document()}
