"""Removes folders that a hostile command has filled: any depth, any permission, and never through a link."""

from __future__ import annotations

import os
import stat

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OWNER_MAY_ALL = 0o700


def remove_tree(name: str, parent: int | None = None) -> None:
    """Remove the file or folder `name` (in the folder open as `parent`), with all that is in it; no error if missing.

    Sub-folders are moved up into the top one first, so that neither recursion nor the length of a path is a limit.

    Raises:
        OSError: when the system refuses, for instance for an immutable file.
    """
    try:
        if not stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            os.unlink(name, dir_fd=parent)
            return
    except FileNotFoundError:
        return
    top = open_writable(name, parent)
    try:
        _empty(top)
    finally:
        os.close(top)
    os.rmdir(name, dir_fd=parent)


def remove_if_possible(name: str, parent: int | None = None) -> None:
    """Remove a tree as `remove_tree` does; what the system refuses to remove stays, for the sweep of a later start."""
    try:
        remove_tree(name, parent)
    except OSError:
        return


def empty_folder(folder: int) -> None:
    """Remove all that is in an open folder, but not itself; raises `OSError`."""
    _empty(folder)


def open_writable(name: str, parent: int | None = None) -> int:
    """Open the folder `name` so that its entries can be removed, whatever its permissions; never through a link.

    Raises:
        NotADirectoryError: when it is a link or no folder.
        OSError: when the system refuses.
    """
    found = os.open(name, os.O_PATH | _FOLDER, dir_fd=parent)
    try:
        if os.fstat(found).st_mode & _OWNER_MAY_ALL != _OWNER_MAY_ALL:
            os.chmod(f"/proc/self/fd/{found}", _OWNER_MAY_ALL)  # a folder without permissions cannot be opened to read
        return os.open(f"/proc/self/fd/{found}", _FOLDER & ~os.O_NOFOLLOW)
    finally:
        os.close(found)


def _empty(top: int) -> None:
    lifting = _Lifting(top)
    lifting.clear(top)
    done = 0
    while done < lifting.count:
        name = lifting.name(done)
        folder = os.open(name, _FOLDER, dir_fd=top)
        try:
            lifting.clear(folder)
        finally:
            os.close(folder)
        os.rmdir(name, dir_fd=top)
        done += 1


class _Lifting:
    """The sub-folders that wait in the top folder under names that nothing else has."""

    def __init__(self, top: int) -> None:
        self.count = 0
        self._top = top
        self._prefix = f".{os.urandom(12).hex()}-"

    def name(self, number: int) -> str:
        return f"{self._prefix}{number}"

    def clear(self, folder: int) -> None:
        """Unlink the files of `folder` and move its sub-folders to the top."""
        with os.scandir(folder) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        for name, is_folder in found:
            if not is_folder:
                os.unlink(name, dir_fd=folder)
            elif not name.startswith(self._prefix):
                os.close(open_writable(name, folder))  # moving a folder needs the right to write into it
                os.rename(name, self.name(self.count), src_dir_fd=folder, dst_dir_fd=self._top)
                self.count += 1
