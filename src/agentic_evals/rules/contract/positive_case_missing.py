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
    touching = {entry.case.index for entry in subject.commands if entry.touches_skill}
    able = [case for case in controls if case.index not in subject.vacuous]
    if any(case.index in touching for case in able):
        return
    if not controls:
        message = "there is no required positive case: a skill that refuses everything would be ready"
    elif able:
        reasons = {entry.case.index: entry.why_not_substantive for entry in subject.commands}
        told = named(f"{case.case.name!r} {reasons[case.index]}" for case in able)
        message = f"no required positive case runs the skill: {told}"
    else:
        idle = named(f"{case.case.name!r}" for case in controls)
        message = f"no required positive case can fail: a program that does nothing passes {idle}"
    hint = "Add a required positive case that expects what only the skill can produce."
    fragment = example_case(subject, "positive", {"exit_code": 0, "stdout_contains": ["a result of the skill"]})
    yield error(RULE.id, message, "/cases", hint, fragment)


RULE: Final = Rule("positive-case-missing", "Some required positive case runs the skill and can fail.", _check)
