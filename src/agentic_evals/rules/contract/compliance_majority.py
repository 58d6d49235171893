"""In the compliance tier, positive controls are the minority."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.subject import Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    if subject.fixture.eval_tier != "compliance":
        return
    counted = [case for case in subject.cases if case.case.type != "positive" and case.index not in subject.any_failure]
    if 2 * len(counted) <= len(subject.cases):
        message = (
            f"{len(counted)} of {len(subject.cases)} cases are negative or adversarial: "
            "the compliance tier asks for more than half"
        )
        yield error(RULE.id, message, "/cases", "Add adversarial cases; cases that any crash passes do not count.")


RULE: Final = Rule("compliance-majority", "Most cases of a compliance suite attack.", _check)
