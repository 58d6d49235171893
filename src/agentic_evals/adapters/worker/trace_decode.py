"""Turns a system call at which a program was stopped, and its result, into an event of the record."""

from __future__ import annotations

import errno
import os

import trace_calls as calls
import trace_files as files
import trace_net as net
import trace_ptrace as ptrace
from trace_elsewhere import Elsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trace_calls import Call
    from trace_files import Regions
    from trace_log import Log

_AT_EMPTY_PATH = 0x1000
_AT_REMOVEDIR = 0x200
_AT_SYMLINK_FOLLOW = 0x400
_RENAME_EXCHANGE = 2
_O_TMPFILE = 0o20000000
_CREAT_FLAGS = os.O_CREAT | os.O_WRONLY | os.O_TRUNC
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_FIRST_RESTART, _LAST_RESTART = -516, -512
REFUSALS = (errno.EACCES, errno.EPERM, errno.EROFS)
FLAG_NAMES = (
    (os.O_CREAT, "create"),
    (os.O_TRUNC, "truncate"),
    (os.O_APPEND, "append"),
    (os.O_EXCL, "exclusive"),
    (os.O_DIRECTORY, "folder"),
)
_NOTES = {
    "ptrace": "a program called ptrace, which fails inside a recorded trial",
    "process_vm_writev": "a program called process_vm_writev, which can write into another program",
    **{
        name: f"a program called {name}: from here on paths may mean other files to it than to the recorder"
        for name in ("mount", "move_mount", "pivot_root", "chroot", "setns")
    },
}


class Process:
    """A traced process, as its events name it."""

    __slots__ = ("noted", "origin", "pid", "ppid", "threads")

    def __init__(self, pid: int, ppid: int | None, origin: int | None) -> None:
        """Know a process whose program was begun by the exec event numbered `origin`."""
        self.pid = pid
        self.ppid = ppid
        self.origin = origin
        self.noted: set[str] = set()
        self.threads = 1


class Pending:
    """A call that was seen to begin; `body` is its event as far as it is known."""

    __slots__ = ("body", "kind")

    def __init__(self, kind: str, body: dict[str, object]) -> None:
        """Wait for the result of what will be an event of `kind`."""
        self.kind = kind
        self.body = body

    def complete(self, tid: int, result: int) -> bool:
        """Add what the result tells; return whether it is an event at all."""
        del tid
        self.body["errno"] = -result if result < 0 else None
        return True


class _Open(Pending):
    """An open, of which the result counts most: reading is only an event inside the regions."""

    __slots__ = ("elsewhere", "folder", "given", "regions", "writes")

    def __init__(self, flags: int, folder: int, given: bytes | None, regions: Regions, elsewhere: Elsewhere) -> None:
        """Wait for the result of opening `given`, None where that is no path or a wrong pointer."""
        super().__init__("file.open", {})
        self.folder = folder
        self.given = given
        self.regions = regions
        self.elsewhere = elsewhere
        self.writes = bool(flags & WRITING)
        self.body["path"] = None
        self.body["mode"] = ("read", "write", "read_write", "none")[flags & os.O_ACCMODE]

    def look_before(self, tid: int, flags: int) -> None:
        """Note how a file is opened for writing, and whether it exists."""
        if flags & _O_TMPFILE == _O_TMPFILE:
            self.body["flags"] = ["tmpfile"]
            return
        self.body["flags"] = [name for bit, name in FLAG_NAMES if flags & bit]
        if flags & os.O_CREAT and self.given is not None:
            found = files.exists(tid, self.folder, self.given)
            self.body["created"] = None if found is None else not found

    def complete(self, tid: int, result: int) -> bool:
        """Add what was opened; return whether that is an event. Raises `OSError`."""
        self.body["errno"] = -result if result < 0 else None
        return self._failed(tid, -result) if result < 0 else self._opened(tid, result)

    def _opened(self, tid: int, descriptor: int) -> bool:
        path = files.of_descriptor(tid, descriptor)
        inside = self.regions.hold(path)
        if not (self.writes or inside):
            if self.given is not None:
                self.elsewhere.learn(self.given, path)
            return False
        self.body["path"] = files.text(path)
        link = f"/proc/{tid}/fd/{descriptor}"
        self.body.update(files.describe_open(link, digest=inside and not self.writes))
        return True

    def _failed(self, tid: int, number: int) -> bool:
        """Record a refused open by the path as it was given; there is no other."""
        if self.given is None:
            return _unless_unreadable(-number)
        path = files.as_given(tid, self.folder, self.given)
        self.body["path"] = files.text(path)
        return self.writes or number in REFUSALS or self.regions.hold(os.path.normpath(path))


class Unread(Pending):
    """A call whose arguments could not be read; it is no loss if the kernel could not read them either."""

    __slots__ = ()

    def complete(self, tid: int, result: int) -> bool:
        """Return False for a call that did nothing; raises `OSError` for any other."""
        del tid
        return _unless_unreadable(result)


def _unless_unreadable(result: int) -> bool:
    if result != -errno.EFAULT:
        raise OSError(errno.EFAULT, "arguments that could not be read")
    return False


class _Rename(Pending):
    """A change after which a name may mean another file."""

    __slots__ = ("elsewhere",)

    def __init__(self, kind: str, body: dict[str, object], elsewhere: Elsewhere) -> None:
        """Let nothing be known about names until the result is there."""
        super().__init__(kind, body)
        self.elsewhere = elsewhere
        elsewhere.names_begin_to_change()

    def complete(self, tid: int, result: int) -> bool:
        """Add the result."""
        self.elsewhere.names_have_changed()
        return super().complete(tid, result)


class Decoder:
    """Knows how to read each kind of call."""

    def __init__(self, log: Log, regions: Regions) -> None:
        """Write notes to `log`; reading is recorded below `regions`."""
        self._log = log
        self._regions = regions
        self._elsewhere = Elsewhere(regions)
        self._readers = {
            calls.EXEC: self._exec,
            calls.MOVE: self._move,
            calls.LINK: self._link,
            calls.SYMLINK: self._symlink,
            calls.DELETE: self._delete,
            calls.CHANGE: self._change,
            calls.MAKE: self._make,
            calls.NET: self._net,
            calls.MESSAGE: self._message,
        }

    def begin(self, call: Call, process: Process, tid: int, arguments: list[int]) -> Pending | None:
        """Return what to wait for; None when the call is of no interest after all.

        Raises:
            OSError: when the arguments cannot be read.
        """
        if call.kind == calls.OPEN:
            return self._open(call, process, tid, arguments)
        if call.kind in (calls.NOTE, calls.REARRANGE):
            self._note(call, process)
            return None
        return self._readers[call.kind](call, tid, arguments)

    def end(self, pending: Pending, process: Process, tid: int, result: int) -> None:
        """Record a call that has ended; raises `OSError` when what it did cannot be told, and `SpoolError`."""
        if not pending.complete(tid, result) or _FIRST_RESTART <= result <= _LAST_RESTART:
            return  # or interrupted by a signal: the kernel begins it again, or the program hears EINTR
        if tid != process.pid:
            pending.body["tid"] = tid
        self._log.add(pending.kind, process.pid, process.ppid, process.origin, pending.body)

    def abandon(self, pending: Pending, process: Process) -> None:
        """Record a call whose result nobody will know: its process was killed meanwhile. Raises `SpoolError`."""
        if isinstance(pending, _Rename):
            self._elsewhere.names_have_changed()
        if isinstance(pending, Unread):
            self._log.lose("a process was killed in a call whose arguments could not be read")
            return
        if isinstance(pending, _Open):
            if not pending.writes or pending.given is None:
                return
            pending.body["path"] = files.text(pending.given)
        pending.body.update(errno=None, unconfirmed=True)
        self._log.add(pending.kind, process.pid, process.ppid, process.origin, pending.body)

    def _open(self, call: Call, process: Process, tid: int, arguments: list[int]) -> Pending | None:
        if call.flags >= 0:
            flags = arguments[call.flags]
        elif call.name == "creat":
            flags = _CREAT_FLAGS
        else:
            flags = int.from_bytes(ptrace.read_memory(tid, arguments[2], 8), "little")
        folder = files.signed(arguments[call.folder]) if call.folder >= 0 else files.AT_FDCWD
        given = self._given(call, tid, arguments)
        writes = flags & WRITING
        # Another thread could exchange the name after this look; then only the result is to be believed.
        if not writes and given is not None and process.threads == 1 and self._elsewhere.holds(given):
            return None
        pending = _Open(flags, folder, given, self._regions, self._elsewhere)
        if writes:
            pending.look_before(tid, flags)
        return pending

    @staticmethod
    def _given(call: Call, tid: int, arguments: list[int]) -> bytes | None:
        if call.path < 0:
            return None
        try:
            return ptrace.read_text(tid, arguments[call.path])
        except OSError:
            return None  # the result tells whether there was anything to read

    def _note(self, call: Call, process: Process) -> None:
        if call.kind == calls.REARRANGE:
            self._elsewhere.stop_trusting()
        if call.name not in process.noted:
            process.noted.add(call.name)
            self._log.add("note", process.pid, process.ppid, process.origin, {"text": _NOTES[call.name]})

    @staticmethod
    def _place(tid: int, arguments: list[int], folder: int, path: int) -> bytes:
        start = files.signed(arguments[folder]) if folder >= 0 else files.AT_FDCWD
        return files.place_of(tid, start, ptrace.read_text(tid, arguments[path]))

    def _exec(self, call: Call, tid: int, arguments: list[int]) -> Pending:
        start = files.signed(arguments[call.folder]) if call.folder >= 0 else files.AT_FDCWD
        path = files.as_given(tid, start, ptrace.read_text(tid, arguments[call.path]))
        return Pending("proc.exec_failed", {"path": files.text(path)})

    def _move(self, call: Call, tid: int, arguments: list[int]) -> Pending:
        body: dict[str, object] = {
            "from": files.text(self._place(tid, arguments, call.folder, call.path)),
            "path": files.text(self._place(tid, arguments, call.other_folder, call.other_path)),
        }
        if call.flags >= 0 and arguments[call.flags] & _RENAME_EXCHANGE:
            body["exchange"] = True
        return _Rename("file.rename", body, self._elsewhere)

    def _link(self, call: Call, tid: int, arguments: list[int]) -> Pending:
        flags = arguments[call.flags] if call.flags >= 0 else 0
        source = self._place(tid, arguments, call.folder, call.path)
        if flags & (_AT_EMPTY_PATH | _AT_SYMLINK_FOLLOW):
            try:
                source = os.readlink(b"/proc/%d/root%s" % (tid, source))  # a file made without a name gets one
            except OSError:
                pass  # it is no link: the name stands for itself
        place = self._place(tid, arguments, call.other_folder, call.other_path)
        body: dict[str, object] = {"path": files.text(place), "target": files.text(source), "symbolic": False}
        return _Rename("file.link", body, self._elsewhere)

    def _symlink(self, call: Call, tid: int, arguments: list[int]) -> Pending:
        target = ptrace.read_text(tid, arguments[call.other_path])
        place = self._place(tid, arguments, call.folder, call.path)
        body: dict[str, object] = {"path": files.text(place), "target": files.text(target), "symbolic": True}
        return _Rename("file.link", body, self._elsewhere)

    def _delete(self, call: Call, tid: int, arguments: list[int]) -> Pending:
        flags = arguments[call.flags] if call.flags >= 0 else 0
        place = self._place(tid, arguments, call.folder, call.path)
        folder = call.name == "rmdir" or bool(flags & _AT_REMOVEDIR)
        return Pending("file.delete", {"path": files.text(place), "folder": folder})

    def _change(self, call: Call, tid: int, arguments: list[int]) -> Pending:
        place = self._place(tid, arguments, call.folder, call.path)
        if call.flags < 0:
            return Pending("file.truncate", {"path": files.text(place)})
        return Pending("file.chmod", {"path": files.text(place), "mode": f"{arguments[call.flags] & 0o7777:04o}"})

    def _make(self, call: Call, tid: int, arguments: list[int]) -> Pending:
        place = self._place(tid, arguments, call.folder, call.path)
        return Pending("file.make", {"path": files.text(place), "folder": call.name.startswith("mkdir")})

    def _net(self, call: Call, tid: int, arguments: list[int]) -> Pending:
        address = net.read_address(tid, arguments[call.path], arguments[call.path + 1])
        return Pending(f"net.{call.name}", net.describe(address))

    @staticmethod
    def _message(call: Call, tid: int, arguments: list[int]) -> Pending | None:
        several = arguments[2] if call.name == "sendmmsg" else 1
        addresses = net.addresses_of_messages(tid, arguments[call.path], several)
        if not addresses:
            return None
        body = net.describe(addresses[0])
        if len(addresses) > 1:
            body["more"] = [net.describe(address) for address in addresses[1:]]
        return Pending("net.sendto", body)
