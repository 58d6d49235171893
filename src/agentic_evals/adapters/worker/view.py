"""Defines what every room offers, and the plainest of them: the workspace in place, shared with everybody."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protocol import RoomSpec

MOST_CHANGES = 1000


class RoomUnavailable(Exception):
    """A kind of room that cannot be had here; `at` is the step that failed."""

    def __init__(self, mode: str, number: int | None, at: str, message: str) -> None:
        """Keep what the report shows of the attempt."""
        super().__init__(f"{mode}: {message} (at {at})")
        self.attempt: dict[str, object] = {"mode": mode, "ok": False, "errno": number, "at": at, "message": message}


def within(path: str, root: str) -> bool:
    """Return whether `path` is `root` or lies below it (as text, both normalised)."""
    return root in (path, "/") or path.startswith(root + "/")


class View:
    """The workspace as the trials of one room see it."""

    mode = "shared"
    mechanism = "in place"
    private = "none"

    def __init__(self, spec: RoomSpec) -> None:
        """See `spec.workspace` where it is."""
        self.spec = spec
        self.root = spec.workspace
        self.reason: str | None = None
        self.attempts: list[dict[str, object]] = []
        self.caps_dropped: list[str] = []

    def facts(self) -> dict[str, object]:
        """Return the RoomFacts of the protocol."""
        return {
            "mode": self.mode,
            "root": self.root,
            "reason": self.reason,
            "private": self.private,
            "mechanism": self.mechanism,
            "attempts": self.attempts,
            "caps_dropped": self.caps_dropped,
        }

    def refresh(self) -> None:
        """Bring the view back to its first state, where it can be; `shared` never touches the user's files."""

    def note_use(self) -> None:
        """Remember that a command has run since the last refresh."""

    def tidy(self) -> bool:
        """Do a little of the cleaning that can wait; return whether there was any to do."""
        return False

    def locate(self, path: str) -> str:
        """Return where in the view a path of the workspace is found."""
        return path

    def written(self, path: str) -> bool | None:
        """Return whether the resolved `path` is in the layer of writes, None where the room has no such layer."""
        del path
        return None

    def layer_file(self, path: str) -> str | None:
        """Return the real file that holds the written bytes of `path`, None where the view itself is real."""
        del path
        return None

    def written_before(self, path: str) -> tuple[int | None, int] | None:
        """Return (inode or None where it says nothing, mtime in ns) of what the fresh room had at `path`, or None.

        Raises:
            LookupError: when this kind of room does not know.
        """
        raise LookupError(path)

    def changes(self) -> tuple[list[dict[str, object]], bool]:
        """Return what commands changed since the last refresh, and whether the list was cut."""
        return [], False

    def close(self) -> None:
        """Give the room up and remove what it made."""
