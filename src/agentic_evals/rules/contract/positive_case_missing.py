"""A skill that refuses everything is not ready: some required positive case must be able to fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.contract._remedies import example_case, named
from agentic_evals.rules.subject import Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    controls = [case for case in subject.cases if case.case.type == "positive" and case.case.required]
    if any(case.index not in subject.vacuous for case in controls):
        return
    if not controls:
        message = "there is no required positive case: a skill that refuses everything would be ready"
    else:
        idle = named(f"{case.case.name!r}" for case in controls)
        message = f"no required positive case can fail: a program that does nothing passes {idle}"
    hint = "Add a required positive case that expects what only the skill can produce."
    fragment = example_case(subject, "positive", {"exit_code": 0, "stdout_contains": ["a result of the skill"]})
    yield error(RULE.id, message, "/cases", hint, fragment)


RULE: Final = Rule("positive-case-missing", "Some required positive case can fail.", _check)
