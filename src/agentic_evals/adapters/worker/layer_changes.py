"""Lists what the upper folder of an overlay says was created, modified or deleted."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from layer import Layer

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPAQUE = ("trusted.overlay.opaque", "user.overlay.opaque")
Known = dict[str, tuple[int, int, int]]
"""Path in the view -> (inode, mtime in ns, size) of a file that was put there before the command."""


def state_of(found: os.stat_result) -> tuple[int, int, int]:
    """Return what tells one version of a file from the next."""
    return found.st_ino, found.st_mtime_ns, found.st_size


def is_whiteout(found: os.stat_result) -> bool:
    """Return whether a file of the upper folder is overlayfs's mark for "deleted"."""
    return stat.S_ISCHR(found.st_mode) and found.st_rdev == 0


def list_changes(layer: Layer, known: Known, most: int) -> tuple[list[dict[str, object]], bool]:
    """Return at most `most` changes of one layer, and whether there are more; files as in `known` are left out."""
    walk = _Walk(layer, known, most)
    walk.run()
    return walk.changes, walk.truncated


class _Walk:
    """One look through an upper folder, deepest paths not before their parents."""

    def __init__(self, layer: Layer, known: Known, most: int) -> None:
        self._layer = layer
        self._known = known
        self._most = most
        self._todo: list[tuple[str, bool]] = [("", True)]
        self.changes: list[dict[str, object]] = []
        self.truncated = False

    def run(self) -> None:
        while self._todo and not self.truncated:
            relative, has_lower = self._todo.pop()
            try:
                folder = os.open(relative or ".", _FOLDER, dir_fd=self._layer.upper)
            except OSError:  # a path too long to be named whole
                self.truncated = True
                return
            try:
                self._look(relative, folder, has_lower=has_lower)
            finally:
                os.close(folder)

    def _look(self, relative: str, folder: int, *, has_lower: bool) -> None:
        has_lower = has_lower and not is_opaque(folder)
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries)
        for name in names:
            path = f"{relative}/{name}" if relative else name
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            self._judge(path, found, self._lower_mode(path) if has_lower else None)
            if self.truncated:
                return

    def _lower_mode(self, path: str) -> int | None:
        try:
            return os.stat(path, dir_fd=self._layer.lower, follow_symlinks=False).st_mode
        except OSError:
            return None

    def _judge(self, path: str, found: os.stat_result, lower_mode: int | None) -> None:
        if is_whiteout(found):
            self._add(path, "deleted", 0)
            return
        if stat.S_ISDIR(found.st_mode):
            lower_is_folder = lower_mode is not None and stat.S_ISDIR(lower_mode)
            if not lower_is_folder:
                self._add(path, "created" if lower_mode is None else "modified", 0)
            self._todo.append((path, lower_is_folder))
            return
        if self._known.get(f"{self._layer.point}/{path}") != state_of(found):
            self._add(path, "created" if lower_mode is None else "modified", found.st_size)

    def _add(self, path: str, kind: str, size: int) -> None:
        if len(self.changes) >= self._most:
            self.truncated = True
            return
        self.changes.append({"path": f"{self._layer.point}/{path}", "kind": kind, "size": size})


def is_opaque(folder: int) -> bool:
    """Return whether an open upper folder hides the lower one of its name."""
    for name in _OPAQUE:
        try:
            if os.getxattr(folder, name) == b"y":
                return True
        except OSError:
            continue
    return False
