"""Runs the worker with one part of its recorder failing, as the environment variable LOSSY says.

Usage: lossy_worker.py --fd N. The tests use it to see that a loss is noticed: what fails is a call to the system.
"""

from __future__ import annotations

import errno
import os
import runpy
import sys

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 2, "src/agentic_evals/adapters/worker")
sys.path.insert(0, os.path.abspath(WORKER))

import trace_log  # noqa: E402  # found only now
import trace_ptrace  # noqa: E402


def unreadable(*_: int) -> bytes:
    """Fail as for a program whose memory may not be read."""
    raise OSError(errno.EPERM, os.strerror(errno.EPERM), "process_vm_readv")


def memory() -> None:
    """Let no path be readable."""
    trace_ptrace.read_text = unreadable


def result() -> None:
    """Let the result of every call be unknown."""

    def no_result(_: int) -> int:
        raise OSError(errno.EIO, os.strerror(errno.EIO), "ptrace")

    trace_ptrace.result_at_stop = no_result


def vanish() -> None:
    """Keep the first end of a process from the recorder."""
    wait, ended = trace_ptrace.wait_any, []

    def wait_any(**options: int) -> tuple[int, int]:
        while True:
            tid, status = wait(**options)
            if tid > 0 and not os.WIFSTOPPED(status):
                ended.append(tid)
                if len(ended) == 1:
                    continue
            return tid, status

    trace_ptrace.wait_any = wait_any


def full() -> None:
    """Let the log be full at once."""
    trace_log._MOST_BYTES = -1


def seize() -> None:
    """Let the kernel refuse to trace."""

    def refused(_: int) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM), "ptrace")

    trace_ptrace.seize = refused


{function.__name__: function for function in (memory, result, vanish, full, seize)}[os.environ["LOSSY"]]()
sys.argv[0] = WORKER
runpy.run_path(os.path.join(WORKER, "__main__.py"), run_name="__main__")
