"""Builds and installs the seccomp filter that stops a traced program at the calls of interest, and at no other."""

from __future__ import annotations

import ctypes
import os

import linux
from trace_calls import IO_URING, OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trace_calls import Machine

_PR_SET_SECCOMP = 22
_MODE_FILTER = 2
_ALLOW = 0x7FFF0000
_TRACE = 0x7FF00000
_REFUSE = 0x00050000
_EPERM, _EINVAL, _ENOSYS = 1, 22, 38

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_AT_NUMBER, _AT_ARCH, _AT_ARGUMENTS = 0, 4, 16

_X32 = 0x40000000
_O_PATH = os.O_PATH
_CLONE_UNTRACED = 0x00800000
_NEW_LISTENER = 8

CHANGED_ENVIRONMENT = (
    "no_new_privs: set-user-ID programs give no rights",
    "io_uring answers ENOSYS",
    "system calls of 32-bit programs answer ENOSYS",
    "clone with CLONE_UNTRACED answers EPERM",
    "a seccomp filter with a listener answers EINVAL",
    "ptrace does not work inside",
)
"""What a traced program finds otherwise than an untraced one."""


class Filter:
    """A compiled filter; built before the fork, so that the child has little to do."""

    def __init__(self, machine: Machine) -> None:
        """Compile the filter for `machine`."""
        code = _compile(machine)
        self._buffer = ctypes.create_string_buffer(code, len(code))
        self._program = (ctypes.c_uint64 * 2)(len(code) // 8, ctypes.addressof(self._buffer))

    def install(self) -> None:
        """Bind this process, and all that come of it, to the filter; raises `OSError`."""
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
        linux.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(self._program))


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return code.to_bytes(2, "little") + bytes((if_true, if_false)) + value.to_bytes(4, "little")


def _load_low(argument: int) -> bytes:
    return _step(_LOAD, _AT_ARGUMENTS + 8 * argument)  # little endian, as both processors are


def _load_high(argument: int) -> bytes:
    return _step(_LOAD, _AT_ARGUMENTS + 8 * argument + 4)


def _only_for(number: int, body: bytes) -> bytes:
    """Return `body`, which must end in a return, preceded by a jump over it for every other call."""
    return _step(_IF_EQUAL, number, 0, len(body) // 8) + body


def _refuse(error: int) -> bytes:
    return _step(_RETURN, _REFUSE | error)


def _compile(machine: Machine) -> bytes:
    allow, trace = _step(_RETURN, _ALLOW), _step(_RETURN, _TRACE)
    parts = [
        _step(_LOAD, _AT_ARCH),
        _step(_IF_EQUAL, machine.audit_arch, 1, 0),
        _refuse(_ENOSYS),
        _step(_LOAD, _AT_NUMBER),
        _step(_IF_AT_LEAST, _X32, 0, 1),
        _refuse(_ENOSYS),
    ]
    parts += [_only_for(number, _refuse(_ENOSYS)) for number in IO_URING]
    # A child that asks not to be traced would only find every recorded call refused (ENOSYS).
    untraced = _load_low(0) + _step(_IF_SET, _CLONE_UNTRACED, 0, 1) + _refuse(_EPERM) + allow
    parts.append(_only_for(machine.clone, untraced))
    # The answer of a listener outranks ours, and it can let a call go on that we then never see.
    listener = _load_low(1) + _step(_IF_SET, _NEW_LISTENER, 0, 1) + _refuse(_EINVAL) + allow
    parts.append(_only_for(machine.seccomp, listener))
    for number, call in machine.calls.items():
        body = trace
        if call.kind == OPEN and call.flags >= 0:  # O_PATH gives no access to what the file holds
            body = _load_low(call.flags) + _step(_IF_SET, _O_PATH, 0, 1) + allow + trace
        elif call.name == "sendto":  # without an address it is an ordinary write
            body = _load_low(4) + _step(_IF_EQUAL, 0, 0, 2) + _load_high(4) + _step(_IF_EQUAL, 0, 1, 0) + trace + allow
        parts.append(_only_for(number, body))
    parts.append(allow)
    return b"".join(parts)
