"""Tries to outlive the command that it is: one of thirteen techniques, then ends (`exit`) or stays (`hang`).

Usage: escapes.py TECHNIQUE exit|hang. Run it ONLY in a pid namespace or a pids-limited cgroup: `hopper` forks until it
is killed. Nothing marks the survivors: the tests look at all processes of their namespace.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import time
from typing import NoReturn

CLONE_PARENT = 0x8000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
PR_SET_NAME = 15
PR_SET_CHILD_SUBREAPER = 36
SYS_CLONE = {"x86_64": 56, "aarch64": 220}.get(os.uname().machine, -1)
BOMB_SIZE = 60

libc = ctypes.CDLL(None, use_errno=True)


def stay() -> NoReturn:
    """Wait for ever."""
    while True:
        signal.pause()


def forget_descriptors() -> None:
    """Let go of the pipes to the runner, as a daemon does."""
    os.closerange(0, 256)


def in_child() -> bool:
    """Fork; True in the child."""
    return os.fork() == 0


def bg() -> None:
    """An ordinary background child."""
    if in_child():
        stay()


def setpgid() -> None:
    """A child in its own process group."""
    if in_child():
        os.setpgid(0, 0)
        stay()


def setsid() -> None:
    """A child in its own session."""
    if in_child():
        os.setsid()
        stay()


def daemon() -> None:
    """A daemon by the book: new session, second fork, folder changed, descriptors closed."""
    if in_child():
        os.setsid()
        if not in_child():
            os._exit(0)
        os.chdir("/")
        forget_descriptors()
        stay()


def stealth() -> None:
    """A daemon with an empty environment, another name and another argv."""
    if in_child():
        os.setsid()
        if not in_child():
            os._exit(0)
        os.chdir("/")
        forget_descriptors()
        for number in range(3):
            os.open(os.devnull, os.O_RDWR)
            del number
        os.execve("/bin/sleep", ["[kworker/0:9]", "1000"], {})


def nosig() -> None:
    """A child that ignores and blocks every signal it can."""
    if in_child():
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        os.setsid()
        stay()


def stopped() -> None:
    """A child that is stopped, so that no other signal reaches it."""
    if in_child():
        os.setsid()
        os.kill(os.getpid(), signal.SIGSTOP)
        stay()


def cloneparent() -> None:
    """A child of this process's parent."""
    if SYS_CLONE < 0:
        bg()
    elif libc.syscall(SYS_CLONE, CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0) == 0:
        os.setsid()
        stay()


def subreaper() -> None:
    """A child that adopts orphans itself and has one."""
    if in_child():
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        os.setsid()
        if in_child():
            if in_child():
                stay()
            os._exit(0)
        stay()


def newpidns() -> None:
    """Processes in a pid namespace of their own, where that is allowed."""
    if in_child():
        os.setsid()
        if libc.unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0:
            libc.unshare(CLONE_NEWPID)
        if in_child():
            in_child()
            stay()
        stay()


def hopper() -> None:
    """A process that forks and exits for ever, so that no pid lives long."""
    if in_child():
        os.setsid()
        forget_descriptors()
        while True:
            pid = libc.fork()
            if pid > 0:
                libc._exit(0)
            if pid < 0:
                time.sleep(0.001)


def pipehold() -> None:
    """A daemon that keeps the standard output open."""
    if in_child():
        os.setsid()
        if not in_child():
            os._exit(0)
        stay()


def bomb() -> None:
    """Many sessions at once."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for _ in range(BOMB_SIZE):
        if in_child():
            os.setsid()
            forget_descriptors()
            stay()


TECHNIQUES = (
    bg,
    setpgid,
    setsid,
    daemon,
    stealth,
    nosig,
    stopped,
    cloneparent,
    subreaper,
    newpidns,
    hopper,
    pipehold,
    bomb,
)


def main() -> None:
    """Use one technique."""
    technique, then = sys.argv[1:3]
    {function.__name__: function for function in TECHNIQUES}[technique]()
    if then == "hang":
        stay()
    time.sleep(0.05)
    os._exit(0)


if __name__ == "__main__":
    main()
