"""Some required case must attack the skill, and tell a refusal from a crash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.commands import Substance
from agentic_evals.rules.contract._remedies import example_case, named
from agentic_evals.rules.subject import CaseCommand, Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


_ATTACKS: Final = {"negative", "adversarial"}


def _check(subject: Subject) -> Iterator[Finding]:
    attacks = [entry for entry in subject.commands if entry.case.case.type in _ATTACKS and entry.case.case.required]
    reasons = {entry.case.case.name: why_not(entry, subject) for entry in attacks}
    if any(reason is None for reason in reasons.values()):
        return
    if not attacks:
        message = "there is no required negative or adversarial case: a suite of successes serves itself"
    else:
        told = named((f"{name!r} {reason}" for name, reason in reasons.items()), "; ")
        message = f"no required negative or adversarial case counts: {told}"
    hint = "Add a case that gives the skill's entry point bad input, and expect the words of its refusal."
    refusal = {"exit_code": 2, "stderr_contains": ["words of the refusal"]}
    yield error(RULE.id, message, "/cases", hint, example_case(subject, "negative", refusal))


def why_not(entry: CaseCommand, subject: Subject) -> str | None:
    """Return why a case is no negative control, or `None` where it is one."""
    if entry.case.index in subject.vacuous:
        return "passes for a program that does nothing"
    if entry.case.index in subject.any_failure:
        return "passes for any program that crashes"
    if entry.substance is not Substance.SUBSTANTIVE:
        return entry.why_not_substantive
    return None


RULE: Final = Rule("negative-case-missing", "Some required case attacks the skill.", _check)
