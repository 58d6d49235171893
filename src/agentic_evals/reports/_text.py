"""Making foreign text harmless: control characters and escape codes are shown, never sent."""

from __future__ import annotations

import re
from typing import Final

_HARMFUL: Final = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls of ASCII and of Latin-1, without tab and newline
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible, turning
    "\ud800-\udfff"  # halves of pairs have no UTF-8 form
    "\ufdd0-\ufdef\ufffe\uffff"  # no characters
    "\U000e0000-\U000e007f"  # tags: whole sentences that nobody sees
    + "".join(chr(plane << 16 | last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF))
    + "]"
)
_BYTE: Final = 0xFF
_BASIC: Final = 0xFFFF


def visible(text: str) -> str:
    """Return the text with every character that a reader cannot see or that acts on a terminal as an escape.

    Tab and newline stay. What is left has a UTF-8 form and may stand in XML 1.0.
    """
    return _HARMFUL.sub(_escaped, text)


def json_safe(document: str) -> str:
    """Return a JSON document that says the same and holds no character that acts on a terminal or hides."""
    return _HARMFUL.sub(lambda match: "".join(f"\\u{unit:04x}" for unit in _utf16(match[0])), document)


def one_line(text: str, limit: int = 200) -> str:
    """Return the text on one line, harmless, and cut where it is longer than `limit` characters."""
    flat = visible(text).replace("\n", "\\n").replace("\t", " ")
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: `1 case`, `2 cases`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def duration(milliseconds: float) -> str:
    """Return a duration for people: `12 ms`, `3.4 s`, `5 min 06 s`, `2 h 05 min`."""
    if milliseconds < 1000:  # noqa: PLR2004 - a second
        return f"{milliseconds:.0f} ms"
    if milliseconds < 60_000:  # noqa: PLR2004 - a minute
        return f"{milliseconds / 1000:.1f} s"
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s"


def _utf16(character: str) -> tuple[int, ...]:
    code = ord(character)
    if code <= _BASIC:
        return (code,)
    high, low = divmod(code - _BASIC - 1, 0x400)
    return 0xD800 + high, 0xDC00 + low


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code <= _BYTE:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _BASIC else f"\\U{code:08x}"
