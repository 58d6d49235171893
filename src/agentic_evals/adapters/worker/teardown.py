"""Ends everything that a command left alive, and lets the kernel say (`ECHILD`) that nothing is left.

The worker is a child sub-reaper: whatever a descendant does (new session, double fork, own sub-reaper, new pid
namespace), its topmost living ancestor below the worker is a child of the worker. So "wait(2) knows no child" is a
proof, and killing children until it holds ends the trial.
"""

from __future__ import annotations

import os
import time

from lean import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_WALL = 0x40000000  # also children whose exit signal is not SIGCHLD
_MOST_DESCRIBED = 256
_MOST_ARGV_BYTES = 16 * 1024
KILL_SECONDS = 10.0
"""How long the kill loop tries before it gives up the proof."""


class Reaper:
    """Collects every ended child of this process and what they used."""

    def __init__(self, command: int) -> None:
        """Watch for `command`, the pid of the process that the trial started."""
        self.command = command
        self.status: int | None = None
        self.user_seconds = 0.0
        self.system_seconds = 0.0
        self.max_rss_kb = 0

    def collect(self) -> bool:
        """Reap what has ended; return True when no child is left at all."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG | _WALL)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            if pid == self.command:
                self.status = status
            self.user_seconds += usage.ru_utime
            self.system_seconds += usage.ru_stime
            self.max_rss_kb = max(self.max_rss_kb, usage.ru_maxrss)

    def usage(self) -> dict[str, object]:
        """Return what all reaped processes used together: milliseconds, and the largest resident set in KiB."""
        return {
            "user_ms": round(self.user_seconds * 1000, 3),
            "system_ms": round(self.system_seconds * 1000, 3),
            "max_rss_kb": self.max_rss_kb,
        }


class Teardown:
    """What killing had to do and whether it was complete."""

    def __init__(self) -> None:
        """Begin with nothing killed and nothing proven."""
        self.killed: set[int] = set()
        self.first_seen: list[dict[str, object]] = []
        self.rounds = 0
        self.proven = False
        self.evidence = "not checked"

    def document(self) -> dict[str, object]:
        """Return the fields of a Capture that speak of survivors."""
        return {
            "killed": len(self.killed),
            "rounds": self.rounds,
            "no_survivors": "verified" if self.proven else "none",
            "survivor_evidence": self.evidence,
        }


def kill_everything(reaper: Reaper, teardown: Teardown, between_rounds: Callable[[], None]) -> None:
    """SIGKILL all children and their process groups, again and again, until the kernel says that there is none.

    `between_rounds` is called after each round (it keeps the pipes of the trial empty). Processes that fork and exit
    for ever are beaten because a fork fails when a kill is pending; those that fork faster than one after the other
    can be killed, because a group is killed at one stroke. After `KILL_SECONDS` the proof is given up and `evidence`
    says what still lives.
    """
    deadline = time.monotonic() + KILL_SECONDS
    refused: OSError | None = None
    while not reaper.collect():
        if time.monotonic() > deadline:
            teardown.evidence = _why_unproven(refused)
            return
        teardown.rounds += 1
        pids = children()
        if not teardown.first_seen:
            teardown.first_seen = [seen for seen in map(describe, pids[:_MOST_DESCRIBED]) if seen]
        signal_groups(pids, signals.SIGKILL)
        news = False
        for pid in pids:
            news = news or pid not in teardown.killed
            refused = _kill(pid, teardown) or refused
        between_rounds()
        if not news:
            time.sleep(0.0005)  # all are dying: give them the processor
    teardown.proven = True
    teardown.evidence = "ECHILD"


def signal_groups(pids: list[int], number: int) -> None:
    """Signal the process group of each of our children, which the kernel does at one stroke; never our own group.

    The group of a child that was not reaped cannot have become somebody else's.
    """
    groups = set()
    for pid in pids:
        try:
            groups.add(os.getpgid(pid))
        except OSError:
            continue
    for group in groups - {os.getpgrp()}:
        if group > 1:  # 0 is a group outside of our pid namespace
            try:
                os.killpg(group, number)
            except OSError:
                continue  # its members are met one by one, and those that may not be killed are said to live


def _kill(pid: int, teardown: Teardown) -> OSError | None:
    try:
        os.kill(pid, signals.SIGKILL)
    except ProcessLookupError:
        return None
    except OSError as error:  # a set-uid program that this user may not signal
        return error
    teardown.killed.add(pid)
    return None


def _why_unproven(refused: OSError | None) -> str:
    living = ", ".join(str(pid) for pid in children()[:10])
    because = f" ({refused.strerror})" if refused else ""
    return f"still alive {KILL_SECONDS:g} s after SIGKILL{because}: pid {living}"


def children() -> list[int]:
    """Return the pids of this process's living or unreaped children, by the kernel's own list where there is one."""
    try:
        return _children_of(os.getpid())
    except FileNotFoundError:  # a kernel without CONFIG_PROC_CHILDREN
        return _parents().get(os.getpid(), [])


def descendants() -> list[int]:
    """Return the pids of all processes below this one, as far as one look can see them; at most a few hundred."""
    known = _parents() if _kernel_lists_no_children() else None
    found: list[int] = []
    todo = [os.getpid()]
    while todo and len(found) < _MOST_DESCRIBED:
        pid = todo.pop()
        try:
            below = known.get(pid, []) if known is not None else _children_of(pid)
        except OSError:
            continue
        found += below
        todo += below
    return found[:_MOST_DESCRIBED]


def _kernel_lists_no_children() -> bool:
    return not os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def _children_of(pid: int) -> list[int]:
    found: list[int] = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        found += map(int, _read(f"/proc/{pid}/task/{thread}/children", 1 << 20).split())
    return found


def _parents() -> dict[int, list[int]]:
    below: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                fields = _read(f"/proc/{name}/stat", 4096).rpartition(b")")[2].split()
                below.setdefault(int(fields[1]), []).append(int(name))
            except (OSError, IndexError):
                continue
    return below


def describe(pid: int) -> dict[str, object] | None:
    """Return pid, name, exe (null where it may not be read) and argv of a living process; None when it has ended."""
    try:
        before, _, after = _read(f"/proc/{pid}/stat", 4096).rpartition(b")")
        if after.split()[0] in (b"Z", b"X"):
            return None
        argv = _read(f"/proc/{pid}/cmdline", _MOST_ARGV_BYTES)
    except (OSError, IndexError):
        return None
    try:
        exe: str | None = os.readlink(f"/proc/{pid}/exe")
    except OSError:
        exe = None
    return {
        "pid": pid,
        "exe": None if exe is None else _text(os.fsencode(exe)),
        "argv": [_text(word) for word in argv.split(b"\0")[:-1]],
        "name": _text(before.partition(b"(")[2]),
    }


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _read(path: str, most: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts: list[bytes] = []
        while most > 0 and (part := os.read(descriptor, min(most, 65536))):
            parts.append(part)
            most -= len(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)
