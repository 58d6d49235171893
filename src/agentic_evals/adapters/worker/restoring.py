"""Takes back, through the mounted overlay, what a trial merely created: much cheaper than a new overlay.

Most trials that write at all write new files. Removing those through the view leaves the upper folder with nothing but
folders that overlayfs copied up to hold them; as long as these show exactly what the lower ones show, the view is as at
first. Anything else (a changed or deleted file, a changed owner, mode or attribute) is left to a new overlay.
"""

from __future__ import annotations

import os
import stat

import removal
from layer_changes import is_opaque, is_whiteout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from layer import Layer

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_FOLDERS = 50
_MOST_CREATED = 200
_OVERLAY_ATTRIBUTES = ("trusted.overlay.", "user.overlay.")
Skeleton = dict[str, int]
"""Path of a folder in the upper folder ("" for itself) -> its ctime in ns when the view was clean."""


class NotRestorable(Exception):
    """The trial did more than create: only a new overlay shows the first state again."""


def read_skeleton(upper: int) -> Skeleton | None:
    """Return the folders of the upper folder with their change times; None when there is anything else in it."""
    skeleton: Skeleton = {}
    todo = [""]
    while todo:
        relative = todo.pop()
        folder = os.open(relative, _FOLDER, dir_fd=upper) if relative else os.dup(upper)
        try:
            skeleton[relative] = os.fstat(folder).st_ctime_ns
            for name in os.listdir(folder):
                if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    return None
                todo.append(f"{relative}/{name}" if relative else name)
        finally:
            os.close(folder)
        if len(skeleton) + len(todo) > _MOST_FOLDERS:
            return None
    return skeleton


def restore(layer: Layer) -> Skeleton:
    """Remove what was created in the view of `layer`; return the skeleton that is left.

    Raises:
        NotRestorable: when that does not bring back the first state; the view is then in no defined state.
        OSError: the same.
    """
    created, kept = _survey(layer)
    for path in created:
        removal.remove_tree(f"{layer.point}/{path}")
    for path in reversed(kept):
        lower = os.stat(path or ".", dir_fd=layer.lower, follow_symlinks=False)
        os.utime(f"{layer.point}/{path}", ns=(lower.st_atime_ns, lower.st_mtime_ns), follow_symlinks=False)
    skeleton = read_skeleton(layer.upper)
    if skeleton is None or set(skeleton) != set(kept):
        raise NotRestorable
    return skeleton


def _survey(layer: Layer) -> tuple[list[str], list[str]]:
    """Return what is new in the upper folder, and the copied-up folders around it, parents first."""
    created: list[str] = []
    kept: list[str] = []
    todo = [""]
    while todo:
        relative = todo.pop()
        kept.append(relative)
        folder = os.open(relative or ".", _FOLDER, dir_fd=layer.upper)
        try:
            _require_equal(folder, os.stat(relative or ".", dir_fd=layer.lower, follow_symlinks=False))
            for name in os.listdir(folder):
                path = f"{relative}/{name}" if relative else name
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
                (todo if _has_lower(layer, path, found) else created).append(path)
        finally:
            os.close(folder)
        if len(kept) + len(todo) > _MOST_FOLDERS or len(created) > _MOST_CREATED:
            raise NotRestorable
    return created, kept


def _has_lower(layer: Layer, path: str, found: os.stat_result) -> bool:
    """Return whether a folder stands over a lower one; False for what is new."""
    if is_whiteout(found):
        raise NotRestorable
    try:
        lower = os.stat(path, dir_fd=layer.lower, follow_symlinks=False)
    except FileNotFoundError:
        return False
    if not (stat.S_ISDIR(found.st_mode) and stat.S_ISDIR(lower.st_mode)):
        raise NotRestorable
    return True


def _require_equal(folder: int, lower: os.stat_result) -> None:
    upper = os.fstat(folder)
    same = (upper.st_mode, upper.st_uid, upper.st_gid) == (lower.st_mode, lower.st_uid, lower.st_gid)
    foreign = [name for name in os.listxattr(folder) if not name.startswith(_OVERLAY_ATTRIBUTES)]
    if not same or foreign or is_opaque(folder):
        raise NotRestorable
