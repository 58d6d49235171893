"""What a report says beside verdicts: source, isolation, environment, settings, limits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from agentic_evals.rules import isolation
from agentic_evals.rules.commands import samples
from agentic_evals.rules.environment import trial_environment
from agentic_evals.rules.redaction import SHORTEST
from agentic_evals.rules.reporting import Circumstance, finding_documents

if TYPE_CHECKING:
    from agentic_evals.flows.admit import Admission
    from agentic_evals.flows.evaluate import Request
    from agentic_evals.flows.rooms import CaseRoom
    from agentic_evals.model.trial import RoomFacts
    from agentic_evals.rules.operator import CompiledCase
    from agentic_evals.rules.subject import Subject

MANIFEST_SCHEMA: Final = "agentic_evals.run_manifest.v1"
_WEAKEST_FIRST: Final = ("shared", "copy", "overlay")


def circumstance(
    admission: Admission,
    subject: Subject,
    request: Request,
    selected: tuple[CompiledCase, ...],
    rooms: Mapping[int, CaseRoom],
    generated_at: str,
) -> Circumstance:
    """Put together all that a report says beside verdicts, before any trial runs."""
    fixture, repository = subject.fixture, subject.facts.repository
    environment = trial_environment(request.caller, fixture.env, fixture.credentials, request.own_prefix)
    weakest = min((room.facts for room in rooms.values()), key=lambda facts: _WEAKEST_FIRST.index(facts.mode))
    return Circumstance(
        source=admission.path,
        run_id=request.run_id,
        fixture_sha256=admission.sha256,
        generated_at=generated_at,
        duration_ms=0.0,
        trials=subject.trials,
        contract="exempt" if admission.exempt else "met",
        selection="whole" if len(selected) == len(subject.cases) else "partial",
        findings=finding_documents(admission.findings),
        repo={"sha": repository.sha, "ref": repository.ref, "dirty": repository.dirty},
        isolation=_isolation(weakest, request.workspace_mode),
        environment={"hidden": list(environment.hidden), "credentials": list(fixture.credentials)},
        settings=request.settings,
        tool=request.tool,
        own_program=subject.facts.own_program,
        vacuous=tuple(sorted(subject.vacuous)),
        any_failure=tuple(sorted(subject.any_failure)),
        selected=tuple(case.index for case in selected),
        sampled=tuple(entry.case.index for entry in subject.commands if samples(entry.parsed).non_deterministic),
        bypass=request.bypass,
        limits=(*_limits(weakest), *_unmasked(request.caller, fixture.credentials)),
    )


def _isolation(weakest: RoomFacts, asked: str) -> dict[str, Any]:
    return {
        "level": "process",
        "workspace_asked": asked,
        "workspace": weakest.mode,
        "reason": weakest.reason,
        "recorder": "off",
        "guarantees": isolation.in_force(weakest),
    }


def isolation_line(document: Mapping[str, Any]) -> str:
    """Return the sentence that says what was in force."""
    reason = f" ({document['reason']})" if document["reason"] else ""
    grade = document["guarantees"]["workspace_private"]["grade"]
    return f"{document['level']}, workspace {document['workspace']}{reason}, kept apart: {grade}, recorder off"


def _limits(weakest: RoomFacts) -> tuple[str, ...]:
    """Say what a run without a recorder cannot show."""
    said = ["Nothing recorded which programs ran or which files were read: the recorder is off."]
    if weakest.mode == "shared":
        said.append("Trials shared the workspace in place, one after another; nothing was reset between them.")
    return tuple(said)


def _unmasked(caller: Mapping[str, str], credentials: Iterable[str]) -> Iterator[str]:
    """Say which declared credentials are too short to be removed from what is kept."""
    for name in credentials:
        if 0 < len(caller.get(name, "")) < SHORTEST:
            yield f"The value of {name} has fewer than {SHORTEST} characters: the record may hold it."


def manifest_bytes(about: Circumstance) -> bytes:
    """Return the run folder's manifest: all that a report says beside verdicts."""
    return json.dumps({"schema": MANIFEST_SCHEMA, **asdict(about)}, indent=1).encode() + b"\n"
