"""Turns the JSON of a request into typed values, and refuses what is not a request of protocol version 1."""

from __future__ import annotations

import os
from binascii import Error as Base64Error
from binascii import a2b_base64

JOB_SCHEMA = "agentic_evals.trial_job.v1"
CAPTURE_SCHEMA = "agentic_evals.capture.v1"
MODES = ("auto", "overlay", "copy", "shared")
RECORDERS = ("off", "trace", "strace")
REPLACEMENTS = ("exit0", "empty", "exit1")
_TWO_GIB = 2147483648
_SIXTY_FOUR_MIB = 67108864


class BadRequest(Exception):
    """A request that does not follow the protocol; the text names the field."""


class Replacement:
    """A file that is taken out of the view: `kind` says what stands in its place."""

    __slots__ = ("kind", "path")

    def __init__(self, document: dict[str, object]) -> None:
        """Read one entry of `replace`; raises `BadRequest`."""
        self.path = _absolute(document, "path")
        self.kind = _one_of(document, "kind", REPLACEMENTS)


class RoomSpec:
    """Which tree a trial sees and how private that view has to be."""

    def __init__(self, document: dict[str, object]) -> None:
        """Read a RoomSpec; raises `BadRequest`."""
        self.document = document
        self.workspace = _absolute(document, "workspace")
        self.also = [_as_absolute(path, "also") for path in _texts(document, "also")]
        self.mode = _one_of(document, "mode", MODES)
        limit = _object(document.get("copy_limit") or {}, "copy_limit")
        self.copy_bytes = _count(limit, "bytes", 200_000_000)
        self.copy_files = _count(limit, "files", 20_000)
        self.copy_forbidden = _optional_text(document, "copy_forbidden")
        self.scratch = _absolute(document, "scratch")
        self.replace = [Replacement(_object(item, "replace")) for item in _list(document, "replace")]


class Stdin:
    """What the command reads from its standard input."""

    __slots__ = ("data", "kind", "path")

    def __init__(self, document: dict[str, object]) -> None:
        """Read the `stdin` of a job; raises `BadRequest`."""
        self.kind = _one_of(document, "kind", ("closed", "bytes", "file"))
        self.data = b""
        self.path = ""
        if self.kind == "file":
            self.path = _absolute(document, "path")
        elif self.kind == "bytes":
            try:
                self.data = a2b_base64(_text(document, "base64"))
            except (Base64Error, ValueError) as error:
                message = "stdin.base64: not base64"
                raise BadRequest(message) from error


class Observation:
    """A path to look at after the command, and how closely."""

    __slots__ = ("allow_outside", "max_bytes", "path", "reread")

    def __init__(self, document: dict[str, object]) -> None:
        """Read one entry of `observe`; raises `BadRequest`."""
        self.path = _text(document, "path")
        self.max_bytes = _count(document, "max_bytes", _SIXTY_FOUR_MIB)
        self.reread = _flag(document, "reread")
        self.allow_outside = _flag(document, "allow_outside")


class Trace:
    """What a recorder is to look at besides the workspace and the trial's temporary folder."""

    __slots__ = ("regions",)

    def __init__(self, document: dict[str, object]) -> None:
        """Read the `trace` of a job; raises `BadRequest`."""
        self.regions = [_as_absolute(path, "regions") for path in _texts(document, "regions")]


class TrialJob:
    """One command with its limits and what to keep of it."""

    def __init__(self, document: dict[str, object]) -> None:
        """Read a TrialJob; raises `BadRequest`."""
        if document.get("schema", JOB_SCHEMA) != JOB_SCHEMA:
            message = f"schema: this worker reads {JOB_SCHEMA}"
            raise BadRequest(message)
        self.id = _text(document, "id")
        self.room = document.get("room")
        self.argv = _texts(document, "argv")
        if not self.argv:
            message = "argv: empty"
            raise BadRequest(message)
        self.cwd = _absolute(document, "cwd")
        self.env = _text_map(document, "env")
        self.tmp_env = _texts(document, "tmp_env")
        self.trajectory_env = _optional_text(document, "trajectory_env")
        self.replace_tokens = _text_map(document, "replace_tokens")
        if not set(self.replace_tokens.values()) <= {"workspace", "tmp"}:
            message = "replace_tokens: a value is neither workspace nor tmp"
            raise BadRequest(message)
        self.stdin = Stdin(_object(document.get("stdin") or {"kind": "closed"}, "stdin"))
        self.timeout_ms = _count(document, "timeout_ms", 30_000)
        self.term_grace_ms = _count(document, "term_grace_ms", 500)
        self.leak_grace_ms = _count(document, "leak_grace_ms", 200)
        self.max_output = _count(document, "max_output", _TWO_GIB)
        self.spool = _absolute(document, "spool")
        self.observe = observations(document)
        self.recorder = recorder_of(document, "off")
        self.trace = Trace(_object(document.get("trace") or {}, "trace"))


def observations(document: dict[str, object]) -> list[Observation]:
    """Return the entries of the list `observe`; raises `BadRequest`."""
    return [Observation(_object(item, "observe")) for item in _list(document, "observe")]


def recorder_of(document: dict[str, object], default: str) -> str:
    """Return the field `recorder`; raises `BadRequest`."""
    return _one_of(document, "recorder", RECORDERS) if "recorder" in document else default


def room_of(document: dict[str, object]) -> RoomSpec:
    """Return the RoomSpec in the field `room`; raises `BadRequest`."""
    return RoomSpec(_object(document.get("room"), "room"))


def job_of(document: dict[str, object]) -> TrialJob:
    """Return the TrialJob in the field `job`; raises `BadRequest`."""
    return TrialJob(_object(document.get("job"), "job"))


def as_request(value: object) -> dict[str, object]:
    """Return `value` as a request object; raises `BadRequest`."""
    return _object(value, "request")


def _object(value: object, name: str) -> dict[str, object]:
    if not isinstance(value, dict):
        message = f"{name}: not an object"
        raise BadRequest(message)
    return value


def _list(document: dict[str, object], name: str) -> list[object]:
    value = document.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        message = f"{name}: not a list"
        raise BadRequest(message)
    return value


def _text(document: dict[str, object], name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str):
        message = f"{name}: not a string"
        raise BadRequest(message)
    return value


def _optional_text(document: dict[str, object], name: str) -> str | None:
    return None if document.get(name) is None else _text(document, name)


def _texts(document: dict[str, object], name: str) -> list[str]:
    values = _list(document, name)
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) != len(values):
        message = f"{name}: not a list of strings"
        raise BadRequest(message)
    return texts


def _text_map(document: dict[str, object], name: str) -> dict[str, str]:
    value = _object(document.get(name) or {}, name)
    texts = {key: text for key, text in value.items() if isinstance(text, str)}
    if len(texts) != len(value):
        message = f"{name}: a value is not a string"
        raise BadRequest(message)
    return texts


def _absolute(document: dict[str, object], name: str) -> str:
    return _as_absolute(_text(document, name), name)


def _as_absolute(path: str, name: str) -> str:
    if not path.startswith("/") or "\0" in path:
        message = f"{name}: not an absolute path"
        raise BadRequest(message)
    return os.path.normpath(path) if name in ("workspace", "also", "scratch", "spool") else path


def _count(document: dict[str, object], name: str, default: int) -> int:
    value = document.get(name, default)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        message = f"{name}: not a count"
        raise BadRequest(message)
    return value


def _flag(document: dict[str, object], name: str) -> bool:
    value = document.get(name, False)
    if not isinstance(value, bool):
        message = f"{name}: not a boolean"
        raise BadRequest(message)
    return value


def _one_of(document: dict[str, object], name: str, allowed: tuple[str, ...]) -> str:
    value = _text(document, name)
    if value not in allowed:
        message = f"{name}: none of {', '.join(allowed)}"
        raise BadRequest(message)
    return value
