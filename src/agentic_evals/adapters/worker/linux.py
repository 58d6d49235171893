"""Makes the Linux system calls that Python 3.11 lacks; each failure is an `OSError` whose filename is the call."""

from __future__ import annotations

import ctypes
import os

PR_GET_NO_NEW_PRIVS = 39
PR_SET_NO_NEW_PRIVS = 38
PR_SET_CHILD_SUBREAPER = 36
PR_CAPBSET_READ = 23
PR_CAPBSET_DROP = 24
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000

MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mount.argtypes = [
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_ulong,
    ctypes.c_char_p,
]
_libc.prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong]


def _checked(result: int, call: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), call)
    return result


def prctl(option: int, first: int = 0, second: int = 0) -> int:
    """Ask the kernel about, or change, a property of this process; raises `OSError`."""
    return _checked(_libc.prctl(option, first, second, 0, 0), "prctl")


def become_subreaper() -> None:
    """Make every orphan among this process's descendants its own child, so that wait(2) accounts for all of them."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def unshare(flags: int) -> None:
    """Leave the namespaces named in `flags` for new ones; raises `OSError`."""
    _checked(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int, options: str | None) -> None:
    """Attach a file system at `target`; raises `OSError`."""
    result = _libc.mount(
        os.fsencode(source),
        os.fsencode(target),
        None if kind is None else kind.encode(),
        flags,
        None if options is None else os.fsencode(options),
    )
    _checked(result, "mount")


def unmount(target: str, flags: int = 0) -> None:
    """Take a mount away, as umount2(2) does; raises `OSError`."""
    _checked(_libc.umount2(os.fsencode(target), flags), "umount")


def clear_inheritable_capabilities() -> None:
    """Empty the inheritable and ambient capability sets, which would survive exec in spite of the bounding set."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()
    _checked(_libc.capget(ctypes.byref(header), ctypes.byref(sets)), "capget")
    sets[2] = sets[5] = 0
    _checked(_libc.capset(ctypes.byref(header), ctypes.byref(sets)), "capset")
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
