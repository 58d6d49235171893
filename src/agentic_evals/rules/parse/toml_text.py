"""TOML bytes to the values that JSON has."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from agentic_evals.model.finding import Finding, Location
from agentic_evals.rules.parse import toml_places
from agentic_evals.rules.parse.document import Place, Text, inspect, refused, too_deep, unreadable
from agentic_evals.rules.parse.positions import tokens

MAX_BYTES: Final = 512 * 1024
MAX_VALUES: Final = 200_000
_SMALLER: Final = "Write a suite of this size as JSON, or split it."
_AT: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_MOST_DOTS: Final = 100_000_000
_STATEMENT: Final = 5
"""A key that is given a value is looked up part by part; one that is not is only read."""


def read_toml(data: bytes, file: str) -> Text:
    """Read one TOML document (version 1.0).

    Refused beside bad syntax: what `read_json` refuses, dates and times, and more than 512 KiB.
    TOML has no null: a document that needs one is written as JSON or YAML.
    """
    early = unreadable(data, file, MAX_BYTES, _SMALLER)
    if early is not None:
        return Text(data, None, (early,))
    text = data.decode("utf-8-sig")
    if _nested_keys(text) > _MOST_DOTS:
        return Text(data, None, (too_deep(file),))
    import tomllib

    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return Text(data, None, (_syntax(str(error), text, file),))
    except RecursionError:
        return Text(data, None, (too_deep(file),))
    except ValueError:  # Python refuses to read so many digits
        message = "an integer has thousands of digits"
        return Text(data, None, (refused("json-number-too-long", message, Location(file)),))
    return Text(data, value, tuple(inspect(value, file, lambda pointer: of_pointer(data, pointer), MAX_VALUES)))


def of_pointer(data: bytes, pointer: str) -> tuple[int, int]:
    """Return line and column, from 1, of the value at a JSON pointer; of its key or header, where it has one."""
    return _places(data).find(tokens(pointer))


@lru_cache(maxsize=2)
def _places(data: bytes) -> Place:
    return toml_places.scan(data.decode("utf-8-sig"))


def _nested_keys(text: str) -> int:
    """Bound the time that the parser would spend on keys of many parts: it grows with the square of the dots."""
    cost = 0
    for line in text.split("\n"):
        is_statement = "=" in line or line.lstrip(" \t").startswith("[")
        cost += line.count(".") ** 2 * (_STATEMENT if is_statement else 1)
    return cost


def _syntax(said: str, text: str, file: str) -> Finding:
    match = _AT.search(said)
    message = said[: match.start()] if match else said
    if match and match[1]:
        line, column = int(match[1]), int(match[2])
    else:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    return refused("toml-syntax", message[:1].lower() + message[1:], Location(file, "", line, column), _hint(message))


def _hint(message: str) -> str | None:
    if message in {"Cannot overwrite a value", "Cannot declare twice"} or "twice" in message:
        return "Each key and each table stands once; a list of tables is written [[like this]]."
    if message == "Invalid value":
        return "Strings stand in quotes, and TOML has no null."
    return None
