"""Looks at the files that a job names, after the command: what they are, who wrote them, what they hold."""

from __future__ import annotations

import errno
import os
import stat

import lean
from streams import Capture
from view import within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protocol import Observation
    from streams import Spool
    from view import View

_CHUNK = 256 * 1024
Before = dict[str, "tuple[int | None, int] | None"]
"""Requested path -> (inode, None where it says nothing; mtime in ns) before the command, None where missing."""


class Observer:
    """Looks at the paths of one view, from one working folder."""

    def __init__(self, view: View, cwd: str, spool: Spool) -> None:
        """Resolve relative paths from `cwd` (as seen in the workspace); spool large files."""
        self._view = view
        self._cwd = cwd
        self._spool = spool

    def _path(self, wanted: Observation) -> str:
        return self._view.locate(os.path.join(self._cwd, wanted.path))

    def look_before(self, wanted: list[Observation]) -> Before:
        """Return what the later question "is it fresh" is measured against."""
        before: Before = {}
        for one in wanted:
            try:
                found = os.stat(self._path(one))
            except (OSError, ValueError):
                before[one.path] = None
            else:
                before[one.path] = (found.st_ino, found.st_mtime_ns)
        return before

    def look(self, one: Observation, before: Before | None) -> dict[str, object]:
        """Return one entry of `observed`; `before` None means: compare with the fresh room where that is known.

        Raises:
            SpoolError: when a large file could not be kept whole.
        """
        seen: dict[str, object] = {
            "path": one.path,
            "kind": "missing",
            "errno": None,
            "message": None,
            "size": 0,
            "fresh": False,
            "fresh_by": "none",
            "blob": None,
            "reread": None,
        }
        try:
            self._fill(seen, one, before)
        except (FileNotFoundError, NotADirectoryError) as error:
            seen.update(kind="missing", errno=error.errno, message=error.strerror)
        except OSError as error:
            seen.update(kind="error", errno=error.errno, message=error.strerror)
        except ValueError as error:  # a NUL byte in the path
            seen.update(kind="error", errno=errno.EINVAL, message=str(error))
        return seen

    def _fill(self, seen: dict[str, object], one: Observation, before: Before | None) -> None:
        named = self._path(one)
        path = os.path.realpath(named)
        if not one.allow_outside and not within(path, self._view.root):
            seen.update(kind="outside", message=f"leads to {path}")
            return
        os.stat(named)  # names a loop of links as such, which realpath would hide
        found = os.stat(path, follow_symlinks=False)
        seen["size"] = found.st_size
        seen["fresh_by"] = self._fresh_by(path, found, self._earlier(one.path, path, before))
        seen["fresh"] = seen["fresh_by"] != "none"
        if stat.S_ISREG(found.st_mode):
            seen["kind"] = "file"
            self._read(seen, one, path)
        else:
            seen["kind"] = "directory" if stat.S_ISDIR(found.st_mode) else "other"
            seen["size"] = 0

    def _earlier(self, name: str, path: str, before: Before | None) -> tuple[int | None, int] | None:
        if before is not None:
            return before[name]
        try:
            return self._view.written_before(path)
        except LookupError:
            found = os.stat(path, follow_symlinks=False)
            return found.st_ino, found.st_mtime_ns

    def _fresh_by(self, path: str, found: os.stat_result, earlier: tuple[int | None, int] | None) -> str:
        in_layer = self._view.written(path)
        if in_layer is False:
            return "none"
        if earlier is None:
            return "upper" if in_layer else "created"
        inode, mtime = earlier
        if inode is not None and found.st_ino != inode:
            return "inode"
        return "none" if found.st_mtime_ns == mtime else "mtime"

    def _read(self, seen: dict[str, object], one: Observation, path: str) -> None:
        if found_size(path) > one.max_bytes:
            seen.update(errno=errno.EFBIG, message=f"larger than {one.max_bytes} bytes: not read")
            return
        capture = Capture(self._spool, "observed", one.max_bytes)
        descriptor = self._open(path, one)
        try:
            while (chunk := os.read(descriptor, _CHUNK)) and not capture.failed:
                capture.add(chunk)
            if capture.over_limit:  # it grew while it was read
                capture.discard()
                seen.update(errno=errno.EFBIG, message=f"larger than {one.max_bytes} bytes: not kept")
                return
            if one.reread:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        seen["size"] = capture.size
        seen["blob"] = capture.finish()
        if one.reread:
            seen["reread"] = self._read_again(path, one)

    def _open(self, path: str, one: Observation) -> int:
        """Open a resolved path; a link put there since, or anything that would block, is refused."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        descriptor = os.open(path, flags)
        opened = os.readlink(f"/proc/self/fd/{descriptor}")
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        if not is_file or (opened != path and not (one.allow_outside or within(opened, self._view.root))):
            os.close(descriptor)
            raise OSError(errno.ESTALE, "changed while it was looked at", path)
        return descriptor

    def _read_again(self, path: str, one: Observation) -> dict[str, object]:
        """Sync the file, drop what the system remembers of it, and hash it anew."""
        self._sync_layer_file(path)
        descriptor = self._open(path, one)
        try:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            digest = lean.large_sha256()
            size = 0
            while chunk := os.read(descriptor, _CHUNK):
                digest.update(chunk)
                size += len(chunk)
        finally:
            os.close(descriptor)
        return {"size": size, "sha256": digest.hexdigest()}

    def _sync_layer_file(self, path: str) -> None:
        """A volatile overlay takes no fsync: the file below it does."""
        real = self._view.layer_file(path)
        if real is None:
            return
        try:
            descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return  # not written by the trial: nothing to sync
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def found_size(path: str) -> int:
    """Return the size in bytes of what stands at a resolved path; raises `OSError`."""
    return os.stat(path, follow_symlinks=False).st_size
