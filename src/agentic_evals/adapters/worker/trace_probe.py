"""Finds out, by recording a tiny program, whether and how this machine lets commands be recorded."""

from __future__ import annotations

import os
import tempfile

import protocol
from spawn import CannotStart
from streams import Capture, Spool
from supervise import Supervision
from trace_filter import CHANGED_ENVIRONMENT
from trace_recorder import Recording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from supervise import PeerWatch

_PROGRAM = (": </dev/null >/dev/null; exec sh -c 'exit 7'", 7)
_SECONDS = 10


def probe(asked: str, peer: PeerWatch) -> dict[str, object]:
    """Return grade, mechanism, errno, at, why, attempts and what is changed for a recorded program.

    The program opens a file for reading and one for writing, and executes another one; a grade is given only when
    the record tells all of it. Raises `PeerGone`.
    """
    with tempfile.TemporaryDirectory(prefix="probe-") as folder:
        return _probe(asked, peer, Spool(folder))


def _probe(asked: str, peer: PeerWatch, spool: Spool) -> dict[str, object]:
    recording = Recording(asked, ["/dev"], spool, None)
    job = protocol.TrialJob(
        {"id": "probe", "argv": ["sh", "-c", _PROGRAM[0]], "cwd": "/", "spool": "/", "timeout_ms": _SECONDS * 1000}
    )
    captures = {name: Capture(spool, name, 1 << 16) for name in ("stdout", "stderr")}
    try:
        started = recording.start(job.argv, {"PATH": os.defpath}, job.cwd, job.stdin)
    except CannotStart as error:
        return _answer(recording, "none", None, error.errno, str(error))
    Supervision(peer, started, captures).run(job)
    record = recording.finish()
    missing = _missing(record)
    why = f"the record of the probe lacks {', '.join(missing)}" if missing else record["why"]
    return _answer(recording, "none" if missing else record["grade"], record["recorder"], None, why)


def _missing(record: dict[str, object]) -> list[str]:
    events = record["events"]
    seen = {
        (event["kind"], event.get("mode") or event.get("code"))
        for event in (events if isinstance(events, list) else [])
        if event["kind"] != "file.open" or event["path"] == os.devnull
    }
    wanted = {
        "an exec": ("proc.exec", None),
        "a reading": ("file.open", "read"),
        "a writing": ("file.open", "write"),
        "an exit": ("proc.exit", _PROGRAM[1]),
    }
    return [name for name, key in wanted.items() if key not in seen]


def _answer(
    recording: Recording, grade: object, mechanism: object, number: int | None, why: object
) -> dict[str, object]:
    refused = next((tried for tried in recording.attempts if not tried["ok"]), None)
    return {
        "grade": grade,
        "mechanism": mechanism if grade != "none" else None,
        "errno": number if number is not None or refused is None else refused["errno"],
        "at": refused["at"] if refused else None,
        "why": why,
        "attempts": recording.attempts,
        "changed": list(CHANGED_ENVIRONMENT) if mechanism == "ptrace" else [],
    }
