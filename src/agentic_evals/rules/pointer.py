"""JSON pointers (RFC 6901), strictly: `-1` is no index, `""` is the whole document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from agentic_evals.model.canonical import JsonValue

_INDEX: Final = re.compile(r"0|[1-9][0-9]*\Z", re.ASCII)
_BAD_ESCAPE: Final = re.compile(r"~(?![01])")


class PointerError(ValueError):
    """The pointer is malformed, or leads nowhere in this document."""


def check(pointer: str) -> str | None:
    """Return what is wrong with the pointer's syntax, or `None`."""
    if pointer and not pointer.startswith("/"):
        return "a JSON pointer is empty or begins with `/`"
    if _BAD_ESCAPE.search(pointer):
        return "`~` must be followed by 0 or 1"
    return None


def resolve(document: JsonValue, pointer: str) -> JsonValue:
    """Return the value that a pointer names.

    Raises:
        PointerError: the syntax is wrong or some step does not exist; the message says which.

    """
    wrong = check(pointer)
    if wrong is not None:
        raise PointerError(wrong)
    value = document
    walked = ""
    for raw in pointer.split("/")[1:]:
        value = _step(value, raw.replace("~1", "/").replace("~0", "~"), walked)
        walked += f"/{raw}"
    return value


def _step(value: JsonValue, token: str, walked: str) -> JsonValue:
    if isinstance(value, Mapping):
        if token in value:
            return value[token]
        message = f"no key {token!r} {_at(walked)}"
        raise PointerError(message)
    if isinstance(value, Sequence) and not isinstance(value, str):
        if _INDEX.fullmatch(token) and len(token) < len(str(len(value))) + 1 and int(token) < len(value):
            return value[int(token)]
        message = f"no index {token!r} {_at(walked)}: the list has {len(value)} items"
        raise PointerError(message)
    message = f"nothing below {repr(walked) if walked else 'the top'}: it is no object and no list"
    raise PointerError(message)


def _at(walked: str) -> str:
    return f"at {walked!r}" if walked else "at the top"
