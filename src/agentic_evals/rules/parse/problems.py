"""Validation errors of the document models to findings with pointers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from agentic_evals.model.finding import Finding, Location, Severity
from agentic_evals.rules.parse import positions
from agentic_evals.rules.parse.syntax import syntax_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_SHOWN_CHARACTERS: Final = 60
_MOST_EXPLAINED: Final = 20_000
"""From more complaints than this about one value none is worked out: no author made so many mistakes."""
_WORDS: Final = (
    (re.compile(r"(?i)\bInput should be "), "must be "),
    (re.compile(r"(?i)\bInput should "), "must "),
    (re.compile(r"^Field required$"), "is required"),
    (re.compile(r"\ba valid dictionary(?: or (?:instance|object) .*)?$"), "an object"),
    (re.compile(r"\ba valid (list|string|integer|number|boolean)\b"), r"a \1"),
    (re.compile(r"\ba (integer|object)\b"), r"an \1"),
    (re.compile(r"^List should have"), "must have"),
    (re.compile(r"^String should"), "must"),
    (re.compile(r"\bTrue\b"), "true"),
    (re.compile(r", not \d+$"), ""),
)


def from_validation(error: ValidationError, document: Any, base: str = "") -> list[Finding]:  # noqa: ANN401 - any JSON
    """Return one finding a place, in document order, for all that a model found wrong.

    `base` is the pointer of `document` within the whole; several complaints about one value, as a
    union makes them, become one sentence.
    """
    if error.error_count() > _MOST_EXPLAINED:
        message = f"{error.error_count():,} things are wrong below this; none of them is listed"
        return [Finding("fixture-value", Severity.ERROR, message, Location("", base))]
    by_pointer: dict[str, tuple[str, list[str], Any]] = {}
    for detail in error.errors(include_url=False):
        pointer = base + _pointer(detail, document)
        rule = "fixture-missing-key" if detail["type"] == "missing" else "fixture-value"
        if detail["type"] == "extra_forbidden":
            rule = "unknown-expectation"
        _, messages, _ = by_pointer.setdefault(pointer, (rule, [], detail["input"]))
        message = _sentence(detail)
        if message not in messages:
            messages.append(message)
    return [
        Finding(
            rule,
            Severity.ERROR,
            " or ".join(messages) + (_shown(given) if rule == "fixture-value" else ""),
            Location("", pointer),
        )
        for pointer, (rule, messages, given) in by_pointer.items()
    ]


def place(findings: Sequence[Finding], data: bytes, file: str) -> tuple[Finding, ...]:
    """Fill in file, line and column of findings that have only a pointer."""
    placed: list[Finding] = []
    find = syntax_of(file).of_pointer
    for finding in findings:
        line, column = finding.location.line, finding.location.column
        if line is None:
            line, column = find(data, finding.location.pointer)
        placed.append(finding.at(Location(file, finding.location.pointer, line, column)))
    return tuple(placed)


def _pointer(detail: ErrorDetails, document: Any) -> str:  # noqa: ANN401 - any JSON
    """Follow an error's path through the document; steps that are no place in it name union branches."""
    pointer, value = "", document
    steps = detail["loc"]
    for number, step in enumerate(steps, 1):
        inside_list = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if inside_list or (isinstance(value, dict) and step in value):
            pointer, value = f"{pointer}/{positions.escape(str(step))}", value[step]
        elif number == len(steps) and detail["type"] == "missing":
            pointer += f"/{positions.escape(str(step))}"
    return pointer


def _sentence(detail: ErrorDetails) -> str:
    if detail["type"] == "extra_forbidden":
        return f"{detail['loc'][-1]!r} is not a known key here; one that is not evaluated would hold for everything"
    if detail["type"] == "missing":
        return "this key is required"
    message = detail["msg"].removeprefix("Value error, ")
    for words, ours in _WORDS:
        message = words.sub(ours, message)
    return message[:1].lower() + message[1:]


def _shown(given: Any) -> str:  # noqa: ANN401 - any JSON
    if isinstance(given, bool):
        return f", not {str(given).lower()}"
    if isinstance(given, int | float):
        return f", not the number {given}"
    if isinstance(given, str):
        cut = given if len(given) <= _SHOWN_CHARACTERS else given[:_SHOWN_CHARACTERS] + "…"
        return f", not {cut!r}"
    return {dict: ", not an object", list: ", not a list", type(None): ", not null"}.get(type(given), "")
