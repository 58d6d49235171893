"""The only door from a raw capture to a record: what is kept, what was replaced, and the way back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields
from functools import cache
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from agentic_evals.model.record import ObservedRecord, StoredBytes, TrialRecord
from agentic_evals.model.trial import (
    Blob,
    Capture,
    Exited,
    FailedToStart,
    Observed,
    OutputLimit,
    ProcessNote,
    RoomFacts,
    Signalled,
    Termination,
    TimedOut,
    Withheld,
    WorkerLost,
)
from agentic_evals.model.verdict import Decision, TrialVerdict
from agentic_evals.rules.operator import CompiledCase
from agentic_evals.rules.redaction import Redactor

MadeT = TypeVar("MadeT")
Keep = Callable[[Blob], StoredBytes]
"""Redacts and stores bytes."""

_KINDS: Final[Mapping[str, type[Any]]] = {
    "exited": Exited,
    "signalled": Signalled,
    "timed_out": TimedOut,
    "failed_to_start": FailedToStart,
    "output_limit": OutputLimit,
    "worker_lost": WorkerLost,
    "withheld": Withheld,
}
_FIELDS: Final = {type_: (kind, tuple(field.name for field in fields(type_))) for kind, type_ in _KINDS.items()}
_ROOM_FIELDS: Final = tuple(field.name for field in fields(RoomFacts))


def termination_document(termination: Termination) -> dict[str, Any]:
    """Return `{"kind": …}` with the fields of a termination."""
    kind, names = _FIELDS[type(termination)]
    return {"kind": kind, **{name: getattr(termination, name) for name in names}}


def termination_from(document: Mapping[str, Any]) -> Termination:
    """Undo `termination_document`.

    Raises:
        ValueError: the kind or its fields are unknown.

    """
    kind = _KINDS.get(str(document.get("kind")))
    if kind is None:
        message = f"no such termination: {dict(document)}"
        raise ValueError(message)
    known: Termination = made(kind, {key: value for key, value in document.items() if key != "kind"})
    return known


def made(kind: type[MadeT], document: Mapping[str, Any]) -> MadeT:
    """Read a value from a recorded document, with exact types and no other keys.

    Raises:
        ValueError: the document is none of that kind; the message says where.

    """
    hashable: Any = kind  # a type variable may stand for a type that the checker believes to be unhashable
    try:
        value: MadeT = _adapter(hashable).validate_json(json.dumps(document), strict=True, extra="forbid")
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "/".join(map(str, first["loc"]))
        message = f"{where}: {first['msg']}" if where else first["msg"]
        raise ValueError(message) from error
    return value


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - any type
    return TypeAdapter(kind)


def record(
    case: CompiledCase,
    trial: int,
    capture: Capture,
    verdict: TrialVerdict,
    redactor: Redactor,
    keep: Keep,
    *,
    null: bool = False,
) -> TrialRecord:
    """Turn a judged capture into what is kept of it."""
    stdout, stderr = keep(capture.stdout), keep(capture.stderr)
    trajectory = keep(capture.trajectory) if capture.trajectory is not None else None
    observed = tuple(_observed(seen, redactor, keep) for seen in capture.observed.values())
    replaced = {name for name, kept in (("stdout", stdout), ("stderr", stderr)) if kept.redacted}
    replaced |= {"files"} if any(seen.content is not None and seen.content.redacted for seen in observed) else set()
    replaced |= {"trajectory"} if trajectory is not None and trajectory.redacted else set()
    argv = tuple(map(redactor.text, capture.argv))
    replaced |= {"argv"} if argv != capture.argv else set()
    return TrialRecord(
        case=case.case.name,
        case_index=case.index,
        trial=trial,
        argv=argv,
        termination=redactor.value(termination_document(capture.termination)),
        started_unix_ms=capture.started_unix_ms,
        duration_ms=round(capture.duration_ms, 3),
        stdout=stdout,
        stderr=stderr,
        trajectory=trajectory,
        observed=observed,
        leaked=tuple(
            redactor.value({"pid": leak.pid, "exe": leak.exe, "argv": list(leak.argv)}) for leak in capture.leaked
        ),
        killed=capture.killed,
        no_survivors=capture.no_survivors,
        room=redactor.value({name: getattr(capture.room, name) for name in _ROOM_FIELDS}),
        carried=tuple(_carried(case, verdict, replaced, redactor)),
        changes=redactor.value(capture.changes),
        max_rss_kb=capture.max_rss_kb,
        null=null,
    )


def capture_from(kept: TrialRecord, read: Callable[[StoredBytes], Blob]) -> Capture:
    """Rebuild the capture that a record describes, for judging it again.

    Raises:
        ValueError: the record describes none.

    """
    return Capture(
        termination=termination_from(kept.termination),
        stdout=read(kept.stdout),
        stderr=read(kept.stderr),
        trajectory=read(kept.trajectory) if kept.trajectory is not None else None,
        observed={seen.path: _seen_again(seen, read) for seen in kept.observed},
        duration_ms=kept.duration_ms,
        started_unix_ms=kept.started_unix_ms,
        leaked=tuple(made(ProcessNote, leak) for leak in kept.leaked),
        killed=kept.killed,
        no_survivors=kept.no_survivors,
        argv=kept.argv,
        room=made(RoomFacts, kept.room),
        changes=kept.changes,
        max_rss_kb=kept.max_rss_kb,
    )


def carried_decisions(kept: TrialRecord) -> dict[str, Decision]:
    """Return, by pointer, the decisions that the record carries because their evidence was redacted.

    Raises:
        ValueError: what it carries is no decision.

    """
    decisions = [made(Decision, entry) for entry in kept.carried]
    return {decision.pointer: decision for decision in decisions}


def _observed(seen: Observed, redactor: Redactor, keep: Keep) -> ObservedRecord:
    content = keep(seen.blob) if seen.blob is not None else None
    clean = content is not None and not content.redacted
    return ObservedRecord(
        path=seen.path,
        kind=seen.kind,
        size=seen.size,
        fresh=seen.fresh,
        fresh_by=seen.fresh_by,
        content=content,
        sha256=seen.blob.sha256 if seen.blob is not None and clean else None,
        reread_sha256=seen.reread_sha256 if clean else None,
        message=redactor.text(seen.message) if seen.message else None,
    )


def _seen_again(seen: ObservedRecord, read: Callable[[StoredBytes], Blob]) -> Observed:
    blob = read(seen.content) if seen.content is not None else None
    return Observed(
        path=seen.path,
        kind=seen.kind,  # type: ignore[arg-type]  # one of the kinds: the record's reader has checked it
        size=seen.size,
        fresh=seen.fresh,
        fresh_by=seen.fresh_by,
        blob=blob,
        message=seen.message,
        reread_sha256=seen.reread_sha256,
    )


def _carried(
    case: CompiledCase, verdict: TrialVerdict, replaced: Iterable[str], redactor: Redactor
) -> Iterable[dict[str, Any]]:
    lost = set(replaced)
    if not lost:
        return
    blind = {check.pointer for check in case.checks if check.operator.looks_at & lost}
    for decision in verdict.decisions:
        if any(decision.pointer == root or decision.pointer.startswith(f"{root}/") for root in blind):
            yield asdict(decision) | {"observation": redactor.text(decision.observation), "redacted": True}
