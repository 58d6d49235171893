"""Canonical JSON bytes (RFC 8785), digests of them, and JSON equality."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

JsonValue: TypeAlias = bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"] | None

_EXPONENT_ABOVE: Final = 21
_EXPONENT_BELOW: Final = -7
_SAFE_INTEGER: Final = 2**53


def canonical(value: JsonValue) -> bytes:
    """Return the RFC 8785 bytes of a JSON value.

    Integers beyond 2**53 keep their digits instead of being rounded to a double, so that two
    different documents never share bytes.

    Raises:
        ValueError: a number is not finite.

    """
    return _text(value).encode("utf-8", "surrogatepass")


def digest(value: JsonValue) -> str:
    """Return the lower-case hex SHA-256 of the canonical bytes of a JSON value."""
    return hashlib.sha256(canonical(value)).hexdigest()


def _text(value: JsonValue) -> str:
    if value is None or isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping):
        members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{json.dumps(key, ensure_ascii=False)}:{_text(item)}" for key, item in members) + "}"
    return "[" + ",".join(map(_text, value)) + "]"


def _number(value: float) -> str:
    """Write a double as ECMAScript does (RFC 8785, section 3.2.2.3)."""
    if not math.isfinite(value):
        message = f"not a JSON number: {value}"
        raise ValueError(message)
    if value == int(value) and abs(value) < _SAFE_INTEGER:
        return str(int(value))
    sign, digits, exponent = _decimal(value)
    point = len(digits) + exponent
    if len(digits) <= point <= _EXPONENT_ABOVE:
        body = digits + "0" * (point - len(digits))
    elif 0 < point <= _EXPONENT_ABOVE:
        body = f"{digits[:point]}.{digits[point:]}"
    elif _EXPONENT_BELOW < point - 1 < 0 and point > _EXPONENT_BELOW + 1:
        body = "0." + "0" * -point + digits
    else:
        mantissa = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
        body = f"{mantissa}e{point - 1:+d}"
    return sign + body


def _decimal(value: float) -> tuple[str, str, int]:
    """Split the shortest decimal form into sign, digits without trailing zeros, and exponent."""
    mantissa, _, power = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    exponent = int(power or 0) - len(fraction)
    stripped = digits.rstrip("0")
    return "-" if value < 0 else "", stripped or "0", exponent + len(digits) - len(stripped)


def json_equal(left: JsonValue, right: JsonValue) -> bool:
    """Return whether two JSON values are equal: numbers by value, and `true` is never 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    if isinstance(left, str) or isinstance(right, str):
        return isinstance(left, str) and isinstance(right, str) and left == right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(json_equal(left[key], right[key]) for key in left)
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return len(left) == len(right) and all(map(json_equal, left, right))
    return left is None and right is None
