"""Values in the one JSON document that the whole of standard output must be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from agentic_evals.model.trial import Blob, Capture, Exited, Observe
from agentic_evals.model.verdict import Decision
from agentic_evals.rules.expectations._assertion import (
    Decided,
    OtherArtifact,
    ValueAssertion,
    decide_value,
    problems,
    text_matches,
)
from agentic_evals.rules.expectations._files import Files
from agentic_evals.rules.expectations._json import NotJson, embedded, load
from agentic_evals.rules.operator import Evidence, Example, Operator, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentic_evals.model.canonical import JsonValue
    from agentic_evals.model.fixture import Case


def _check(spec: Sequence[ValueAssertion]) -> tuple[Problem, ...]:
    return tuple(
        (f"/{index}{below}", message) for index, assertion in enumerate(spec) for below, message in problems(assertion)
    )


def _observe(spec: Sequence[ValueAssertion], _case: Case) -> tuple[Observe, ...]:
    return tuple(Observe(item.equals_artifact.path) for item in spec if item.equals_artifact is not None)


def _judge(spec: Sequence[ValueAssertion], evidence: Evidence) -> tuple[Decision, ...]:
    stdout = evidence.capture.stdout
    document: JsonValue = None
    why_not: str | None = None
    if not all(_is_about_text(item) for item in spec):
        try:
            document = load(stdout)
        except NotJson as error:
            why_not = str(error)
    files = Files(evidence)
    decided: list[Decision] = []
    for index, item in enumerate(spec):
        if _is_about_text(item):
            part: list[Decided] = [("matches_regex", *text_matches(item.matches_regex or "", stdout))]
        elif why_not is not None:
            part = [(key, False, why_not) for key in item.about_value]
        else:
            part = decide_value(item, document, files.other)
        decided += [
            Decision(f"/{index}/{key}", holds=holds, observation=f"stdout: {what}") for key, holds, what in part
        ]
    return tuple(decided)


def _is_about_text(item: ValueAssertion) -> bool:
    """Tell whether only a regex is given, and no pointer: it is about the text, JSON or not."""
    return item.json_pointer is None and item.about_value == ("matches_regex",)


def _repeats(spec: Sequence[ValueAssertion], words: str) -> tuple[str, ...]:
    """Return the first JSON document in the words of the command that has every value asked for."""
    for text, document in embedded(words):
        if all(holds for item in spec for _, holds, _ in decide_value(item, document, _no_file)):
            return (text,)
    return ()


def _no_file(_reference: OtherArtifact) -> JsonValue:
    message = "a no-op writes no file"
    raise NotJson(message)


OPERATOR: Final = Operator(
    key="stdout_json",
    summary="Values in the JSON document that the whole of standard output is.",
    spec=Annotated[list[ValueAssertion], Field(min_length=1)],
    check=_check,
    observe=_observe,
    judge=_judge,
    looks_at=frozenset({"stdout", "files"}),
    repeats=_repeats,
    examples=(
        Example(
            [{"json_pointer": "/total", "equals": 42}, {"json_pointer": "/items/0", "type_of": "string"}],
            passes=Capture(Exited(0), stdout=Blob.of(b'{"total": 42.0, "items": ["a"]}\n')),
            fails=Capture(Exited(0), stdout=Blob.of(b'{"total": 42, "items": [1]}\n')),
        ),
        Example(
            [{"json_pointer": "/error", "not_exists": True}],
            passes=Capture(Exited(0), stdout=Blob.of(b"{}")),
            fails=Capture(Exited(0), stdout=Blob.of(b"done\n{}")),
        ),
    ),
)
