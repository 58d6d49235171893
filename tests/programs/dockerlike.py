"""Executes a command with the capabilities and the system calls that Docker leaves a container by default.

Usage: dockerlike.py COMMAND [ARGUMENT...]. An emulation for tests, on x86-64 and aarch64: what Docker refuses without
CAP_SYS_ADMIN (namespaces, mounts, keys, tracing of the kernel) answers EPERM, and clone3 answers ENOSYS so that the
flags of clone can be looked at. Works as root (drops capabilities) and as any other user (filter only).
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
ALLOW = 0x7FFF0000
REFUSE = 0x00050000
EPERM, ENOSYS = 1, 38
NAMESPACE_FLAGS = 0x7E020000

# chown dac_override fowner fsetid kill setgid setuid setpcap net_bind_service net_raw sys_chroot mknod audit_write
# setfcap
KEPT_CAPABILITIES = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}

REFUSED = {
    "x86_64": {
        "mount": 165, "umount2": 166, "pivot_root": 155, "unshare": 272, "setns": 308, "bpf": 321,
        "perf_event_open": 298, "fanotify_init": 300, "open_by_handle_at": 304, "init_module": 175,
        "finit_module": 313, "delete_module": 176, "kexec_load": 246, "reboot": 169, "swapon": 167, "acct": 163,
        "add_key": 248, "request_key": 249, "keyctl": 250, "settimeofday": 164, "quotactl": 179, "sethostname": 170,
    },
    "aarch64": {
        "mount": 40, "umount2": 39, "pivot_root": 41, "unshare": 97, "setns": 268, "bpf": 280,
        "perf_event_open": 241, "fanotify_init": 262, "open_by_handle_at": 265, "init_module": 105,
        "finit_module": 273, "delete_module": 106, "kexec_load": 104, "reboot": 142, "swapon": 224, "acct": 89,
        "add_key": 217, "request_key": 218, "keyctl": 219, "settimeofday": 170, "quotactl": 60, "sethostname": 161,
    },
}  # fmt: skip
# io_uring and the newer mount calls have one number everywhere.
REFUSED_EVERYWHERE = (425, 426, 427, 428, 429, 430, 431, 432, 433, 442)
CLONE = {"x86_64": 56, "aarch64": 220}
CLONE3 = 435

LOAD_WORD, JUMP_EQUAL, JUMP_SET, RETURN = 0x20, 0x15, 0x45, 0x06


class Filter(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def instruction(code: int, if_true: int, if_false: int, value: int) -> bytes:
    """Return one BPF instruction."""
    return struct.pack("HBBI", code, if_true, if_false, value)


def refuse(number: int, error: int) -> bytes:
    """Return the instructions that let one system call fail."""
    return instruction(JUMP_EQUAL, 0, 1, number) + instruction(RETURN, 0, 0, REFUSE | error)


def program(machine: str) -> bytes:
    """Return the whole filter."""
    parts = [instruction(LOAD_WORD, 0, 0, 0)]
    parts += [refuse(number, EPERM) for number in (*REFUSED[machine].values(), *REFUSED_EVERYWHERE)]
    parts.append(refuse(CLONE3, ENOSYS))
    parts.append(instruction(JUMP_EQUAL, 0, 3, CLONE[machine]))
    parts.append(instruction(LOAD_WORD, 0, 0, 16))
    parts.append(instruction(JUMP_SET, 0, 1, NAMESPACE_FLAGS))
    parts.append(instruction(RETURN, 0, 0, REFUSE | EPERM))
    parts.append(instruction(RETURN, 0, 0, ALLOW))
    return b"".join(parts)


def check(result: int, what: str) -> None:
    """End with a message when a call failed."""
    if result != 0:
        sys.exit(f"dockerlike: {what}: {os.strerror(ctypes.get_errno())}")


def keep_only_docker_capabilities(libc: ctypes.CDLL) -> None:
    """Leave root with Docker's default set."""
    for number in range(64):
        if number not in KEPT_CAPABILITIES:
            libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)
    mask = sum(1 << number for number in KEPT_CAPABILITIES)
    header = struct.pack("II", 0x20080522, 0)
    sets = struct.pack("6I", mask & 0xFFFFFFFF, mask & 0xFFFFFFFF, 0, mask >> 32, mask >> 32, 0)
    check(libc.capset(header, sets), "capset")


def main() -> None:
    """Restrict this process and become the command."""
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() == 0:
        keep_only_docker_capabilities(libc)
    code = program(os.uname().machine)
    buffer = ctypes.create_string_buffer(code, len(code))
    described = Filter(len(code) // 8, ctypes.addressof(buffer))
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    check(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(described), 0, 0), "seccomp")
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
