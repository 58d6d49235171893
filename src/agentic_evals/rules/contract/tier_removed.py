"""A fixture that guarded a compliance pipeline must not lose its tier in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.subject import EVERYWHERE, Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    if subject.facts.repository.declared_compliance and subject.fixture.eval_tier != "compliance":
        message = "a committed version of this fixture declared the compliance tier, and this one does not"
        hint = "Declare the tier again; a suite under weaker rules is another fixture, in another file."
        yield error(RULE.id, message, "", hint, '"eval_tier": "compliance"')


RULE: Final = Rule("tier-removed", "The compliance tier is never dropped.", _check, EVERYWHERE)
