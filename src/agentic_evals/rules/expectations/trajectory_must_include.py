"""Markers that the recorded trajectory of the trial must hold: what was executed, and the steps that were logged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Discriminator, Tag

from agentic_evals.model.trial import EMPTY, Blob, Capture, Exited, FailedToStart, Withheld, WorkerLost
from agentic_evals.model.verdict import Decision
from agentic_evals.rules.expectations._streams import Needles, encoded, found, quoted, windows
from agentic_evals.rules.operator import Evidence, Example, Operator


class TrajectoryMarkers(BaseModel):
    """Markers, and whether they must come in this order."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    markers: Needles
    ordered: bool = False


def _shape(value: object) -> str:
    return "object" if isinstance(value, dict | TrajectoryMarkers) else "list"


_Spec: TypeAlias = Annotated[
    Annotated[Needles, Tag("list")] | Annotated[TrajectoryMarkers, Tag("object")], Discriminator(_shape)
]

_BY_ARGV: Final = "in the argv of the command"
_BY_LOG: Final = "self-reported: logged by the command itself"
_UNKNOWN: Final = "what its descendants executed is unknown, since nothing recorded it"


def _judge(spec: list[str] | TrajectoryMarkers, evidence: Evidence) -> tuple[Decision, ...]:
    markers, ordered, at = (spec, False, "") if isinstance(spec, list) else (spec.markers, spec.ordered, "/markers")
    argv, logged = _executed(evidence.capture), evidence.capture.trajectory or EMPTY
    where = _in_order(markers, argv, logged) if ordered else _anywhere(markers, argv, logged)
    return tuple(
        _decision(f"{at}/{index}", marker, seen, ordered=ordered)
        for index, (marker, seen) in enumerate(zip(markers, where, strict=True))
    )


def _executed(capture: Capture) -> str:
    """Return the words that were executed: none where nothing started."""
    return "" if isinstance(capture.termination, FailedToStart | WorkerLost | Withheld) else " ".join(capture.argv)


def _anywhere(markers: Sequence[str], argv: str, logged: Blob) -> list[str | None]:
    elsewhere = [marker for marker in markers if marker not in argv]
    steps = found(logged, elsewhere) if elsewhere else set()
    return [_BY_ARGV if marker in argv else _BY_LOG if marker in steps else None for marker in markers]


def _in_order(markers: Sequence[str], argv: str, logged: Blob) -> list[str | None]:
    """Find each marker after the end of the one before; the command was executed before it logged anything."""
    where: list[str | None] = []
    position = 0
    for marker in markers:
        position = argv.find(marker, position)
        if position < 0:
            break
        position += len(marker)
        where.append(_BY_ARGV)
    position = 0
    for window in windows(logged):
        while len(where) < len(markers):
            data = encoded(markers[len(where)])
            there = window.data.find(data, max(0, position - window.offset))
            if there < 0:
                break
            position = window.offset + there + len(data)
            where.append(_BY_LOG)
    return where + [None] * (len(markers) - len(where))


def _decision(pointer: str, marker: str, seen: str | None, *, ordered: bool) -> Decision:
    if seen is not None:
        return Decision(pointer, holds=True, observation=f"{quoted(marker)} is {seen}", noted=seen is _BY_LOG)
    order = " after the markers before it" if ordered else ""
    observation = (
        f"{quoted(marker)} is neither in the argv of the command nor in the steps that it logged{order}; {_UNKNOWN}"
    )
    return Decision(pointer, holds=False, observation=observation)


_ARGV: Final = ("python3", "run.py", "--execute")

OPERATOR: Final = Operator(
    key="trajectory_must_include",
    summary="Markers that must occur in what was executed or in the steps that the command logged.",
    spec=_Spec,
    judge=_judge,
    looks_at=frozenset({"trajectory", "argv"}),
    examples=(
        Example(
            ["run.py --execute", "step: verify"],
            passes=Capture(Exited(0), argv=_ARGV, trajectory=Blob.of(b"step: build\nstep: verify\n")),
            fails=Capture(Exited(0), argv=_ARGV, stdout=Blob.of(b"step: verify\n")),
        ),
        Example(
            {"markers": ["step: build", "step: verify"], "ordered": True},
            passes=Capture(Exited(0), argv=_ARGV, trajectory=Blob.of(b"step: build\nstep: verify\n")),
            fails=Capture(Exited(0), argv=_ARGV, trajectory=Blob.of(b"step: verify\nstep: build\n")),
        ),
    ),
)
