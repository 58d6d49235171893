"""What the flows need of the world, as protocols; adapters implement them, tests fake them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from agentic_evals.model.record import StoredBytes, TrialRecord
from agentic_evals.model.trial import Blob, Capture, Observe, Observed, RoomFacts, RoomSpec, TrialJob
from agentic_evals.model.workspace import WorkspaceFacts


class Room(Protocol):
    """A private view in which one or more commands run."""

    facts: RoomFacts

    def run(self, job: TrialJob) -> Capture:
        """Run one command and return what was observed of it."""
        ...

    def observe(self, wanted: Sequence[Observe]) -> Sequence[Observed]:
        """Read files as they are now."""
        ...

    def close(self) -> None:
        """Drop the view; nothing of it reaches the workspace."""
        ...


class Sandbox(Protocol):
    """Opens rooms."""

    def probe(self, spec: RoomSpec) -> RoomFacts:
        """Open a room, look at what it really is, and close it."""
        ...

    def shadow(self, scratch: str, programs: Sequence[str], code: int = 0) -> str:
        """Make a folder of programs of these names that exit with a code in silence, and return it."""
        ...

    def open(self, spec: RoomSpec) -> Room:
        """Open a room, or raise `EnvironmentUnfit` where it cannot be had as asked."""
        ...


class Executor(Protocol):
    """Carries out jobs, near or far; judging happens elsewhere."""

    def run(self, jobs: Iterable[TrialJob]) -> Iterator[tuple[TrialJob, Capture]]:
        """Run jobs as they are drawn and yield each with its capture, in the order in which they end.

        Jobs are drawn only when they can start, so that whoever supplies them can stop early.
        Closing the iterator ends everything that still runs.
        """
        ...


@dataclass(frozen=True, slots=True)
class ExecutorFactory:
    """An executor leaf: a name for `--executor`, and how one is made."""

    name: str
    summary: str
    build: Any
    """`(jobs: int) -> Executor`."""


class Workspace(Protocol):
    """Reads what people wrote."""

    def read(self, path: str) -> bytes:
        """Return a document's bytes, or raise `DocumentRejected` where it cannot be read."""
        ...

    def facts(self, fixture_path: str) -> WorkspaceFacts:
        """Look at the files around a fixture."""
        ...


class RunFolder(Protocol):
    """The folder of one run: everything in it was put there through this."""

    path: str

    def keep(self, chunks: Iterable[bytes]) -> StoredBytes:
        """Store bytes by their content; the same bytes are stored once."""
        ...

    def read(self, stored: StoredBytes) -> Blob:
        """Return stored bytes, or raise `IntegrityBroken` where they are not what their address says."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Write a file of the run, whole or not at all."""
        ...

    def load(self, name: str) -> bytes:
        """Return a file of the run."""
        ...

    def add(self, record: TrialRecord) -> None:
        """Make a finished trial durable, within 100 ms."""
        ...

    def records(self) -> Iterator[TrialRecord]:
        """Yield every recorded trial, in the order of the fixture."""
        ...

    def flush(self) -> None:
        """Return when all that was written is on disk."""
        ...


class EvidenceStore(Protocol):
    """Makes and finds run folders."""

    def create(self, run_id: str, where: str | None) -> RunFolder:
        """Make a new run folder; `where` names it, else it lies in the user's state folder."""
        ...

    def open(self, path: str) -> RunFolder:
        """Open an existing run folder for reading."""
        ...


class Clock(Protocol):
    """Time and identity."""

    def now_iso(self) -> str:
        """Return the time as RFC 3339, in UTC, to the second."""
        ...

    def monotonic_ms(self) -> float:
        """Return milliseconds that only ever grow."""
        ...

    def new_seed(self) -> int:
        """Return a fresh seed, 0 ≤ seed < 2**31."""
        ...

    def new_run_id(self) -> str:
        """Return an identity that sorts by time and does not repeat."""
        ...


@runtime_checkable
class AgentRuntime(Protocol):
    """An agent's command line: recognised here, driven by the change pipeline."""

    name: str
    summary: str

    def usable(self, which: Callable[[str], str | None], environment: Mapping[str, str]) -> tuple[bool, str]:
        """Return whether it could run on this machine, and why."""
        ...


@runtime_checkable
class Forge(Protocol):
    """A place where changes are reviewed: recognised here, posted to by the change pipeline."""

    name: str
    summary: str

    def usable(self, environment: Mapping[str, str]) -> tuple[bool, str]:
        """Return whether results could be posted from here, and why."""
        ...


@runtime_checkable
class Importer(Protocol):
    """A foreign suite format: recognised here, so that a user learns what a file is."""

    name: str
    summary: str

    def recognises(self, document: object) -> str | None:
        """Return what the document is, in a sentence, or `None`."""
        ...
