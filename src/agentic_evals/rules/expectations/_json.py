"""JSON that a command wrote, read so strictly that every reader would see the same."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NoReturn

from agentic_evals.rules.expectations._streams import WHOLE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.canonical import JsonValue
    from agentic_evals.model.trial import Blob

MAX_DEPTH: Final = 200
_MAX_DIGITS: Final = 1000
_SHOWN: Final = 120
_MOST_EMBEDDED: Final = 50
_OPENING: Final = re.compile(r"[\[{]")
_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


class NotJson(ValueError):
    """A file or stream is not the JSON document that an assertion asks for."""


def load(blob: Blob) -> JsonValue:
    """Read a whole stream or file as one JSON document (RFC 8259); a byte order mark of UTF-8 is passed over.

    Raises:
        NotJson: with the reason: bad syntax, another encoding, a key that stands twice, a number that
            is not finite, more than 1,000 digits, more than 200 levels, more than 16 MiB.

    """
    if blob.size > WHOLE_BYTES:
        message = f"{blob.size:,} bytes are too many to be read as JSON; at most {WHOLE_BYTES:,} are"
        raise NotJson(message)
    data = blob.complete if blob.complete is not None else b"".join(blob.chunks())
    if not data.strip():
        message = "empty, not JSON"
        raise NotJson(message)
    return loads(_decoded(data))


def loads(text: str) -> JsonValue:
    """Read a text as `load` does.

    Raises:
        NotJson: with the reason.

    """
    try:
        value: JsonValue = json.loads(
            text, object_pairs_hook=_members, parse_constant=_no_number, parse_float=_real, parse_int=_integer
        )
    except NotJson:
        raise
    except ValueError as error:
        message = f"not JSON: {error}"
        raise NotJson(message) from error
    except RecursionError as error:
        raise _too_deep() from error
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(value)
    return value


def embedded(words: str) -> Iterator[tuple[str, JsonValue]]:
    """Yield the JSON objects, lists and whole lines of JSON that stand in a text: a few, with their values."""
    for line in words.splitlines()[:_MOST_EMBEDDED]:
        with suppress(NotJson):
            yield line, loads(line)
    decoder = json.JSONDecoder()
    start, tried = 0, 0
    while tried < _MOST_EMBEDDED and (match := _OPENING.search(words, start)) is not None:
        tried += 1
        start = match.end()
        with suppress(ValueError, RecursionError):
            _, end = decoder.raw_decode(words, match.start())
            yield words[match.start() : end], loads(words[match.start() : end])
            start = end


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = "UTF-16, not UTF-8" if data.startswith(_MARKS) else f"byte 0x{data[error.start]:02x} is not UTF-8"
        message = f"not JSON: {what}"
        raise NotJson(message) from error


def _members(members: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(members)
    if len(result) == len(members):
        return result
    twice, _ = Counter(key for key, _ in members).most_common(1)[0]
    message = f"the key {shown(twice)} stands twice in one object, and readers disagree about which counts"
    raise NotJson(message)


def _no_number(name: str) -> NoReturn:
    message = f"not JSON: {name} is not a number of JSON"
    raise NotJson(message)


def _real(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        message = f"the number {digits[:40]} is too large to be read"
        raise NotJson(message)
    return number


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        message = f"an integer of {len(digits):,} digits is too long to be read"
        raise NotJson(message)
    return int(digits)


def _too_deep() -> NotJson:
    message = f"more than {MAX_DEPTH} levels of nesting"
    return NotJson(message)


def _check_depth(root: Any) -> None:  # noqa: ANN401 - any JSON
    level = [root]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for value in level
            if isinstance(value, dict | list)
            for item in (value.values() if isinstance(value, dict) else value)
            if isinstance(item, dict | list)
        ]
        if not level:
            return
    raise _too_deep()


def shown(value: Any) -> str:  # noqa: ANN401 - any JSON
    """Show a JSON value on one line, cut where it is long; nothing longer is ever put together."""
    if isinstance(value, str):
        value = value[: _SHOWN + 1]
    text = ""
    for part in json.JSONEncoder(ensure_ascii=False).iterencode(value):
        text += part[: _SHOWN + 1]
        if len(text) > _SHOWN:
            break
    text = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return text.encode("utf-8", "backslashreplace").decode()
