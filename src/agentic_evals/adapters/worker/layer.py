"""Lays one writable overlay over one folder at the folder's own path, and tells what was written into it."""

from __future__ import annotations

import errno
import os
import stat

import linux
import removal
import restoring
from view import RoomUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from restoring import Skeleton

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_MOST_WASTE = 40
_KEPT_MOUNT_FLAGS = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC


class Layer:
    """An overlay of `point` whose upper and work folders lie in the folder open as `store`."""

    def __init__(self, point: str, store: int, number: int, *, unprivileged: bool) -> None:
        """Remember what is at `point` now as the lower folder; raises `OSError`."""
        self.point = point
        self.lower = os.open(point, _FOLDER)
        self.upper = -1
        self._store = store
        self._number = number
        self._generation = 0
        self._skeleton: Skeleton = {}
        self._waste: list[str] = []
        self._flags = os.fstatvfs(self.lower).f_flag & _KEPT_MOUNT_FLAGS
        # Without "volatile" each unmount would write back the whole file system that holds the upper folder.
        self._options = "index=off,metacopy=off,volatile," + ("userxattr" if unprivileged else "redirect_dir=on")

    def mount(self) -> None:
        """Mount the overlay with new, empty upper and work folders.

        Raises:
            RoomUnavailable: when the kernel refuses; `at` is the step.
        """
        self._generation += 1
        try:
            work = self._new_folder("work")
            self.upper = self._new_folder("upper")
            self._copy_attributes()
            paths = f"lowerdir={_by_fd(self.lower)},upperdir={_by_fd(self.upper)},workdir={_by_fd(work)}"
            try:
                linux.mount("overlay", self.point, "overlay", self._flags, f"{paths},{self._options}")
            finally:
                os.close(work)
        except OSError as error:
            at = error.filename if error.filename == "mount" else "layers"
            raise RoomUnavailable("overlay", error.errno, str(at), f"{self.point}: {error.strerror}") from error
        self._skeleton = {"": os.fstat(self.upper).st_ctime_ns}

    def _name(self, kind: str) -> str:
        return f"{kind}-{self._number}-{self._generation}"

    def _new_folder(self, kind: str) -> int:
        os.mkdir(self._name(kind), 0o700, dir_fd=self._store)
        return os.open(self._name(kind), _FOLDER, dir_fd=self._store)

    def _copy_attributes(self) -> None:
        """Give the upper folder what the view shows of its root: owner, mode and times of the lower one."""
        lower = os.fstat(self.lower)
        if (lower.st_uid, lower.st_gid) != (os.geteuid(), os.getegid()):
            try:
                os.fchown(self.upper, lower.st_uid, lower.st_gid)
            except PermissionError:
                pass  # another user's workspace: its root then looks like ours
            except OSError as error:
                if error.errno != errno.EINVAL:  # an owner that the user namespace has no number for
                    raise
        os.fchmod(self.upper, stat.S_IMODE(lower.st_mode))
        os.utime(self.upper, ns=(lower.st_atime_ns, lower.st_mtime_ns))

    def is_clean(self) -> bool:
        """Return whether nothing was written: the upper folder holds what it held when clean, and nothing is newer."""
        if len(self._skeleton) > 1:
            return restoring.read_skeleton(self.upper) == self._skeleton
        return os.fstat(self.upper).st_ctime_ns == self._skeleton[""] and not os.listdir(self.upper)

    def renew(self) -> None:
        """Show the first state again, by taking back what was created or else by a new overlay.

        Raises:
            RoomUnavailable: when the kernel refuses the new overlay.
            OSError: when it refuses to take the old one away.
        """
        try:
            self._skeleton = restoring.restore(self)
        except (restoring.NotRestorable, OSError):
            self.remount()

    def remount(self) -> None:
        """Replace the overlay by a new one; what was written waits for `tidy`. Raises `RoomUnavailable`, `OSError`."""
        self._unmount()
        self.mount()

    def _unmount(self) -> None:
        if self.upper < 0:
            return
        try:
            linux.unmount(self.point)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            linux.unmount(self.point, linux.MNT_DETACH)
        os.close(self.upper)
        self.upper = -1
        self._waste += [self._name("upper"), self._name("work")]
        while len(self._waste) > _MOST_WASTE:
            self.tidy()

    def tidy(self) -> bool:
        """Delete one folder of an overlay that is no more; return whether there was one.

        Deleting waits for the disk on some file systems, so it is done when nobody waits for an answer.
        """
        if not self._waste:
            return False
        removal.remove_if_possible(self._waste.pop(), self._store)
        return True

    def close(self) -> None:
        """Unmount and forget the lower folder; raises `OSError`."""
        try:
            self._unmount()
            while self.tidy():
                pass
        finally:
            os.close(self.lower)

    def verify(self) -> None:
        """Write through the view and see whether it went into the upper folder and nowhere else; leaves the view dirty.

        Raises:
            RoomUnavailable: when a write reaches the real folder, or the mount is not what the path shows.
        """
        name = f".private-view-probe-{os.urandom(8).hex()}"
        try:
            os.close(os.open(f"{self.point}/{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except PermissionError:
            return  # the user may not write there, and nor may a trial
        except OSError as error:
            raise RoomUnavailable("overlay", error.errno, "write", f"{self.point}: {error.strerror}") from error
        reached_lower = _exists(name, self.lower)
        reached_upper = _exists(name, self.upper)
        os.unlink(f"{self.point}/{name}")
        if reached_lower or not reached_upper:
            raise RoomUnavailable("overlay", None, "verify", f"{self.point}: a write did not go to the upper folder")


def _by_fd(descriptor: int) -> str:
    """Name an open folder: no character of its path can then be taken for part of the mount options."""
    return f"/proc/self/fd/{descriptor}"


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
