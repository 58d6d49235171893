"""One trial: the job that asks for it, the raw capture of it, and what a capture is made of."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from agentic_evals.model.canonical import JsonValue
    from agentic_evals.model.event import Record

HEAD_BYTES: Final = 65_536
"""How much of each end of a stream stays in memory, in bytes (product specification, section 8)."""


@dataclass(frozen=True, slots=True)
class Exited:
    """The command ended by itself."""

    code: int


@dataclass(frozen=True, slots=True)
class Signalled:
    """The command died of a signal."""

    signal: int


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The command was still running when its time was up."""


@dataclass(frozen=True, slots=True)
class FailedToStart:
    """The command could not be executed at all."""

    errno: int
    message: str


@dataclass(frozen=True, slots=True)
class OutputLimit:
    """A stream grew over the limit and the trial was ended."""

    stream: str


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """The process that supervised the trial died, twice."""

    reason: str


@dataclass(frozen=True, slots=True)
class Withheld:
    """The trial was not started, since something that it requires is not in force here."""

    reason: str


Termination: TypeAlias = Exited | Signalled | TimedOut | FailedToStart | OutputLimit | WorkerLost | Withheld


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes of any size: the two ends in memory, the whole by iteration."""

    size: int
    sha256: str
    head: bytes
    tail: bytes = b""
    whole: Iterable[bytes] | None = field(default=None, compare=False, repr=False)
    """Set when head and tail are not everything; can be iterated any number of times."""

    @classmethod
    def of(cls, data: bytes) -> Blob:
        """Make a blob that is wholly in memory."""
        return cls(len(data), hashlib.sha256(data).hexdigest(), data)

    @property
    def complete(self) -> bytes | None:
        """All bytes where they are in memory, else `None`."""
        return self.head + self.tail if self.whole is None else None

    def chunks(self) -> Iterator[bytes]:
        """Yield all bytes in order, in pieces of bounded size."""
        if self.whole is None:
            yield self.head
            yield self.tail
        else:
            yield from self.whole


EMPTY: Final = Blob.of(b"")


@dataclass(frozen=True, slots=True)
class Observe:
    """A file that a judge wants read after the process tree is gone."""

    path: str
    max_bytes: int = 64 * 1024 * 1024
    reread: bool = False
    allow_outside: bool = False


ObservedKind: TypeAlias = Literal["file", "directory", "missing", "other", "error", "outside"]


@dataclass(frozen=True, slots=True)
class Observed:
    """What was found at an observed path after the trial."""

    path: str
    kind: ObservedKind
    size: int = 0
    fresh: bool = False
    """Created or written during this trial."""
    fresh_by: str = "none"
    blob: Blob | None = None
    message: str | None = None
    reread_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class ProcessNote:
    """A process that was still alive when it should not have been."""

    pid: int
    argv: tuple[str, ...]
    exe: str | None = None


@dataclass(frozen=True, slots=True)
class RoomFacts:
    """Which view of the workspace a trial had, and how well it was kept apart."""

    mode: Literal["overlay", "copy", "shared"] = "shared"
    root: str = ""
    reason: str | None = None
    private: str = "none"
    """A grade: `verified`, `observed` or `none`."""
    mechanism: str = "none"


@dataclass(frozen=True, slots=True)
class RoomSpec:
    """The view of the workspace that commands shall have."""

    workspace: str
    scratch: str
    mode: str = "auto"
    also: tuple[str, ...] = ()
    copy_limit_bytes: int = 200_000_000
    copy_limit_files: int = 20_000
    copy_forbidden: str | None = None
    replace: tuple[Mapping[str, str], ...] = ()

    def document(self) -> dict[str, JsonValue]:
        """Return the worker's own document for it."""
        return {
            "workspace": self.workspace,
            "also": list(self.also),
            "mode": self.mode,
            "copy_limit": {"bytes": self.copy_limit_bytes, "files": self.copy_limit_files},
            "copy_forbidden": self.copy_forbidden,
            "scratch": self.scratch,
            "replace": [dict(entry) for entry in self.replace],
        }


@dataclass(frozen=True, slots=True)
class Capture:
    """Everything that was observed of one trial: raw, in memory, never serialised."""

    termination: Termination
    stdout: Blob = EMPTY
    stderr: Blob = EMPTY
    trajectory: Blob | None = None
    observed: Mapping[str, Observed] = field(default_factory=dict)
    duration_ms: float = 0.0
    started_unix_ms: int = 0
    leaked: tuple[ProcessNote, ...] = ()
    killed: int = 0
    no_survivors: str = "none"
    argv: tuple[str, ...] = ()
    room: RoomFacts = field(default_factory=RoomFacts)
    changes: tuple[Mapping[str, JsonValue], ...] = ()
    max_rss_kb: int = 0
    record: Record | None = None
    """What a recorder saw; `None` where it was not asked for."""


@dataclass(frozen=True, slots=True)
class TrialJob:
    """A request to run one trial: a JSON document that any executor can carry, never a callable."""

    case: int
    """Index of the case in its fixture."""
    trial: int
    """Number of the trial, from 1."""
    argv: tuple[str, ...]
    document: Mapping[str, JsonValue]
    """The worker's own document (`agentic_evals.trial_job.v1`)."""
    observed_as: tuple[str, ...] = ()
    """The observed paths as the fixture writes them, in the document's order."""
    seed: int = 0
    null: bool = False
    """A null trial: the skill is taken away, and the expectations must not hold."""
