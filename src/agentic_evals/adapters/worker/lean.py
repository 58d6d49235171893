"""Gives the few pieces of `json`, `signal` and `hashlib` that a worker needs, without the import time of the packages.

A worker starts once for each job slot, before the first trial: `json` alone (which imports `re` and `enum`) doubles
its start. The C parts below are those that the packages use; an interpreter without them imports the package.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Digest(Protocol):
        """A running hash."""

        def update(self, data: bytes | bytearray | memoryview, /) -> None: ...
        def hexdigest(self) -> str: ...

    from typing_extensions import override
else:

    def override(method: object) -> object:
        """Mark a method that replaces one of its base class, as `typing.override` of Python 3.12 does."""
        return method


try:
    import _signal as signals
except ImportError:  # pragma: no cover - an interpreter without the C module
    import signal as signals

try:
    from _sha256 import sha256 as small_sha256  # CPython 3.11
except ImportError:
    try:
        from _sha2 import sha256 as small_sha256  # CPython 3.12 and later
    except ImportError:
        from hashlib import sha256 as small_sha256

__all__ = ["large_sha256", "override", "read_json", "signals", "small_sha256", "write_json"]


def large_sha256() -> Digest:
    """Return a running SHA-256 that is fast on megabytes (OpenSSL's, imported at first need)."""
    import hashlib

    return hashlib.sha256()


class _Reading:
    """What the C scanner asks of its decoder: the defaults of `json.JSONDecoder`."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int

    @staticmethod
    def parse_constant(name: str) -> object:
        """Refuse NaN and the infinities: no message of the protocol holds one."""
        message = f"{name} is not JSON"
        raise ValueError(message)


_PLAIN = (False, False, False)  # keys unsorted, none skipped, no NaN


def _quick_codec() -> tuple[Callable[[str], object], Callable[[object], str]]:
    from _json import encode_basestring_ascii, make_encoder, make_scanner

    scan = make_scanner(_Reading)  # type: ignore[arg-type]  # any object with these attributes
    encode = make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", *_PLAIN)

    def read(text: str) -> object:
        value, end = scan(text, 0)
        if text[end:].strip():
            message = "more than one JSON document on a line"
            raise ValueError(message)
        return value

    def write(value: object) -> str:
        return "".join(encode(value, 0))

    return read, write


def _plain_codec() -> tuple[Callable[[str], object], Callable[[object], str]]:
    import json

    return json.loads, lambda value: json.dumps(value, separators=(",", ":"))


def _refuse(value: object) -> object:
    message = f"{type(value).__name__} is no JSON value"
    raise TypeError(message)


def _works(codec: tuple[Callable[[str], object], Callable[[object], str]]) -> bool:
    read, write = codec
    sample: dict[str, object] = {"a": [1, 2.5, True, None, 'é"\\']}
    return read(write(sample)) == sample


def _choose_codec() -> tuple[Callable[[str], object], Callable[[object], str]]:
    try:
        codec = _quick_codec()
        if _works(codec):
            return codec
    except (ImportError, TypeError, ValueError, StopIteration):
        pass
    return _plain_codec()


_read, _write = _choose_codec()


def read_json(text: str) -> object:
    """Return the JSON document in `text`.

    Raises:
        ValueError: when `text` is not exactly one JSON document.
    """
    try:
        return _read(text.strip())
    except StopIteration as error:
        message = "not a JSON document"
        raise ValueError(message) from error


def write_json(value: object) -> str:
    """Return `value` as one line of ASCII JSON, without a line end."""
    return _write(value)
