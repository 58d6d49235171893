"""Collects the events of one trial in order, in little memory, and counts what was lost."""

from __future__ import annotations

import os
import time

import lean
from streams import SpoolError
from trace_filter import CHANGED_ENVIRONMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from streams import Spool

_MOST_INLINE = 1000
_MOST_INLINE_TEXT = 4 << 20
_MOST_BYTES = 256 << 20
_MOST_REASONS = 20


class Log:
    """The events so far; more than `_MOST_INLINE` of them are written to the spool."""

    def __init__(self, spool: Spool, recorder: str) -> None:
        """Begin an empty log of the recorder named `recorder`; times count from now on."""
        self.recorder = recorder
        self.count = 0
        self.lost = 0
        self.broken = False
        self.best_grade = "recorded"
        self._reasons: dict[str, int] = {}
        self._caveats: list[str] = []
        self._changed: tuple[str, ...] = ()
        self._began = time.monotonic_ns()
        self._spool = spool
        self._events: list[dict[str, object]] = []
        self._file = -1
        self._path: str | None = None
        self._bytes = 0
        self._text = 0

    def add(self, kind: str, pid: int, ppid: int | None, parent: int | None, body: dict[str, object]) -> int:
        """Append an event and return its number, from 1; `parent` is the number of the exec that it belongs to.

        Raises:
            SpoolError: when the events could not be written.
        """
        self.count += 1
        event = {
            "n": self.count,
            "t_ns": body.pop("t_ns", None) or time.monotonic_ns() - self._began,
            "kind": kind,
            "pid": pid,
            "ppid": ppid,
            "parent": parent,
            **body,
        }
        if self._bytes > _MOST_BYTES:
            self.lose("the log is full")
            return self.count
        self._events.append(event)
        argv = body.get("argv")
        if isinstance(argv, list):
            self._text += sum(map(len, argv))
        if len(self._events) > _MOST_INLINE or self._text > _MOST_INLINE_TEXT:
            self._write()
        return self.count

    def lose(self, reason: str) -> None:
        """Count one event that should have been recorded and was not."""
        self.lost += 1
        if reason in self._reasons or len(self._reasons) < _MOST_REASONS:
            self._reasons[reason] = self._reasons.get(reason, 0) + 1

    def caution(self, caveat: str) -> None:
        """Add something that limits what the whole record proves."""
        if caveat not in self._caveats:
            self._caveats.append(caveat)

    def environment_is_changed(self) -> None:
        """Say in the record what the program finds otherwise than without a recorder."""
        self._changed = CHANGED_ENVIRONMENT

    def _write(self) -> None:
        data = "".join([lean.write_json(event) + "\n" for event in self._events]).encode("ascii")
        self._events.clear()
        self._text = 0
        self._bytes += len(data)
        rest = memoryview(data)
        try:
            if self._file < 0:
                self._file, self._path = self._spool.create("record")
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            raise SpoolError(error, self._path or self._spool.folder) from error

    def finish(self) -> dict[str, object]:
        """Close the log and return the Record of the protocol; raises `SpoolError`."""
        if self._file >= 0 and self._events:
            self._write()
        descriptor, self._file = self._file, -1
        if descriptor >= 0:
            try:
                os.close(descriptor)
            except OSError as error:
                raise SpoolError(error, self._path or "") from error
        record: dict[str, object] = {
            "recorder": self.recorder,
            "grade": "none" if self.broken else "observed" if self.lost else self.best_grade,
            "lost": self.lost,
            "why": "; ".join([*map(_counted, self._reasons.items()), *self._caveats]) or None,
            "changed": list(self._changed),
            "count": self.count,
        }
        record.update({"events": self._events} if self._path is None else {"file": self._path})
        return record

    def discard(self) -> None:
        """Remove what was written, for a trial whose record nobody will get."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        if self._path is not None:
            try:
                os.unlink(self._path)
            except OSError:
                pass
            self._path = None


def _counted(item: tuple[str, int]) -> str:
    reason, times = item
    return reason if times == 1 else f"{reason} ({times} times)"


def no_record(why: str | None) -> dict[str, object]:
    """Return the Record of a trial that nothing recorded, `why` being the reason if it was asked for."""
    return {
        "recorder": "off",
        "grade": "none",
        "lost": 0,
        "why": why,
        "changed": [],
        "count": 0,
        "events": [],
    }
