"""Takes from the commands of a trial the privileges with which root could step out of its private view."""

from __future__ import annotations

import os

import linux

_DROPPED = {
    "CAP_DAC_READ_SEARCH": 2,  # open_by_handle_at reaches files below the overlay
    "CAP_LINUX_IMMUTABLE": 9,  # files that the worker could not remove again
    "CAP_SYS_MODULE": 16,
    "CAP_SYS_RAWIO": 17,
    "CAP_SYS_PTRACE": 19,  # /proc/1/root, and the descriptors of the worker
    "CAP_SYS_PACCT": 20,
    "CAP_SYS_ADMIN": 21,  # umount, setns, mount
    "CAP_SYS_BOOT": 22,
    "CAP_SYS_TIME": 25,  # forged modification times
    "CAP_MKNOD": 27,  # the disk as a device
    "CAP_AUDIT_CONTROL": 30,
    "CAP_MAC_OVERRIDE": 32,
    "CAP_MAC_ADMIN": 33,
    "CAP_SYSLOG": 34,
    "CAP_PERFMON": 38,
    "CAP_BPF": 39,
    "CAP_CHECKPOINT_RESTORE": 40,
}


def restrict_commands() -> list[str]:
    """Drop the dangerous capabilities of all programs executed from now on; return the names of what is gone.

    Only the bounding set shrinks, so this process, which executes nothing itself, can still renew the view.
    The inheritable and ambient sets are emptied too, since they would bypass the bounding set, and no_new_privs keeps
    set-uid programs from giving anything back.

    Raises:
        OSError: when the kernel refuses; then the view must not be called private.
    """
    linux.clear_inheritable_capabilities()
    for number in _DROPPED.values():
        if _is_in_bounding_set(number):
            linux.prctl(linux.PR_CAPBSET_DROP, number)
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    return [name for name, number in _DROPPED.items() if not _is_in_bounding_set(number)]


def _is_in_bounding_set(number: int) -> bool:
    try:
        return linux.prctl(linux.PR_CAPBSET_READ, number) == 1
    except OSError:  # a kernel that does not know this capability
        return False


def is_restricted() -> bool:
    """Return whether the kernel confirms that executed programs get none of the dangerous capabilities."""
    if any(map(_is_in_bounding_set, _DROPPED.values())):
        return False
    return linux.prctl(linux.PR_GET_NO_NEW_PRIVS) == 1


def enter_mount_namespace() -> bool:
    """Move this process into a mount namespace of its own, by its own privilege; return False where it has none.

    Raises:
        OSError: when the privilege is there and the kernel refuses nevertheless.
    """
    try:
        linux.unshare(linux.CLONE_NEWNS)
    except PermissionError:
        return False
    _keep_mounts_private()
    return True


def enter_user_namespace() -> None:
    """Move this process into a user namespace that maps only its own user and group, and a mount namespace within.

    Raises:
        OSError: its `filename` is the step that failed; the process may then be in a namespace of no use.
    """
    user, group = os.geteuid(), os.getegid()
    linux.unshare(linux.CLONE_NEWUSER | linux.CLONE_NEWNS)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, text.encode("ascii"))
        except OSError as error:
            raise OSError(error.errno, error.strerror, name) from error
        finally:
            os.close(descriptor)
    _keep_mounts_private()


def _keep_mounts_private() -> None:
    linux.mount("none", "/", None, linux.MS_REC | linux.MS_PRIVATE, None)
