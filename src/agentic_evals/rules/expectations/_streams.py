"""Searching a stream of any size in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from pydantic import Field, StringConstraints

from agentic_evals.model.verdict import Decision

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentic_evals.model.trial import Blob

WHOLE_BYTES: Final = 16 * 1024 * 1024
OVERLAP_BYTES: Final = 1024 * 1024
"""Streams beyond 16 MiB are matched in windows with 1 MiB overlap (product specification, section 9)."""
_PIECE_BYTES: Final = 1024 * 1024

Needle: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=OVERLAP_BYTES // 4)]
"""A text to look for; in UTF-8 never longer than what two windows share, so that no border hides it."""
Needles: TypeAlias = Annotated[list[Needle], Field(min_length=1)]

_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a stream, and whether the stream begins or ends with it."""

    data: bytes
    offset: int = 0
    last: bool = True

    @property
    def first(self) -> bool:
        """Whether the stream begins here."""
        return self.offset == 0


def windows(blob: Blob) -> Iterator[Window]:
    """Yield a stream of up to 16 MiB in one piece, a longer one in windows of that size that overlap by 1 MiB."""
    complete = blob.complete
    if complete is not None and len(complete) <= WHOLE_BYTES:
        yield Window(complete)
        return
    window = bytearray()
    offset = 0
    for piece in _pieces(blob):
        if len(window) + len(piece) > WHOLE_BYTES:
            yield Window(bytes(window), offset, last=False)
            offset += len(window) - OVERLAP_BYTES
            del window[:-OVERLAP_BYTES]
        window += piece
    yield Window(bytes(window), offset)


def _pieces(blob: Blob) -> Iterator[memoryview]:
    for chunk in blob.chunks():
        view = memoryview(chunk)
        for start in range(0, len(view), _PIECE_BYTES):
            yield view[start : start + _PIECE_BYTES]


def encoded(text: str) -> bytes:
    """Return the bytes that a text stands for."""
    return text.encode("utf-8", "surrogatepass")


def found(blob: Blob, needles: Sequence[str]) -> set[str]:
    """Return which needles occur in the stream, in one pass."""
    missing = {needle: encoded(needle) for needle in needles}
    for window in windows(blob):
        for needle, data in tuple(missing.items()):
            if data in window.data:
                del missing[needle]
        if not missing:
            break
    return {needle for needle in needles if needle not in missing}


def contains(blob: Blob, needles: Sequence[str], stream: str) -> tuple[Decision, ...]:
    """Decide for each needle that it occurs."""
    present = found(blob, needles)
    return tuple(
        Decision(f"/{index}", holds=needle in present, observation=_said(stream, needle, present=needle in present))
        for index, needle in enumerate(needles)
    )


def excludes(blob: Blob, needles: Sequence[str], stream: str) -> tuple[Decision, ...]:
    """Decide for each needle that it does not occur."""
    present = found(blob, needles)
    return tuple(
        Decision(f"/{index}", holds=needle not in present, observation=_said(stream, needle, present=needle in present))
        for index, needle in enumerate(needles)
    )


def _said(stream: str, needle: str, *, present: bool) -> str:
    return f"{stream} {'contains' if present else 'does not contain'} {quoted(needle)}"


def quoted(text: str) -> str:
    """Show a text on one line, cut where it is long."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
