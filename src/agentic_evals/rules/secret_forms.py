"""The forms in which programs print a secret: as it is, escaped, percent-encoded, in hex and in Base64."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterator
from typing import Final

_ALWAYS_SAFE: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._")
_SAFE: Final = (b"", b"~", b"~/", b"!~*'()", b"!~*'();,/?:@&=+$#")
"""What different programs leave as it is when they percent-encode, beside letters, digits and `-._`."""
_LINE: Final = 16
"""Lines of a secret of several lines are secrets of their own from this length on, in bytes."""
_ALIGNMENTS: Final = 3
_URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")


def readings(secret: str) -> tuple[bytes, ...]:
    """Return the bytes behind a text: bytes of the environment that are not UTF-8 arrive as surrogates."""
    found = []
    for errors in ("surrogateescape", "surrogatepass"):
        try:
            found.append(secret.encode("utf-8", errors))
        except UnicodeEncodeError:
            continue
    return tuple(dict.fromkeys(found))


def literal_forms(secret: str) -> frozenset[bytes]:
    """Return the forms that stand in a text without interruption."""
    found = {text.encode("utf-8", "surrogatepass") for text in _escaped(secret)}
    for data in readings(secret):
        found |= {data, *_percent(data), *_lines(data)}
    return frozenset(found)


def wrapped_forms(secret: str) -> frozenset[bytes]:
    """Return the forms that programs break into lines: hex, and Base64.

    Base64 is found wherever the secret stood in what was encoded: of each of the three alignments,
    those characters are returned that depend on the secret alone.
    """
    return frozenset(form for data in readings(secret) for form in (*_hexadecimal(data), *_base64(data)))


def quotable_forms(secret: str) -> tuple[bytes, ...]:
    """Return the forms that a quotation in a problem can hold, and can cut."""
    as_json = json.dumps(secret, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")
    return tuple(dict.fromkeys((*readings(secret), as_json)))


def _escaped(secret: str) -> Iterator[str]:
    for ascii_only in (True, False):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield once.replace("/", "\\/")
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]
    yield repr(secret)[1:-1]
    yield html.escape(secret)
    yield html.escape(secret, quote=False)


def _percent(data: bytes) -> Iterator[bytes]:
    for more in _SAFE:
        safe = _ALWAYS_SAFE.union(more)
        for pattern in (b"%%%02X", b"%%%02x"):
            encoded = b"".join(bytes((byte,)) if byte in safe else pattern % byte for byte in data)
            yield encoded
            yield encoded.replace(b"%20", b"+")


def _lines(data: bytes) -> Iterator[bytes]:
    lines = [line.strip() for line in data.splitlines()]
    if len(lines) > 1:
        yield from (line for line in lines if len(line) >= _LINE)


def _hexadecimal(data: bytes) -> Iterator[bytes]:
    yield data.hex().encode()
    yield data.hex().upper().encode()


def _base64(data: bytes) -> Iterator[bytes]:
    for offset in range(_ALIGNMENTS):
        encoded = base64.b64encode(b"\0" * offset + data)
        first = (offset * 8 + 5) // 6
        whole = (offset + len(data)) * 8 // 6
        yield encoded[first:whole]
        yield encoded[first:whole].translate(_URL_SAFE)
