"""Starts a command under the tracer: fork, seize, filter, exec, each confirmed before the next."""

from __future__ import annotations

import os

import trace_ptrace as ptrace
from lean import signals
from spawn import EVERY_SIGNAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from trace_engine import TracingReaper
    from trace_filter import Filter

_FAILED_FILTER = b"F"
_FAILED_EXEC = b"E"


class CannotTrace(Exception):
    """This machine does not let the worker trace; the command has not run."""

    def __init__(self, number: int, at: str, message: str) -> None:
        """Keep the error number and the step that failed."""
        super().__init__(f"{message} (at {at})")
        self.errno = number
        self.at = at


def start(
    program: bytes,
    argv: list[bytes],
    env: dict[bytes, bytes],
    streams: tuple[int, int, int],
    program_filter: Filter,
    make_reaper: Callable[[int], TracingReaper],
) -> tuple[int, TracingReaper]:
    """Return the pid of the traced command, which has begun its program, and who follows it.

    Raises:
        CannotTrace: when tracing is refused here.
        OSError: when the program cannot be executed.
        ValueError: when argv or environment cannot be handed to any program.
    """
    _refuse_impossible(argv, env)
    go_read, go_write = os.pipe()
    told_read, told_write = os.pipe()
    try:
        pid = os.fork()
        if pid == 0:
            _become(program, argv, env, streams, program_filter, go_read, told_write)
        os.close(told_write)
        told_write = -1
        reaper = _follow(pid, go_write, make_reaper)
        if not reaper.executed:
            _raise_told(told_read)
    finally:
        for descriptor in (go_read, go_write, told_read, told_write):
            if descriptor >= 0:
                os.close(descriptor)
    return pid, reaper


def _refuse_impossible(argv: list[bytes], env: dict[bytes, bytes]) -> None:
    if any(b"\0" in word for word in (*argv, *env, *env.values())):
        message = "embedded null byte"
        raise ValueError(message)
    if any(b"=" in name for name in env):
        message = "illegal environment variable name"
        raise ValueError(message)


def _follow(pid: int, go: int, make_reaper: Callable[[int], TracingReaper]) -> TracingReaper:
    """Trace the waiting child until it has begun its program or has ended."""
    try:
        ptrace.seize(pid)
    except OSError as error:
        _bury(pid)
        raise CannotTrace(error.errno or 0, "seize", error.strerror or "refused") from error
    reaper = make_reaper(pid)
    try:
        os.write(go, b"!")
        while not reaper.executed and reaper.status is None:
            reaper.handle(*ptrace.wait_any(block=True, pid=pid))
    except BaseException:
        if reaper.status is None:
            _bury(pid)
        raise
    return reaper


def _raise_told(descriptor: int) -> NoReturn:
    """Raise the error that the child met."""
    message = os.read(descriptor, 64)
    number = int(message[1:] or b"0")
    if message[:1] == _FAILED_EXEC:
        raise OSError(number, os.strerror(number))
    raise CannotTrace(number, "filter", os.strerror(number) if number else "the child ended before its exec")


def _bury(pid: int) -> None:
    try:
        os.kill(pid, signals.SIGKILL)
        while os.WIFSTOPPED(ptrace.wait_any(block=True, pid=pid)[1]):
            pass
    except (ProcessLookupError, ChildProcessError):
        pass


def _become(
    program: bytes,
    argv: list[bytes],
    env: dict[bytes, bytes],
    streams: tuple[int, int, int],
    program_filter: Filter,
    go: int,
    tell: int,
) -> NoReturn:
    """Be the child: wait until traced, then turn into the program; never returns."""
    failed = _FAILED_FILTER
    try:
        os.setsid()
        for theirs, ours in enumerate(streams):
            os.dup2(ours, theirs)
        for number in EVERY_SIGNAL:
            signals.signal(number, signals.SIG_DFL)
        signals.pthread_sigmask(signals.SIG_SETMASK, ())
        os.read(go, 1)
        program_filter.install()
        failed = _FAILED_EXEC
        os.execve(program, argv, env)  # noqa: S606  # no shell is what is wanted
    except OSError as error:
        os.write(tell, failed + str(error.errno or 0).encode("ascii"))
    finally:
        os._exit(127)
