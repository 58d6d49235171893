"""A case that carries a claim must be able to fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.subject import Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    for case in subject.cases:
        if case.case.supports_claims and case.index in subject.vacuous:
            claims = ", ".join(case.case.supports_claims)
            message = f"{case.case.name!r} carries {claims}, and a program that does nothing passes it"
            hint = "Expect something that only the skill can produce, or take the claim from the case."
            yield error(RULE.id, message, f"/cases/{case.index}/expected", hint)


RULE: Final = Rule("vacuous-claim-case", "A case that carries a claim can fail.", _check)
