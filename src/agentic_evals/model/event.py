"""What a recorder saw a trial do: one event, and the record that holds them with its grade."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agentic_evals.model.canonical import JsonValue

RecordGrade: TypeAlias = Literal["recorded", "observed", "none"]
"""`recorded`: complete as far as the kernel knows, loss is detected; `observed`: silence proves nothing."""


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """One thing that a process of the trial did."""

    kind: str
    """`proc.exec`, `proc.exit`, `file.open`, ... as the worker's protocol lists them."""
    t_ns: int
    """Nanoseconds since the start of the trial's command."""
    pid: int
    ppid: int | None
    number: int = 0
    """Its place in the record, from 1."""
    parent: int | None = None
    """The number of the `proc.exec` whose program did it; of a `proc.exec`: that of the program before."""
    body: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """What a recorder wrote down of one trial, and how much its silence proves."""

    recorder: str = "off"
    """The mechanism: `ptrace`, `strace` or `off`."""
    grade: RecordGrade = "none"
    lost: int = 0
    """How many events should have been recorded and were not."""
    why: str | None = None
    """What was lost, or what limits the proof."""
    changed: tuple[str, ...] = ()
    """What the command found otherwise than without a recorder."""
    count: int = 0
    events: Iterable[RecordedEvent] = field(default=(), compare=False, repr=False)
    """All events in order; can be iterated any number of times."""
