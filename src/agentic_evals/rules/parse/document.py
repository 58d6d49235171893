"""What every syntax of a document shares: limits, early refusals, and a look at each value that was read."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from agentic_evals.model.canonical import JsonValue
from agentic_evals.model.finding import Finding, Location, Severity
from agentic_evals.rules.parse.positions import Trail, pointer_of

MAX_DEPTH: Final = 100
MAX_VALUES: Final = 1_000_000
MAX_DIGITS: Final = 1000
MOST_LISTED: Final = 1000
"""How many findings are listed; a document with more is refused all the same."""

_TOO_LONG: Final = 10**MAX_DIGITS

Locate: TypeAlias = Callable[[str], tuple[int, int]]
"""A JSON pointer to line and column, from 1."""


@dataclass(frozen=True, slots=True)
class Text:
    """A document's bytes with what was read from them; `findings` are empty where `value` can be trusted."""

    data: bytes
    value: JsonValue = None
    findings: tuple[Finding, ...] = ()


@dataclass(slots=True)
class Place:
    """Where a value stands, with the places of what is in it by key or by index."""

    line: int
    column: int
    inner: dict[str, Place] = field(default_factory=dict)

    def find(self, tokens: Iterator[str]) -> tuple[int, int]:
        """Return the place that a pointer names, or of the nearest value around it."""
        at = self
        for token in tokens:
            following = at.inner.get(token)
            if following is None:
                break
            at = following
        return at.line, at.column


def refused(rule: str, message: str, location: Location, hint: str | None = None) -> Finding:
    """Make a finding that refuses the document."""
    return Finding(rule, Severity.ERROR, message, location, hint)


def unreadable(data: bytes, file: str, max_bytes: int, hint: str) -> Finding | None:
    """Return why bytes are no text of a size that is read, or `None`."""
    if len(data) > max_bytes:
        message = f"the document has {len(data):,} bytes; at most {max_bytes:,} are read"
        return refused("document-too-large", message, Location(file), hint)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[start : error.start].decode("utf-8", "replace")) + 1
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return refused("document-not-utf8", message, Location(file, "", line, column), "Save the file as UTF-8.")
    return None


def too_deep(file: str) -> Finding:
    """Refuse a document for its nesting."""
    return refused("document-too-deep", f"more than {MAX_DEPTH} levels of nesting", Location(file))


def too_many_values(file: str, most: int) -> Finding:
    """Refuse a document for the number of its values."""
    hint = "Split the suite into several fixtures."
    return refused("document-too-many-values", f"more than {most:,} values", Location(file), hint)


def integer(digits: str) -> int:
    """Read a decimal integer; one of more than 1,000 digits becomes a value that `inspect` refuses."""
    return int(digits) if len(digits) <= MAX_DIGITS else _TOO_LONG


def inspect(
    root: Any,  # noqa: ANN401 - whatever a parser made
    file: str,
    locate: Locate,
    max_values: int = MAX_VALUES,
) -> list[Finding]:
    """Look at every value once, without recursion, for what a document of JSON values cannot hold."""
    odd: list[tuple[Trail, str, str, str | None]] = []
    seen = 0
    stack: list[tuple[Any, int, Trail]] = [(root, 1, None)]
    while stack:
        value, depth, trail = stack.pop()
        seen += 1
        if depth > MAX_DEPTH:
            return [too_deep(file)]
        if seen > max_values:
            return [too_many_values(file, max_values)]
        if isinstance(value, dict):
            for key, item in value.items():
                if not _encodable(key):
                    odd.append((trail, *_HALF))
                stack.append((item, depth + 1, (trail, key)))
        elif isinstance(value, list):
            stack.extend((item, depth + 1, (trail, str(index))) for index, item in enumerate(value))
        elif (wrong := _wrong(value)) is not None:
            odd.append((trail, *wrong))
    pointers = [(pointer_of(trail), rule, message, hint) for trail, rule, message, hint in odd[:MOST_LISTED]]
    return [
        refused(rule, message, Location(file, pointer, *locate(pointer)), hint)
        for pointer, rule, message, hint in reversed(pointers)
    ]


_HALF: Final = ("json-lone-surrogate", "half of a surrogate pair is no character", None)


def _wrong(value: object) -> tuple[str, str, str | None] | None:
    match value:
        case str():
            return None if _encodable(value) else _HALF
        case float():
            if math.isfinite(value):
                return None
            return "json-not-finite", f"{value} is not a number of JSON", "JSON has no infinity and no NaN."
        case bool() | None:
            return None
        case int():
            if abs(value) < _TOO_LONG:
                return None
            return "json-number-too-long", f"an integer has more than {MAX_DIGITS} digits", None
        case dt.date() | dt.time():
            hint = "Write it as a string, in quotes."
            return "toml-datetime", f"{value} is a date or a time, which JSON does not have", hint
        case _:
            return "fixture-value", f"{type(value).__name__} is no value of JSON", None


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
