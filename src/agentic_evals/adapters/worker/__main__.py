"""Starts a worker: `--fd N` serves requests on a socket, `--once` runs one job from standard input to output."""

from __future__ import annotations

import os
import sys

if __package__ in (None, ""):  # also when this file, not its folder, was named on the command line
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import lean
import linux
from lean import signals
from serving import Service
from supervise import PeerGone, PeerWatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK = 256 * 1024


def _hear_signals(*numbers: int) -> int:
    """Turn the signals into a byte on a descriptor, which is returned."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signals.set_wakeup_fd(writing)
    for number in numbers:
        signals.signal(number, lambda *_: None)
    return reading


def _keep_only(descriptor: int) -> int:
    """Close every inherited descriptor but `descriptor` and the standard three; return it, not inheritable."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, os.sysconf("SC_OPEN_MAX"))
    os.set_inheritable(descriptor, False)  # noqa: FBT003 - the call has no keyword for it
    os.set_blocking(descriptor, True)
    return descriptor


def _send(descriptor: int, line: str) -> None:
    rest = memoryview(line.encode("ascii") + b"\n")
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError as error:
        raise PeerGone from error


class _Lines:
    """The request lines that arrive on a socket."""

    def __init__(self, peer: PeerWatch, chores: Callable[[], bool]) -> None:
        self._peer = peer
        self._chores = chores
        self._pending = bytearray()
        self._searched = 0

    def next(self) -> str:
        """Wait for the next line; raises `PeerGone` when there will be none."""
        while (end := self._pending.find(b"\n", self._searched)) < 0:
            self._searched = len(self._pending)
            self._peer.wait_for_request(self._chores)
            try:
                chunk = os.read(self._peer.control, _CHUNK)
            except OSError as error:
                raise PeerGone from error
            if not chunk:
                raise PeerGone
            self._pending += chunk
        line = self._pending[:end].decode("utf-8", "replace")
        del self._pending[: end + 1]
        self._searched = 0
        return line


def serve(descriptor: int) -> int:
    """Answer requests on a socket until its other end is closed."""
    signals.signal(signals.SIGINT, signals.SIG_IGN)  # Ctrl-C is the asking side's to handle
    wakeup = _hear_signals(signals.SIGTERM, signals.SIGHUP)
    peer = PeerWatch(descriptor, wakeup)
    service = Service(peer)
    lines = _Lines(peer, service.tidy)
    try:
        while True:
            _send(descriptor, service.answer(lines.next()))
    except PeerGone:
        return 0
    finally:
        service.shut_down()


def run_once() -> int:
    """Run the TrialJob on standard input and write its Capture (or the error reply) to standard output."""
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    output = _keep_only(os.dup(1))
    wakeup = _hear_signals(signals.SIGTERM, signals.SIGHUP, signals.SIGINT)
    peer = PeerWatch(output, wakeup, one_way=True)
    service = Service(peer)
    try:
        reply = service.answer(lean.write_json({"op": "trial", "job": lean.read_json(text)}))
        document = lean.read_json(reply)
        worked = isinstance(document, dict) and document["ok"] is True
        _send(output, lean.write_json(document["capture"]) if worked and isinstance(document, dict) else reply)
    except PeerGone:
        return 1
    finally:
        service.shut_down()
    return 0 if worked else 1


def main(arguments: list[str]) -> int:
    """Do what the command line says; return the exit code."""
    os.chdir("/")
    linux.become_subreaper()
    if arguments == ["--once"]:
        return run_once()
    if arguments[:1] == ["--fd"] and arguments[1:2] == arguments[1:] and "".join(arguments[1:]).isdigit():
        return serve(_keep_only(int(arguments[1])))
    sys.stderr.write("usage: worker --fd N | --once\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
