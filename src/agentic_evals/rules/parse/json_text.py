"""JSON bytes to values, with every way in which JSON is not a document named and placed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final

from agentic_evals.model.finding import Finding, Location
from agentic_evals.rules.parse import positions
from agentic_evals.rules.parse.document import (
    MAX_VALUES,
    MOST_LISTED,
    Text,
    inspect,
    integer,
    refused,
    too_deep,
    unreadable,
)

MAX_BYTES: Final = 16 * 1024 * 1024
_SPLIT: Final = "Split the suite into several fixtures."
_SHOWN: Final = 24


@dataclass(slots=True)
class _Keys:
    """Notices what the standard decoder would swallow in silence."""

    twice: bool = False

    def pairs(self, members: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(members)
        self.twice |= len(result) != len(members)
        return result


def read_json(data: bytes, file: str, max_bytes: int = MAX_BYTES) -> Text:
    """Read one JSON document (RFC 8259), strictly.

    Refused beside bad syntax: text that is not UTF-8, duplicate keys, numbers that are not finite,
    integers of more than 1,000 digits, lone surrogates, more than 100 levels, more than `max_bytes`,
    and more values than so many bytes would need: a million for 16 MiB.
    """
    early = unreadable(data, file, max_bytes, _SPLIT)
    if early is not None:
        return Text(data, None, (early,))
    keys = _Keys()
    try:
        value = json.loads(data.decode("utf-8-sig"), object_pairs_hook=keys.pairs, parse_int=integer)
    except json.JSONDecodeError as error:
        place = Location(file, "", error.lineno, error.colno)
        return Text(data, None, (refused("json-syntax", _message(error), place, _hint(error)),))
    except RecursionError:
        return Text(data, None, (too_deep(file),))
    repeated = _repeated(data, file) if keys.twice else []
    most = MAX_VALUES * max(1, max_bytes // MAX_BYTES)
    return Text(data, value, (*repeated, *inspect(value, file, partial(positions.of_pointer, data), most)))


def _message(error: json.JSONDecodeError) -> str:
    """Say in JSON's own words what is wrong, and show what stands there."""
    rest = error.doc[error.pos : error.pos + _SHOWN]
    if not rest:
        return f"{error.msg}, but the text ends here"
    return f"{error.msg}, here: {rest.splitlines()[0] if rest.strip() else rest!r}"


def _hint(error: json.JSONDecodeError) -> str | None:
    before, rest = error.doc[max(0, error.pos - 200) : error.pos].rstrip(), error.doc[error.pos :][:2]
    if rest in {"//", "/*"} or rest.startswith("#"):
        return "JSON has no comments."
    if before.endswith(",") or error.msg.startswith("Illegal trailing comma"):
        return "JSON has no trailing commas and no comments."
    if rest.startswith("'"):
        return "Strings and keys stand in double quotes."
    if error.msg.startswith("Invalid control character"):
        return r"Inside a string, a line break is written \n and a tab \t."
    if not error.doc.strip():
        return "The file is empty."
    return None


def _repeated(data: bytes, file: str) -> list[Finding]:
    found = [
        refused("json-duplicate-key", "this key stands twice in one object", Location(file, pointer, line, column))
        for pointer, line, column in islice(positions.duplicate_keys(data), MOST_LISTED + 1)
    ]
    # Where the two parsers disagree about what a key is, the document is refused all the same.
    return found or [refused("json-duplicate-key", "a key stands twice in one object", Location(file))]
