"""Lists the system calls that the recorder looks at and where their arguments are, for each processor.

The numbers of aarch64 are those of the kernel's generic table; that half is untested.
"""

from __future__ import annotations

OPEN, EXEC, MOVE, LINK, SYMLINK, DELETE, CHANGE, MAKE, NET, MESSAGE, NOTE, REARRANGE = range(12)
"""What a call does; each kind is decoded in its own way."""


class Call:
    """One system call: its kind, and the positions of its arguments (-1 where it has none of that sort)."""

    __slots__ = ("aarch64", "flags", "folder", "kind", "name", "other_folder", "other_path", "path", "x86_64")

    def __init__(
        self,
        name: str,
        kind: int,
        numbers: tuple[int, int],
        *,
        folder: int = -1,
        path: int = -1,
        flags: int = -1,
        other_folder: int = -1,
        other_path: int = -1,
    ) -> None:
        """Describe a call; `numbers` are those of x86-64 and aarch64, -1 where the processor does not have it."""
        self.name = name
        self.kind = kind
        self.x86_64, self.aarch64 = numbers
        self.folder = folder
        self.path = path
        self.flags = flags
        self.other_folder = other_folder
        self.other_path = other_path


CALLS = (
    Call("open", OPEN, (2, -1), path=0, flags=1),
    Call("creat", OPEN, (85, -1), path=0),
    Call("openat", OPEN, (257, 56), folder=0, path=1, flags=2),
    Call("openat2", OPEN, (437, 437), folder=0, path=1),
    Call("open_by_handle_at", OPEN, (304, 265), flags=2),
    Call("execve", EXEC, (59, 221), path=0),
    Call("execveat", EXEC, (322, 281), folder=0, path=1, flags=4),
    Call("rename", MOVE, (82, -1), path=0, other_path=1),
    Call("renameat", MOVE, (264, 38), folder=0, path=1, other_folder=2, other_path=3),
    Call("renameat2", MOVE, (316, 276), folder=0, path=1, other_folder=2, other_path=3, flags=4),
    Call("link", LINK, (86, -1), path=0, other_path=1),
    Call("linkat", LINK, (265, 37), folder=0, path=1, other_folder=2, other_path=3, flags=4),
    Call("symlink", SYMLINK, (88, -1), path=1, other_path=0),
    Call("symlinkat", SYMLINK, (266, 36), folder=1, path=2, other_path=0),
    Call("unlink", DELETE, (87, -1), path=0),
    Call("unlinkat", DELETE, (263, 35), folder=0, path=1, flags=2),
    Call("rmdir", DELETE, (84, -1), path=0),
    Call("truncate", CHANGE, (76, 45), path=0),
    Call("chmod", CHANGE, (90, -1), path=0, flags=1),
    Call("fchmodat", CHANGE, (268, 53), folder=0, path=1, flags=2),
    Call("fchmodat2", CHANGE, (452, 452), folder=0, path=1, flags=2),
    Call("mkdir", MAKE, (83, -1), path=0),
    Call("mkdirat", MAKE, (258, 34), folder=0, path=1),
    Call("mknod", MAKE, (133, -1), path=0),
    Call("mknodat", MAKE, (259, 33), folder=0, path=1),
    Call("connect", NET, (42, 203), path=1),
    Call("bind", NET, (49, 200), path=1),
    Call("sendto", NET, (44, 206), path=4),
    Call("sendmsg", MESSAGE, (46, 211), path=1),
    Call("sendmmsg", MESSAGE, (307, 269), path=1),
    Call("ptrace", NOTE, (101, 117)),
    Call("process_vm_writev", NOTE, (311, 271)),
    Call("mount", REARRANGE, (165, 40)),
    Call("move_mount", REARRANGE, (429, 429)),
    Call("pivot_root", REARRANGE, (155, 41)),
    Call("chroot", REARRANGE, (161, 51)),
    Call("setns", REARRANGE, (308, 268)),
)

IO_URING = (425, 426, 427)
"""Calls that would do the work of others unseen; one number everywhere."""


class Machine:
    """What differs between processors, besides the numbers of `CALLS`."""

    def __init__(self, name: str, audit_arch: int, clone: int, seccomp: int, calls: dict[int, Call]) -> None:
        """Describe a processor; `calls` are what the recorder looks at, by number."""
        self.name = name
        self.audit_arch = audit_arch
        self.clone = clone
        self.seccomp = seccomp
        self.calls = calls


_MACHINES = {
    "x86_64": Machine("x86_64", 0xC000003E, 56, 317, {call.x86_64: call for call in CALLS}),
    "aarch64": Machine("aarch64", 0xC00000B7, 220, 277, {call.aarch64: call for call in CALLS if call.aarch64 >= 0}),
}


def machine_named(name: str) -> Machine | None:
    """Return the processor that uname(2) calls `name`; None where its system calls are not known here."""
    return _MACHINES.get(name)
