"""Records a command by the worker itself, as its tracer: the first recorder."""

from __future__ import annotations

import os

import spawn
import trace_ptrace as ptrace
from lean import signals
from trace_calls import machine_named
from trace_decode import Decoder
from trace_engine import TracingReaper
from trace_files import Regions
from trace_filter import Filter
from trace_log import Log
from trace_start import CannotTrace
from trace_start import start as start_traced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protocol import Stdin
    from spawn import Started
    from streams import Spool


_filters: dict[str, Filter] = {}
"""Compiled once for a worker."""


class Tracer:
    """One command under ptrace and a seccomp filter."""

    mechanism = "ptrace"

    def __init__(self, regions: list[str], spool: Spool) -> None:
        """Prepare filter and log; raises `CannotTrace` on a processor whose calls are not known."""
        machine = machine_named(os.uname().machine)
        if machine is None:
            raise CannotTrace(0, "machine", f"the system calls of {os.uname().machine} are not known")
        self.log = Log(spool, self.mechanism)
        self.log.environment_is_changed()
        self._calls = machine.calls
        self._filter = _filters.get(machine.name) or _filters.setdefault(machine.name, Filter(machine))
        self._decoder = Decoder(self.log, Regions(regions))
        self._reaper: TracingReaper | None = None
        self._wakeup = -1

    def start(self, argv: list[str], env: dict[str, str], cwd: str, stdin: Stdin) -> Started:
        """Start the command; raises `CannotStart`, and `CannotTrace` when the machine does not allow it."""
        signals.pthread_sigmask(signals.SIG_BLOCK, (signals.SIGCHLD,))
        self._wakeup = ptrace.open_child_signals()
        started = spawn.start(argv, env, cwd, stdin, self._launch)
        started.reaper = self._reaper
        started.wakeup = self._wakeup
        return started

    def _launch(self, program: bytes, argv: list[bytes], env: dict[bytes, bytes], streams: tuple[int, int, int]) -> int:
        def make_reaper(pid: int) -> TracingReaper:
            return TracingReaper(pid, self._calls, self._decoder, self.log, env)

        pid, self._reaper = start_traced(program, argv, env, streams, self._filter, make_reaper)
        return pid

    def finish(self) -> None:
        """Count what is missing, when no process is left."""
        if self._reaper is not None:
            self._reaper.finish()
        self.remove()

    def remove(self) -> None:
        """Give up what watching needed."""
        if self._wakeup >= 0:
            os.close(self._wakeup)
            self._wakeup = -1
            signals.pthread_sigmask(signals.SIG_UNBLOCK, (signals.SIGCHLD,))
