"""Files that the command must have written, or must not have left, and values in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from agentic_evals.model.trial import Blob, Capture, Exited, Observe, Observed
from agentic_evals.model.verdict import Decision
from agentic_evals.rules.expectations._assertion import (
    ArtifactAssertion,
    Decided,
    decide_file,
    decide_value,
    problems,
    reread,
    text_matches,
)
from agentic_evals.rules.expectations._files import MISSING, Files
from agentic_evals.rules.expectations._json import NotJson
from agentic_evals.rules.operator import Evidence, Example, Operator, Problem

if TYPE_CHECKING:
    from agentic_evals.model.fixture import Case


def _check(spec: list[ArtifactAssertion]) -> tuple[Problem, ...]:
    return tuple(
        (f"/{index}{below}", message) for index, assertion in enumerate(spec) for below, message in problems(assertion)
    )


def _observe(spec: list[ArtifactAssertion], case: Case) -> tuple[Observe, ...]:
    wanted = [Observe(item.path, reread=bool(item.readback) or case.readback) for item in spec]
    wanted += [Observe(item.equals_artifact.path) for item in spec if item.equals_artifact is not None]
    return tuple(wanted)


def _judge(spec: list[ArtifactAssertion], evidence: Evidence) -> tuple[Decision, ...]:
    files = Files(evidence)
    return tuple(decision for index, item in enumerate(spec) for decision in _decide(item, f"/{index}", files))


def _decide(item: ArtifactAssertion, at: str, files: Files) -> list[Decision]:
    seen, why_not = files.look(item.path)
    if item.absent:
        holds = seen.kind == "missing" and why_not == MISSING
        return [Decision(f"{at}/absent", holds=holds, observation=f"{item.path} {why_not or 'is there'}")]
    if why_not is not None or seen.blob is None:
        return [Decision(at, holds=False, observation=f"{item.path} {why_not or 'cannot be read'}")]
    decided = decide_file(item, seen.blob, seen.reread_sha256) + _values(item, seen.blob, files)
    if files.case_wants_readback and not item.readback:
        decided.append(reread(seen.blob, seen.reread_sha256))
    return [Decision(f"{at}/{key}", holds=holds, observation=f"{item.path}: {what}") for key, holds, what in decided]


def _values(item: ArtifactAssertion, blob: Blob, files: Files) -> list[Decided]:
    if item.json_pointer is None:
        decided = [("exists", True, "was written during this trial")] if item.exists else []
        if item.matches_regex is not None:
            decided.append(("matches_regex", *text_matches(item.matches_regex, blob)))
        return decided
    try:
        document = files.document(item.path, blob)
    except NotJson as error:
        return [(key, False, str(error)) for key in item.about_value]
    return decide_value(item, document, files.other)


def _file(content: bytes, *, fresh: bool = True) -> dict[str, Observed]:
    return {"out.json": Observed("out.json", "file", len(content), fresh=fresh, blob=Blob.of(content))}


OPERATOR: Final = Operator(
    key="artifacts",
    summary="Files that the command wrote during the trial, or must not have left, and values in them.",
    spec=Annotated[list[ArtifactAssertion], Field(min_length=1)],
    check=_check,
    observe=_observe,
    judge=_judge,
    looks_at=frozenset({"files"}),
    examples=(
        Example(
            [{"path": "out.json", "json_pointer": "/ok", "equals": True}],
            passes=Capture(Exited(0), observed=_file(b'{"ok": true}')),
            fails=Capture(Exited(0), observed=_file(b'{"ok": 1}')),
        ),
        Example(
            [{"path": "out.json", "exists": True}],
            passes=Capture(Exited(0), observed=_file(b"{}")),
            fails=Capture(Exited(0), observed=_file(b"{}", fresh=False)),
        ),
        Example(
            [{"path": "out.json", "absent": True}],
            passes=Capture(Exited(0), observed={"out.json": Observed("out.json", "missing")}),
            fails=Capture(Exited(0), observed=_file(b"{}")),
        ),
    ),
)
