"""Gives trials a private view of the workspace at its own path: an overlay for each tree, renewed when written to."""

from __future__ import annotations

import os

import layer_changes
import linux
import privileges
from layer import Layer
from lean import override
from view import MOST_CHANGES, RoomUnavailable, View, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from folders import Folders
    from layer_changes import Known
    from protocol import RoomSpec


class Namespaces:
    """The namespaces of this process: entered once, kept for all rooms."""

    def __init__(self) -> None:
        """Begin in the namespaces that the process was started in."""
        self.mechanism: str | None = None
        self.unprivileged = False

    def enter_by_privilege(self) -> bool:
        """Enter a mount namespace if this process may; return whether it now has one. Raises `RoomUnavailable`."""
        if self.mechanism is None:
            try:
                if not privileges.enter_mount_namespace():
                    return False
            except OSError as error:
                raise _unavailable(error, "unshare") from error
            self.mechanism = "overlay+mountns"
        return True

    def enter_by_user_namespace(self) -> None:
        """Enter a user namespace and a mount namespace in it; raises `RoomUnavailable`."""
        try:
            privileges.enter_user_namespace()
        except OSError as error:
            raise _unavailable(error, "unshare") from error
        self.mechanism = "overlay+userns"
        self.unprivileged = True


class OverlayView(View):
    """The workspace, and every further tree, below overlays at the same absolute paths."""

    mode = "overlay"

    def __init__(self, spec: RoomSpec, folders: Folders, namespaces: Namespaces) -> None:
        """Mount and try the overlays in the namespaces that were entered before; raises `RoomUnavailable`."""
        super().__init__(spec)
        self.mechanism = namespaces.mechanism or "overlay"
        self.known: Known = {}
        self._used = False
        self._store = -1
        self._layers: list[Layer] = []
        try:
            self._open_layers(folders, unprivileged=namespaces.unprivileged)
            self._grade()
        except RoomUnavailable:
            self.close()
            raise
        except OSError as error:
            self.close()
            raise _unavailable(error, "open") from error

    def _open_layers(self, folders: Folders, *, unprivileged: bool) -> None:
        points = separate_trees([self.spec.workspace, *self.spec.also])
        _refuse_unfit(points, folders.base)
        store = f"{folders.base}/layers"
        os.makedirs(store, mode=0o700, exist_ok=True)
        try:
            self._mount_all(points, store, unprivileged=unprivileged)
        except RoomUnavailable as refusal:
            if refusal.attempt["at"] != "mount":
                raise
            # The file system of `scratch` cannot hold an upper folder (it is itself an overlay): memory can.
            self._drop_layers()
            linux.mount("tmpfs", store, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "mode=0700")
            self.mechanism += "+tmpfs"
            self._mount_all(points, store, unprivileged=unprivileged)

    def _mount_all(self, points: list[str], store: str, *, unprivileged: bool) -> None:
        self._store = os.open(store, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for number, point in enumerate(points):
            self._layers.append(Layer(point, self._store, number, unprivileged=unprivileged))
        for layer in self._layers:
            layer.mount()
            layer.verify()
            layer.renew()

    def _grade(self) -> None:
        try:
            self.caps_dropped = privileges.restrict_commands()
            restricted = privileges.is_restricted()
        except OSError:
            restricted = False
        self.private = "verified" if restricted else "observed"
        if not restricted:
            self.reason = "the trial keeps privileges with which it could leave its view"

    @override
    def refresh(self) -> None:
        """Mount fresh overlays over the trees that were written to; raises `OSError` or `RoomUnavailable`."""
        if not self._used:
            return
        for layer in self._layers:
            if self.known:
                layer.remount()
            elif not layer.is_clean():
                layer.renew()
        self.known = {}
        self._used = False

    @override
    def tidy(self) -> bool:
        """Delete a little of what past trials wrote; return whether there was any."""
        return any(layer.tidy() for layer in self._layers)

    @override
    def note_use(self) -> None:
        """Remember that the view may be dirty now."""
        self._used = True

    def _layer_of(self, path: str) -> tuple[Layer, str] | None:
        for layer in self._layers:
            if within(path, layer.point):
                return layer, os.path.relpath(path, layer.point)
        return None

    @override
    def written(self, path: str) -> bool | None:
        """Return whether the resolved `path` is in the upper folder; None outside the view."""
        found = self._layer_of(path)
        if found is None:
            return None
        layer, relative = found
        try:
            upper = os.stat(relative, dir_fd=layer.upper, follow_symlinks=False)
        except OSError:
            return False
        return not layer_changes.is_whiteout(upper)

    @override
    def layer_file(self, path: str) -> str | None:
        """Return the path of the real written file, by way of this process's descriptor."""
        found = self._layer_of(path)
        return None if found is None else f"/proc/self/fd/{found[0].upper}/{found[1]}"

    @override
    def written_before(self, path: str) -> tuple[int | None, int] | None:
        """Return what the lower folder holds at `path`; its inode need not be the one that the view shows."""
        found = self._layer_of(path)
        if found is None:
            raise LookupError(path)
        try:
            lower = os.stat(found[1], dir_fd=found[0].lower, follow_symlinks=False)
        except OSError:
            return None
        return None, lower.st_mtime_ns

    @override
    def changes(self) -> tuple[list[dict[str, object]], bool]:
        """Return the differences of all trees, at most `MOST_CHANGES`."""
        listed: list[dict[str, object]] = []
        for layer in self._layers:
            if layer.is_clean():
                continue
            more, truncated = layer_changes.list_changes(layer, self.known, MOST_CHANGES - len(listed))
            listed += more
            if truncated:
                return listed, True
        return listed, False

    def _drop_layers(self) -> None:
        for layer in reversed(self._layers):
            try:
                layer.close()
            except OSError:
                continue  # the namespace, and every mount in it, goes with this process
        self._layers.clear()
        if self._store >= 0:
            os.close(self._store)
            self._store = -1

    @override
    def close(self) -> None:
        """Unmount everything and delete what was written."""
        self._drop_layers()


def separate_trees(paths: list[str]) -> list[str]:
    """Return the paths without those that lie within another of them, in their first order."""
    unique = list(dict.fromkeys(paths))
    return [path for path in unique if not any(within(path, other) for other in unique if other != path)]


def _refuse_unfit(points: list[str], scratch: str) -> None:
    mounts = mount_points()
    for point in points:
        if os.path.realpath(point) != point:
            raise RoomUnavailable("overlay", None, "workspace", f"{point} is not a resolved path")
        if within(scratch, point):
            raise RoomUnavailable("overlay", None, "scratch", f"{scratch} lies inside {point}")
        for mounted in mounts:
            if within(mounted, point) and mounted != point:
                raise RoomUnavailable("overlay", None, "submount", f"another file system is mounted at {mounted}")


def mount_points() -> list[str]:
    """Return where file systems are mounted in this process's mount namespace; raises `OSError`."""
    with open("/proc/self/mountinfo", "rb") as file:
        fields = [line.split(b" ") for line in file]
    return [os.fsdecode(_unescape(field[4])) for field in fields]


def _unescape(text: bytes) -> bytes:
    for code, plain in ((b"\\040", b" "), (b"\\011", b"\t"), (b"\\012", b"\n"), (b"\\134", b"\\")):
        text = text.replace(code, plain)
    return text


def _unavailable(error: OSError, at: str) -> RoomUnavailable:
    step = error.filename if isinstance(error.filename, str) and "/" not in error.filename else at
    return RoomUnavailable("overlay", error.errno, step, error.strerror or str(error))
