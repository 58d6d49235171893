"""Makes the system calls of a tracer: ptrace(2), wait4(2), process_vm_readv(2), signalfd(2)."""

from __future__ import annotations

import ctypes
import errno
import os

from lean import signals

_WALL = 0x40000000
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PATH_MAX = 4096
_FIRST_LOOK = 256

_CONT = 7
_SYSCALL = 24
_GETEVENTMSG = 0x4201
_SEIZE = 0x4206
_LISTEN = 0x4208
_GET_SYSCALL_INFO = 0x420E

EVENT_FORK, EVENT_VFORK, EVENT_CLONE, EVENT_EXEC = 1, 2, 3, 4
EVENT_SECCOMP, EVENT_STOP = 7, 128
SYSCALL_STOP = signals.SIGTRAP | 0x80
_INFO_EXIT, _INFO_SECCOMP = 2, 3

_SYSGOOD = 1
_EXITKILL = 0x00100000
# The exit event is not asked for: wait(2) tells the tracer of every end, and each event is a stop more.
_OPTIONS = (
    _SYSGOOD
    | _EXITKILL
    | sum(1 << event for event in (EVENT_FORK, EVENT_VFORK, EVENT_CLONE, EVENT_EXEC, EVENT_SECCOMP))
)

_SFD_CLOEXEC_NONBLOCK = 0x80800


_libc = ctypes.CDLL(None, use_errno=True)
_ptrace = _libc.ptrace
_ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_ptrace.restype = ctypes.c_long
_readv = _libc.process_vm_readv
_readv.argtypes = [
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_ulong,
    ctypes.c_void_p,
    ctypes.c_ulong,
    ctypes.c_ulong,
]
_readv.restype = ctypes.c_ssize_t
_wait4 = _libc.wait4
_wait4.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]

_info = (ctypes.c_uint64 * 11)()
_info_address = ctypes.addressof(_info)
_message = ctypes.c_ulong()
_message_address = ctypes.addressof(_message)
_status = ctypes.c_int()
_status_address = ctypes.addressof(_status)
_usage = (ctypes.c_long * 18)()
_usage_address = ctypes.addressof(_usage)
_local_bytes = ctypes.create_string_buffer(_PATH_MAX)
_local = (ctypes.c_uint64 * 2)(ctypes.addressof(_local_bytes), 0)
_local_address = ctypes.addressof(_local)
_remote = (ctypes.c_uint64 * 2)()
_remote_address = ctypes.addressof(_remote)


def _failure(call: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number), call)


def _request(request: int, tid: int, data: int) -> None:
    if _ptrace(request, tid, None, data) < 0:
        raise _failure("ptrace")


def seize(pid: int) -> None:
    """Begin to trace `pid` and all that will come of it; it dies with this process. Raises `OSError`."""
    _request(_SEIZE, pid, _OPTIONS)


def resume(tid: int, signal: int = 0) -> None:
    """Let a stopped thread go on to its next event, delivering `signal`; raises `OSError`."""
    _request(_CONT, tid, signal)


def resume_to_result(tid: int) -> None:
    """Let a thread do the call at which it stopped, and stop it again at the result; raises `OSError`."""
    _request(_SYSCALL, tid, 0)


def stay_stopped(tid: int) -> None:
    """Leave a thread in the stop of its whole process until that is continued; raises `OSError`."""
    _request(_LISTEN, tid, 0)


def event_message(tid: int) -> int:
    """Return what the event is about: the new thread's id, or the id before an exec; raises `OSError`."""
    _request(_GETEVENTMSG, tid, _message_address)
    return _message.value


def call_at_stop(tid: int) -> tuple[int, list[int]]:
    """Return number and six arguments of the call at which the filter stopped `tid`; raises `OSError`."""
    if _ptrace(_GET_SYSCALL_INFO, tid, 88, _info_address) < 0:
        raise _failure("ptrace")
    if _info[0] & 0xFF != _INFO_SECCOMP:
        raise OSError(errno.EPROTO, "not at a call", "ptrace")
    return _info[3], _info[4:10]


def result_at_stop(tid: int) -> int:
    """Return the result of the call that `tid` has just made: negative is an error number; raises `OSError`."""
    if _ptrace(_GET_SYSCALL_INFO, tid, 88, _info_address) < 0:
        raise _failure("ptrace")
    if _info[0] & 0xFF != _INFO_EXIT:
        raise OSError(errno.EPROTO, "not at a result", "ptrace")
    value = _info[3]
    return value - (1 << 64) if value >> 63 else value


def wait_any(*, block: bool = False, pid: int = -1) -> tuple[int, int]:
    """Return (id, status) of the next child or traced thread that stopped or ended, id 0 when there is none yet.

    Raises:
        ChildProcessError: when there is neither a child nor a traced thread.
    """
    flags = _WALL if block else _WALL | 1
    while True:
        found: int = _wait4(pid, _status_address, flags, _usage_address)
        if found >= 0:
            return found, _status.value
        if ctypes.get_errno() != errno.EINTR:
            raise _failure("wait4")


def usage_of_ended() -> tuple[float, float, int]:
    """Return user seconds, system seconds and the largest resident set in KiB of what `wait_any` last saw end."""
    return _usage[0] + _usage[1] / 1e6, _usage[2] + _usage[3] / 1e6, _usage[4]


def read_memory(tid: int, address: int, size: int) -> bytes:
    """Return `size` bytes (at most 4096) of a stopped thread's memory, less where it ends; raises `OSError`."""
    _local[1] = _remote[1] = size
    _remote[0] = address
    got = _readv(tid, _local_address, 1, _remote_address, 1, 0)
    if got < 0:
        raise _failure("process_vm_readv")
    return ctypes.string_at(_local[0], got)


def read_text(tid: int, address: int) -> bytes:
    """Return the text of at most 4095 bytes that ends with a zero byte at `address`; raises `OSError`."""
    found = b""
    size = min(_FIRST_LOOK, _PAGE - address % _PAGE)
    while True:
        piece = read_memory(tid, address + len(found), size)
        end = piece.find(b"\0")
        if end >= 0:
            return found + piece[:end]
        found += piece
        if not piece or len(found) >= _PATH_MAX:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), "process_vm_readv")
        size = min(_PAGE - (address + len(found)) % _PAGE, _PATH_MAX - len(found))


def open_child_signals() -> int:
    """Return a descriptor that becomes readable when a child stops or ends; SIGCHLD must be blocked."""
    bits = (ctypes.c_uint64 * 16)(1 << (signals.SIGCHLD - 1))
    descriptor: int = _libc.signalfd(-1, ctypes.byref(bits), _SFD_CLOEXEC_NONBLOCK)
    if descriptor < 0:
        raise _failure("signalfd")
    return descriptor
