"""Gives trials a full copy of the workspace at another path, where no overlay can be had."""

from __future__ import annotations

import errno
import fcntl
import os
import stat

import removal
from lean import override
from overlay import separate_trees
from view import RoomUnavailable, View, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from folders import Folders
    from protocol import RoomSpec

_FICLONE = 0x40049409
_CHUNK = 1 << 20
Manifest = dict[str, tuple[int, int, int, int, int]]
"""Path in the copy -> (inode, mtime ns, ctime ns, size, mode)."""


class CopiedView(View):
    """A copy of the workspace (and of every further tree) that is made again when a trial changed it."""

    mode = "copy"
    mechanism = "copy"
    private = "observed"

    def __init__(self, spec: RoomSpec, folders: Folders) -> None:
        """Copy the trees within the limits of `spec`; raises `RoomUnavailable`."""
        super().__init__(spec)
        if spec.copy_forbidden is not None:
            raise RoomUnavailable("copy", None, "copy_forbidden", spec.copy_forbidden)
        self._base = f"{folders.base}/copy"
        self._used = False
        self._manifest: Manifest = {}
        self._trees = [
            (tree, f"{self._base}/{number}/{os.path.basename(tree) or 'root'}")
            for number, tree in enumerate(separate_trees([spec.workspace, *spec.also]))
        ]
        for tree, _ in self._trees:
            if within(folders.base, tree):
                raise RoomUnavailable("copy", None, "scratch", f"{folders.base} lies inside {tree}")
        self.root = self.locate(spec.workspace)
        self._make()

    def _make(self) -> None:
        try:
            removal.remove_tree(self._base)
            copier = _Copier(self._trees, self.spec.copy_bytes, self.spec.copy_files)
            for tree, target in self._trees:
                os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
                copier.copy(tree, target)
            self._point_git_into_the_copy()
            self._manifest = self._look()
        except OSError as error:
            self.close()
            raise RoomUnavailable("copy", error.errno, "copy", f"{error.filename}: {error.strerror}") from error
        except RoomUnavailable:
            self.close()
            raise

    def _point_git_into_the_copy(self) -> None:
        """Make the `.git` file of a linked worktree name the copied repository: else a commit reaches the real one."""
        pointer = f"{self.root}/.git"
        try:
            with open(pointer, encoding="utf-8", errors="surrogateescape") as file:
                text = file.read(65536)
        except OSError:
            return  # no pointer: a folder, or no repository
        admin = text.removeprefix("gitdir:").strip()
        if not text.startswith("gitdir:") or not admin.startswith("/") or self.locate(admin) == admin:
            return
        _write(pointer, f"gitdir: {self.locate(admin)}\n")
        if os.path.exists(f"{self.locate(admin)}/gitdir"):
            _write(f"{self.locate(admin)}/gitdir", f"{pointer}\n")

    def _look(self) -> Manifest:
        seen: Manifest = {}
        todo = [target for _, target in self._trees]
        for top in todo:
            seen[top] = _state(os.lstat(top))
        while todo:
            with os.scandir(todo.pop()) as entries:
                for entry in entries:
                    seen[entry.path] = _state(entry.stat(follow_symlinks=False))
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
        return seen

    @override
    def refresh(self) -> None:
        """Copy again if anything in the copy differs from how it was made; raises `RoomUnavailable`."""
        if not self._used:
            return
        try:
            unchanged = self._look() == self._manifest
        except OSError:
            unchanged = False
        if not unchanged:
            self._make()
        self._used = False

    @override
    def note_use(self) -> None:
        """Remember that the copy may be dirty now."""
        self._used = True

    @override
    def locate(self, path: str) -> str:
        """Return where in the copy a path of the workspace is found; other paths stay."""
        for tree, target in self._trees:
            if within(path, tree):
                return target + path[len(tree) :] if tree != "/" else target + path
        return path

    @override
    def written_before(self, path: str) -> tuple[int | None, int] | None:
        """Return inode and mtime of what the fresh copy held at `path`."""
        found = self._manifest.get(path)
        return None if found is None else (found[0], found[1])

    @override
    def close(self) -> None:
        """Delete the copy."""
        removal.remove_if_possible(self._base)


def _state(found: os.stat_result) -> tuple[int, int, int, int, int]:
    size = 0 if stat.S_ISDIR(found.st_mode) else found.st_size
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, size, found.st_mode


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


class _Copier:
    """Copies trees and counts what it copied against the limits."""

    def __init__(self, trees: list[tuple[str, str]], most_bytes: int, most_files: int) -> None:
        self._trees = trees
        self._bytes_left = most_bytes
        self._files_left = most_files

    def copy(self, source: str, target: str) -> None:
        folders = [(source, target)]
        made: list[tuple[str, str]] = []
        while folders:
            here, there = folders.pop()
            os.mkdir(there, 0o700)
            made.append((here, there))
            with os.scandir(here) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append((entry.path, f"{there}/{entry.name}"))
                    else:
                        self._copy_entry(entry, f"{there}/{entry.name}")
        for here, there in reversed(made):  # times last: making entries changes them
            _copy_attributes(os.lstat(here), there)

    def _copy_entry(self, entry: os.DirEntry[str], target: str) -> None:
        found = entry.stat(follow_symlinks=False)
        self._count(found)
        if entry.is_symlink():
            os.symlink(self._link_target(os.readlink(entry.path)), target)
        elif stat.S_ISREG(found.st_mode):
            _copy_file(entry.path, target)
            _copy_attributes(found, target)
        elif stat.S_ISFIFO(found.st_mode):
            os.mkfifo(target, stat.S_IMODE(found.st_mode))

    def _link_target(self, destination: str) -> str:
        """An absolute link into a copied tree must lead into the copy, or a write through it reaches the original."""
        for tree, target in self._trees:
            if within(destination, tree):
                return target + destination[len(tree) :]
        return destination

    def _count(self, found: os.stat_result) -> None:
        self._files_left -= 1
        if stat.S_ISREG(found.st_mode):
            self._bytes_left -= found.st_size
        if self._files_left < 0 or self._bytes_left < 0:
            raise RoomUnavailable("copy", errno.EFBIG, "copy_limit", "the workspace is larger than the copy limit")


def _copy_file(source: str, target: str) -> None:
    """Copy the bytes of one regular file: shared blocks where the file system can, never a hard link."""
    reading = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        writing = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.ioctl(writing, _FICLONE, reading)
            except OSError:
                _copy_bytes(reading, writing)
        finally:
            os.close(writing)
    finally:
        os.close(reading)


def _copy_bytes(reading: int, writing: int) -> None:
    while chunk := os.read(reading, _CHUNK):
        rest = memoryview(chunk)
        while rest:
            rest = rest[os.write(writing, rest) :]


def _give_away(target: str, found: os.stat_result) -> None:
    try:
        os.chown(target, found.st_uid, found.st_gid)
    except OSError:
        return  # only root can


def _copy_attributes(found: os.stat_result, target: str) -> None:
    if (found.st_uid, found.st_gid) != (os.geteuid(), os.getegid()):
        _give_away(target, found)
    os.chmod(target, stat.S_IMODE(found.st_mode))
    os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
