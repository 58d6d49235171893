"""Owns the folders of one worker below `scratch`: a trial's temporary folder, trajectory file, layers, copies."""

from __future__ import annotations

import os

import removal


class Folders:
    """The worker's own folder below a room's `scratch`, made at first need and removed at the end."""

    def __init__(self, scratch: str) -> None:
        """Make a new private folder below `scratch`; raises `OSError`."""
        os.makedirs(scratch, mode=0o700, exist_ok=True)
        self.scratch = scratch
        self.base = _make_new(f"{scratch}/worker-{os.getpid()}")
        self._tmp = f"{self.base}/tmp"  # noqa: S108  # below our own folder
        self._tmp_state: tuple[int, int] | None = None
        self._trajectory = f"{self.base}/trajectory"
        self._trajectory_state: tuple[int, int] | None = None

    def fresh_tmp(self) -> str:
        """Return the path of an empty 0700 folder; the one of the trial before is used again if nothing touched it."""
        if self._tmp_state is None or _state(self._tmp) != self._tmp_state:
            self._renew_tmp()
            self._tmp_state = _state(self._tmp)
        return self._tmp

    def _renew_tmp(self) -> None:
        """Empty the folder where it stands if it is still the one that was made, else make a new one."""
        if self._tmp_state is None or not self._empty_tmp(self._tmp_state[0]):
            removal.remove_tree(self._tmp)
            os.mkdir(self._tmp, 0o700)

    def _empty_tmp(self, inode: int) -> bool:
        """Empty the folder if it is one, has this inode and no attributes; only by descriptor, for it may be a link."""
        try:
            folder = removal.open_writable(self._tmp)
        except OSError:
            return False
        try:
            if os.fstat(folder).st_ino != inode or os.listxattr(folder):
                return False
            os.fchmod(folder, 0o700)
            removal.empty_folder(folder)
        finally:
            os.close(folder)
        return True

    def fresh_trajectory(self) -> str:
        """Return the path of an empty 0600 file for the trial to log its steps to."""
        if self._trajectory_state is None or _state(self._trajectory) != self._trajectory_state:
            removal.remove_tree(self._trajectory)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            os.close(os.open(self._trajectory, flags, 0o600))
            self._trajectory_state = _state(self._trajectory)
        return self._trajectory

    def remove(self) -> None:
        """Remove everything; what the system refuses to remove stays."""
        removal.remove_if_possible(self.base)


def _state(path: str) -> tuple[int, int] | None:
    """Return inode and change time: entries made, removed or chmod'ed change the second, and nobody can set it."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_ino, found.st_ctime_ns


def _make_new(stem: str) -> str:
    number = 0
    while True:
        path = f"{stem}-{number}"
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            number += 1
        else:
            return path
