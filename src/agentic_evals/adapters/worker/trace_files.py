"""Tells which file a traced program means (by the kernel's own path) and what the file holds at that moment."""

from __future__ import annotations

import os
import stat

import lean

AT_FDCWD = -100
_CHUNK = 1 << 20
_MOST_REMEMBERED = 20_000
_MOST_HASHED_READ = 4 << 20
"""Files that are read are hashed up to this size, in bytes; programs always."""


def text(data: bytes) -> str:
    """Return bytes of the system as text that any JSON reader takes; what is no UTF-8 shows in hexadecimal."""
    return data.decode("utf-8", "backslashreplace")


class Regions:
    """The folders in which reading is recorded, too."""

    def __init__(self, folders: list[str]) -> None:
        """Know `folders` under the names given and under their resolved ones."""
        names: dict[bytes, None] = {}
        for folder in folders:
            for name in (os.path.normpath(folder), os.path.realpath(folder)):
                names[name.encode("utf-8", "surrogateescape").rstrip(b"/") + b"/"] = None
        self._prefixes = tuple(names)

    def hold(self, path: bytes) -> bool:
        """Return whether the absolute `path` is one of the folders or lies below one."""
        return (path + b"/").startswith(self._prefixes)


class Digests:
    """SHA-256 of files, computed once for each state of a file."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._known: dict[tuple[int, ...], str] = {}

    def of(self, path: str, found: os.stat_result) -> str | None:
        """Return the digest of the file at `path`, which has the state `found`; None where it cannot be read.

        The change time is part of the key: unlike the modification time, no program can set it.
        """
        key = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        digest = self._known.get(key)
        if digest is None:
            try:
                digest = _digest(path, found.st_size)
            except OSError:
                return None
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[key] = digest
        return digest


def _digest(path: str, size: int) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        digest = lean.small_sha256() if size <= _CHUNK // 16 else lean.large_sha256()
        while chunk := os.read(descriptor, _CHUNK):
            digest.update(chunk)
        return digest.hexdigest()
    finally:
        os.close(descriptor)


DIGESTS = Digests()
"""Shared by all trials of a worker: an interpreter is hashed once, not once a trial."""


def describe_open(path: str, *, digest: bool) -> dict[str, object]:
    """Return size, kind where it is no regular file, and digest (if asked for and the file is small) of `path`."""
    try:
        found = os.stat(path)
    except OSError:
        return {}
    if not stat.S_ISREG(found.st_mode):
        return {"type": "folder" if stat.S_ISDIR(found.st_mode) else "other"}
    facts: dict[str, object] = {"size": found.st_size}
    if found.st_nlink == 0:
        facts["unlinked"] = True
    if digest and found.st_size <= _MOST_HASHED_READ:
        facts["sha256"] = DIGESTS.of(path, found)
    return facts


def describe_program(pid: int) -> tuple[str, str | None]:
    """Return the kernel's path and the digest of the program that `pid` has just begun to run; raises `OSError`."""
    link = f"/proc/{pid}/exe"
    exe = os.readlink(os.fsencode(link))
    return text(exe), DIGESTS.of(link, os.stat(link))


def of_descriptor(tid: int, descriptor: int) -> bytes:
    """Return the kernel's path of an open file of `tid`; raises `OSError`."""
    return os.readlink(b"/proc/%d/fd/%d" % (tid, descriptor))


def folder_of(tid: int, descriptor: int) -> bytes:
    """Return the kernel's path of the folder that a call starts from; raises `OSError`."""
    if descriptor == AT_FDCWD:
        return os.readlink(b"/proc/%d/cwd" % tid)
    return of_descriptor(tid, descriptor)


def signed(value: int) -> int:
    """Return an argument that holds a C int as a number."""
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def as_given(tid: int, descriptor: int, path: bytes) -> bytes:
    """Return `path` made absolute, links in it not followed; raises `OSError`."""
    if path.startswith(b"/"):
        return _of_self(tid, path)
    folder = folder_of(tid, descriptor)
    return folder + b"/" + path if path else folder


def _of_self(tid: int, path: bytes) -> bytes:
    for alias in (b"/proc/self/", b"/proc/thread-self/"):
        if path.startswith(alias):
            return b"/proc/%d/" % tid + path[len(alias) :]
    return path


def place_of(tid: int, descriptor: int, path: bytes) -> bytes:
    """Return `path` with its folder resolved by the kernel and its last name as it is.

    This is what renaming, linking and deleting work on. Where the folder cannot be resolved (it is missing, or closed
    to us) the path is only made absolute. Raises `OSError` when not even that can be done.
    """
    given = as_given(tid, descriptor, path)
    bare = given.rstrip(b"/")
    head, _, name = bare.rpartition(b"/")
    if name in (b"", b".", b".."):
        head, name = given, b""
    try:
        folder = os.open(b"/proc/%d/root%s/" % (tid, head), os.O_PATH | os.O_CLOEXEC | os.O_DIRECTORY)
    except OSError:
        return given
    try:
        resolved = os.readlink(b"/proc/self/fd/%d" % folder)
    finally:
        os.close(folder)
    return resolved.rstrip(b"/") + b"/" + name if name else resolved


def exists(tid: int, descriptor: int, path: bytes) -> bool | None:
    """Return whether opening `path` would find a file; None where that cannot be told."""
    try:
        given = as_given(tid, descriptor, path)
        os.stat(b"/proc/%d/root%s" % (tid, given))
    except FileNotFoundError:
        return False
    except OSError:
        return None
    return True
