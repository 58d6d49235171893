"""Spares the second stop of an open where its outcome is known beforehand to be of no interest."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trace_files import Regions

_WORLD_READABLE = 0o004
_MOST_FOLDERS = 10_000


class Elsewhere:
    """Folders outside the regions, learnt from opens that were followed to their end.

    A plain file that everybody may read, in such a folder, can be opened for reading, and is no part of the record.
    That holds as long as no name comes to mean another place: what can bring that about is recorded too, and empties
    this memory.
    """

    def __init__(self, regions: Regions) -> None:
        """Know no folder yet."""
        self._regions = regions
        self._folders: dict[bytes, bytes] = {}
        self._moving = 0
        self._trusted = True

    def holds(self, path: bytes) -> bool:
        """Return whether opening `path` for reading is sure to be no event."""
        if self._moving or not self._trusted:
            return False
        head, _, name = path.rpartition(b"/")
        folder = self._folders.get(head)
        if folder is None or name in (b"", b".", b"..") or self._regions.hold(folder + b"/" + name):
            return False
        try:
            mode = os.lstat(path).st_mode
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return stat.S_ISREG(mode) and bool(mode & _WORLD_READABLE)

    def learn(self, given: bytes, path: bytes) -> None:
        """Remember the folder of a file that was opened by the name `given` and is `path` to the kernel."""
        head, _, name = given.rpartition(b"/")
        folder, _, real_name = path.rpartition(b"/")
        if not given.startswith(b"/") or name != real_name or self._moving or head in self._folders:
            return
        try:
            if not stat.S_ISREG(os.lstat(given).st_mode):
                return  # a link: its own folder is still unknown
        except OSError:
            return
        if len(self._folders) < _MOST_FOLDERS:
            self._folders[head] = folder

    def names_begin_to_change(self) -> None:
        """Forget everything, and learn nothing until as many changes have ended."""
        self._moving += 1
        self._folders.clear()

    def names_have_changed(self) -> None:
        """Note the end of a change."""
        self._moving -= 1

    def stop_trusting(self) -> None:
        """Never spare a stop again: the program sees another tree of files than we do."""
        self._trusted = False
