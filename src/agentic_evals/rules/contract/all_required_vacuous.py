"""A suite whose required cases would all pass without the skill proves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.subject import EVERYWHERE, Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    required = [case for case in subject.cases if case.case.required]
    if not required or any(case.index not in subject.vacuous for case in required):
        return
    for case in required:
        message = (
            f"a program that does nothing but exit 0, or repeat words of this command, passes {case.case.name!r}, "
            "and no other required case can fail either"
        )
        hint = "Expect what only the skill can produce: words that the command does not contain, or a file it writes."
        yield error(
            RULE.id, message, f"/cases/{case.index}/expected", hint, '"stdout_contains": ["a result of the skill"]'
        )


RULE: Final = Rule("all-required-vacuous", "Some required case can fail.", _check, EVERYWHERE)
