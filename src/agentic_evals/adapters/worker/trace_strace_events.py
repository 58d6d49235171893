"""Turns the calls that strace saw into the events that the worker's own tracer would have written."""

from __future__ import annotations

import errno
import os

import trace_files as files
import trace_net as net
import trace_strace_lines as lines
from trace_decode import FLAG_NAMES, REFUSALS, WRITING, Process
from trace_program import environment_changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from trace_files import Regions
    from trace_log import Log
    from trace_strace_lines import End, Line

_CLONE_THREAD = 0x10000
_FIRST_REAL_TIME = 32
_O_PATH = os.O_PATH
CALLS = (
    "execve execveat open openat openat2 creat rename renameat renameat2 unlink unlinkat rmdir link linkat symlink "
    "symlinkat truncate chmod fchmodat mkdir mkdirat mknod mknodat connect bind sendto chdir fchdir fork vfork clone "
    "clone3 io_uring_setup"
).split()
"""What strace is asked for."""


class Story:
    """The processes of one trial as the lines tell of them."""

    def __init__(self, command: int, cwd: bytes, log: Log, regions: Regions, env: dict[bytes, bytes]) -> None:
        """Begin with the command, in `cwd`, with the environment `env`."""
        self._log = log
        self._regions = regions
        self._env = env
        self._command = Process(command, os.getpid(), None)
        self._processes = {command: self._command}
        self._cwd = {command: cwd}
        self._gone: set[int] = set()
        self.unfinished: dict[int, str] = {}
        self._began: float | None = None
        self._now = 0
        self._tellers: dict[str, Callable[[Line, Process], None]] = {
            "execve": self._exec,
            "execveat": self._exec,
            "chdir": self._chdir,
            "fchdir": self._chdir,
            "io_uring_setup": self._io_uring,
            **dict.fromkeys(("fork", "vfork", "clone", "clone3"), self._birth),
            **dict.fromkeys(("open", "openat", "openat2", "creat"), self._open),
            **dict.fromkeys(("rename", "renameat", "renameat2"), self._move),
            **dict.fromkeys(("link", "linkat"), self._link),
            **dict.fromkeys(("symlink", "symlinkat"), self._symlink),
            **dict.fromkeys(("connect", "bind", "sendto"), self._net),
        }

    def tell(self, line: Line | End) -> None:
        """Write down one line; raises `ValueError` where it cannot be understood."""
        if self._began is None:
            self._began = line.seconds
        self._now = max(1, int((line.seconds - self._began) * 1e9))
        process = self._processes.get(line.tid)
        if process is None:  # its creator is still at the call that made it
            process = self._processes[line.tid] = self._newborn(line.tid)
        if isinstance(line, lines.End):
            self._ended(line, process)
        elif line.result is not None:
            self._tellers.get(line.name, self._other)(line, process)

    def _newborn(self, tid: int) -> Process:
        for creator, call in self.unfinished.items():
            if call.startswith(("clone", "fork", "vfork")) and creator in self._processes:
                above = self._processes[creator]
                if _flags_of(call) & _CLONE_THREAD:
                    return above
                self._cwd[tid] = self._cwd.get(above.pid, b"/")
                return Process(tid, above.pid, above.origin)
        return Process(tid, None, self._command.origin)

    def unended(self) -> int:
        """Return of how many processes no end was told."""
        return sum(tid == process.pid for tid, process in self._processes.items())

    def _add(self, kind: str, line: Line | End, process: Process, body: dict[str, object]) -> int:
        body["t_ns"] = self._now
        if line.tid != process.pid:
            body["tid"] = line.tid
        return self._log.add(kind, process.pid, process.ppid, process.origin, body)

    def _ended(self, end: End, process: Process) -> None:
        self._processes.pop(end.tid, None)
        self._gone.add(end.tid)
        if end.tid == process.pid and (end.code is not None or end.signal is not None):
            number = _signal_named(end.signal) if end.signal else None
            self._add("proc.exit", end, process, {"code": end.code, "signal": number})

    def _birth(self, line: Line, process: Process) -> None:
        if not line.result or line.result < 0:
            return
        child = line.result
        if child in self._gone:
            self._gone.discard(child)  # its whole life was told before its birth
            return
        known = self._processes.get(child)
        if any(_flags_of(part) & _CLONE_THREAD for part in line.arguments):
            self._processes[child] = process
        elif known is None:
            self._processes[child] = Process(child, process.pid, process.origin)
            self._cwd[child] = self._cwd.get(process.pid, b"/")
        else:
            known.ppid = process.pid

    def _place(self, line: Line, process: Process, at: int) -> tuple[bytes, int]:
        """Return the absolute path that begins at argument `at` and the position behind it."""
        if line.arguments[at].startswith('"'):
            base, path = self._cwd.get(process.pid, b"/"), lines.string(line.arguments[at])
        else:
            base, path = lines.path_of(line.arguments[at]) or b"/", lines.string(line.arguments[at + 1])
            at += 1
        return os.path.normpath(os.path.join(base, path)), at + 1

    @staticmethod
    def _number(line: Line) -> int | None:
        return getattr(errno, line.errno, 0) if line.errno else None

    def _exec(self, line: Line, process: Process) -> None:
        path, after = self._place(line, process, 0)
        body: dict[str, object] = {"path": files.text(path)}
        if line.errno:
            self._add("proc.exec_failed", line, process, {**body, "errno": self._number(line)})
            return
        argv, env = lines.strings(line.arguments[after]), lines.strings(line.arguments[after + 1])
        exe = os.path.realpath(path)
        body.update(exe=files.text(exe), argv=list(map(files.text, argv)))
        body["cwd"] = files.text(self._cwd.get(process.pid, b"/"))
        body["env"] = environment_changes(b"\0".join(env), self._env)
        try:
            body["sha256"] = files.DIGESTS.of(os.fsdecode(exe), os.stat(exe))
        except OSError:
            body["sha256"] = None
        process.origin = self._add("proc.exec", line, process, body)

    def _chdir(self, line: Line, process: Process) -> None:
        if line.result == 0:
            place = lines.path_of(line.arguments[0]) if line.name == "fchdir" else self._place(line, process, 0)[0]
            self._cwd[process.pid] = place or b"/"

    def _io_uring(self, line: Line, process: Process) -> None:
        if line.result is not None and line.result >= 0:
            self._log.lose(f"process {process.pid} used io_uring, which strace does not see")

    def _open(self, line: Line, process: Process) -> None:
        path, after = self._place(line, process, 0)
        flags = os.O_CREAT | os.O_WRONLY | os.O_TRUNC
        if line.name == "openat2":
            flags = lines.number(lines.fields(line.arguments[after])["flags"])
        elif line.name != "creat":
            flags = lines.number(line.arguments[after])
        number, writes = self._number(line), bool(flags & WRITING)
        path = line.opened or path
        inside = self._regions.hold(path)
        if flags & _O_PATH or not (writes or inside or number in REFUSALS):
            return
        mode = ("read", "write", "read_write", "none")[flags & os.O_ACCMODE]
        body: dict[str, object] = {"path": files.text(path), "mode": mode, "errno": number}
        if writes:
            body["flags"] = [name for bit, name in FLAG_NAMES if flags & bit]
        self._add("file.open", line, process, body)

    def _move(self, line: Line, process: Process) -> None:
        source, after = self._place(line, process, 0)
        body = {"from": files.text(source), "path": files.text(self._place(line, process, after)[0])}
        self._add("file.rename", line, process, {**body, "errno": self._number(line)})

    def _link(self, line: Line, process: Process) -> None:
        target, after = self._place(line, process, 0)
        self._linked(line, process, after, target, symbolic=False)

    def _symlink(self, line: Line, process: Process) -> None:
        self._linked(line, process, 1, lines.string(line.arguments[0]), symbolic=True)

    def _linked(self, line: Line, process: Process, at: int, target: bytes, *, symbolic: bool) -> None:
        body: dict[str, object] = {"path": files.text(self._place(line, process, at)[0])}
        body.update(target=files.text(target), symbolic=symbolic, errno=self._number(line))
        self._add("file.link", line, process, body)

    def _other(self, line: Line, process: Process) -> None:
        path, after = self._place(line, process, 0)
        body: dict[str, object] = {"path": files.text(path)}
        kind = line.name.removesuffix("at")
        if kind in ("unlink", "rmdir"):
            folder = kind == "rmdir" or (after < len(line.arguments) and bool(lines.number(line.arguments[after])))
            kind, body["folder"] = "file.delete", folder
        elif kind in ("mkdir", "mknod"):
            body["folder"], kind = kind == "mkdir", "file.make"
        elif kind == "truncate":
            kind = "file.truncate"
        else:
            body["mode"] = line.arguments[after][-4:].zfill(4)
            kind = "file.chmod"
        self._add(kind, line, process, {**body, "errno": self._number(line)})

    def _net(self, line: Line, process: Process) -> None:
        address = line.arguments[4 if line.name == "sendto" else 1]
        if address.startswith("{"):
            body = net.describe(_packed(lines.fields(address)))
            self._add(f"net.{line.name}", line, process, {**body, "errno": self._number(line)})


def _signal_named(name: str) -> int:
    if name.startswith("SIGRT_"):
        return _FIRST_REAL_TIME + int(name.removeprefix("SIGRT_"))
    from signal import Signals

    return Signals[name].value


def _flags_of(call: str) -> int:
    _, _, flags = call.partition("flags=")
    return int(flags.partition(",")[0].partition("|")[0].rstrip("})"), 0) if flags else 0


def _packed(parts: dict[str, str]) -> bytes:
    """Return the socket address whose fields strace has printed."""
    family = lines.number(parts.get("sa_family", "0"))
    head = family.to_bytes(2, "little")
    if "sun_path" in parts:
        path = parts["sun_path"]
        return head + (b"\0" + lines.string(path[1:]) if path.startswith("@") else lines.string(path))
    if "sin_addr" in parts:
        return head + lines.string(parts["sin_port"]) + lines.string(parts["sin_addr"])
    if "sin6_addr" in parts:
        return head + lines.string(parts["sin6_port"]) + bytes(4) + lines.string(parts["sin6_addr"])
    return head
