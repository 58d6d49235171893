"""Watches one running command until it and everything it started has ended, whichever way that happens."""

from __future__ import annotations

import os
import select
import time

import teardown
from lean import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol import TrialJob
    from spawn import Started
    from streams import Capture

_CHUNK = 64 * 1024
_READING = select.POLLIN
_REAP_EVERY_MS = 1000
_DRAIN_SECONDS = 1.0
_HELPER_SECONDS = 5.0
_POLLRDHUP = 0x2000


class PeerGone(Exception):
    """Whoever asked for the trial no longer listens."""


class Ending:
    """How a trial ended."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self.termination: dict[str, object] = {}
        self.duration_ms = 0.0
        self.leaked: list[dict[str, object]] = []
        self.teardown = teardown.Teardown()


class PeerWatch:
    """Tells whether the asking side has hung up: on its socket, or because a signal asked the worker to end."""

    def __init__(self, control: int, wakeup: int, *, one_way: bool = False) -> None:
        """Watch `control` for its other end closing, and `wakeup` for a byte that a signal handler wrote.

        `one_way` says that `control` is only written to; its reading end alone then counts as the other end.
        """
        self.poller = select.poll()
        self.control = control
        self.wakeup = wakeup
        self.poller.register(control, 0 if one_way else _POLLRDHUP)
        self.poller.register(wakeup, select.POLLIN)

    def wait_for_request(self, chores: Callable[[], bool]) -> None:
        """Return when `control` has something to read or was closed; meanwhile call `chores` until it returns False.

        Raises:
            PeerGone: when a signal asked the worker to end.
        """
        self.poller.modify(self.control, select.POLLIN)
        try:
            more = True
            while not (events := self.poller.poll(0 if more else None)):
                more = chores()
            if any(descriptor == self.wakeup for descriptor, _ in events):
                raise PeerGone
        finally:
            self.poller.modify(self.control, _POLLRDHUP)

    def check(self, descriptor: int, events: int) -> bool:
        """Return whether the event belongs to this watch.

        Raises:
            PeerGone: when it says that nobody listens any more.
        """
        if descriptor == self.wakeup:
            raise PeerGone
        if descriptor == self.control:
            if events & (_POLLRDHUP | select.POLLHUP | select.POLLERR | select.POLLNVAL):
                raise PeerGone
            return True
        return False


class Supervision:
    """One command under watch."""

    def __init__(self, peer: PeerWatch, started: Started, captures: dict[str, Capture]) -> None:
        """Watch `started` and fill `captures`, which has the keys stdout and stderr."""
        self._peer = peer
        self._poller = peer.poller
        self._started = started
        self._captures = {started.stdout: captures["stdout"], started.stderr: captures["stderr"]}
        self._names = {started.stdout: "stdout", started.stderr: "stderr"}
        self._open = {started.stdout, started.stderr}
        self._command_ended = False
        self._bad_stream: str | None = None
        self.reaper = started.reaper or teardown.Reaper(started.pid)
        self.ending = Ending()
        for descriptor in (started.stdout, started.stderr, started.pidfd, started.wakeup):
            if descriptor >= 0:
                self._poller.register(descriptor, _READING)

    def run(self, job: TrialJob) -> Ending:
        """Wait for the command and its whole tree, within the limits of `job`; afterwards nothing of it lives.

        Raises:
            PeerGone: when the asking side hangs up; also then nothing lives afterwards.
        """
        started = self._started.started
        try:
            timed_out = not self._wait_for_command(started + job.timeout_ms / 1000)
            ended = time.monotonic()
            if timed_out:
                self._ask_to_end(ended + job.term_grace_ms / 1000)
                ended = time.monotonic()
            elif self._bad_stream is None:
                self._find_leaks(ended + job.leak_grace_ms / 1000)
            self._kill_the_rest()
        except BaseException:
            teardown.kill_everything(self.reaper, self.ending.teardown, lambda: None)
            raise
        finally:
            self._stop_watching()
        self.ending.duration_ms = (ended - started) * 1000
        self.ending.termination = self._termination(timed_out=timed_out)
        return self.ending

    def _wait_for_command(self, deadline: float) -> bool:
        while not self._command_ended and self._bad_stream is None:
            rest = deadline - time.monotonic()
            if rest <= 0:
                return False
            self._pump(min(int(rest * 1000) + 1, _REAP_EVERY_MS))
            if not self._command_ended:
                self._reap_orphans_of_long_commands()
        return True

    def _reap_orphans_of_long_commands(self) -> None:
        """Keep the ended orphans of a running command from filling the process table."""
        if time.monotonic() - self._started.started > 1.0:
            self.reaper.collect()

    def _ask_to_end(self, deadline: float) -> None:
        if self.reaper.status is None:  # unreaped, so the number still means our group
            self._signal_group()
        self._wait_for_tree(deadline)

    def _signal_group(self) -> None:
        try:
            os.killpg(self._started.pid, signals.SIGTERM)
        except OSError:
            return  # the command runs as somebody else: it will be killed, or said to live

    def _find_leaks(self, deadline: float) -> None:
        if self._wait_for_tree(deadline) or self._bad_stream is not None:
            return
        helper = self._started.helper
        if not helper:  # what is left is the trial's alone: stop it, so that there is time to look at it
            teardown.signal_groups(teardown.children(), signals.SIGSTOP)
        found = [teardown.describe(pid) for pid in teardown.descendants()]
        self.ending.leaked = [process for process in found if process and not (helper and process["exe"] == helper)]
        if helper and not self.ending.leaked and self._wait_for_tree(deadline + _HELPER_SECONDS):
            return
        teardown.kill_everything(self.reaper, self.ending.teardown, self._drain_once)
        if not self.ending.leaked:  # all that was alive kept changing its pid
            self.ending.leaked = self.ending.teardown.first_seen or [
                {"pid": pid, "exe": None, "argv": [], "name": ""} for pid in sorted(self.ending.teardown.killed)
            ]

    def _wait_for_tree(self, deadline: float) -> bool:
        pause = 1
        while not self.reaper.collect():
            rest = deadline - time.monotonic()
            if rest <= 0 or self._bad_stream is not None:
                return False
            self._pump(max(1, min(pause, int(rest * 1000))))
            pause = min(pause + 1, 5)
        return True

    def _kill_the_rest(self) -> None:
        result = self.ending.teardown
        if not result.proven and result.evidence == "not checked":
            teardown.kill_everything(self.reaper, result, self._drain_once)
        self._drain()

    def _pump(self, timeout_ms: int) -> None:
        for descriptor, events in self._poller.poll(timeout_ms):
            if descriptor in self._captures:
                self._read(descriptor)
            elif descriptor == self._started.wakeup:
                self._serve_children()
            elif descriptor == self._started.pidfd:
                self._command_ended = True
                self._poller.unregister(descriptor)
            else:
                self._peer.check(descriptor, events)

    def _serve_children(self) -> None:
        try:
            os.read(self._started.wakeup, 1024)  # before looking, so that what happens meanwhile wakes us again
        except BlockingIOError:
            pass
        self.reaper.collect()

    def _read(self, descriptor: int) -> bool:
        """Take what is there now, at most one chunk; return whether there may be more."""
        try:
            chunk = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._close(descriptor)
            return False
        capture = self._captures[descriptor]
        capture.add(chunk)
        if capture.failed:
            self._bad_stream = self._bad_stream or self._names[descriptor]
            self._close(descriptor)
            return False
        return True

    def _close(self, descriptor: int) -> None:
        if descriptor in self._open:
            self._open.discard(descriptor)
            self._poller.unregister(descriptor)
            os.close(descriptor)

    def _drain_once(self) -> None:
        for descriptor in tuple(self._open):
            self._read(descriptor)

    def _drain(self) -> None:
        """Take what the ended processes left in the pipes; never wait: a process elsewhere may hold the other end."""
        deadline = time.monotonic() + _DRAIN_SECONDS
        for descriptor in tuple(self._open):
            while self._read(descriptor) and time.monotonic() < deadline:
                pass

    def _stop_watching(self) -> None:
        for descriptor in tuple(self._open):
            self._close(descriptor)
        if not self._command_ended:
            self._poller.unregister(self._started.pidfd)
        os.close(self._started.pidfd)
        if self._started.wakeup >= 0:
            self._poller.unregister(self._started.wakeup)

    def _termination(self, *, timed_out: bool) -> dict[str, object]:
        if self._bad_stream is not None:
            return {"kind": "output_limit", "stream": self._bad_stream}
        status = self.reaper.status
        if timed_out or status is None:
            return {"kind": "timed_out"}
        if os.WIFSIGNALED(status):
            return {"kind": "signalled", "signal": os.WTERMSIG(status)}
        return {"kind": "exited", "code": os.WEXITSTATUS(status)}
