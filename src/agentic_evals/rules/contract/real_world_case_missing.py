"""Some required case must run the real thing, on input that is not a stub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.commands import Substance
from agentic_evals.rules.subject import CaseCommand, Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    declared = [entry for entry in subject.commands if entry.case.case.real_world and entry.case.case.required]
    reasons = {entry.case.index: why_not(entry, subject) for entry in declared}
    if any(reason is None for reason in reasons.values()):
        return
    if not declared:
        hint = "Set `real_world: true` on a required case that runs the skill's script, tests, program or address."
        yield error(RULE.id, "there is no required real-world case", "/cases", hint, '"real_world": true')
    for entry in declared:
        message = f"{entry.case.case.name!r} is no real-world case: it {reasons[entry.case.index]}"
        yield error(RULE.id, message, f"/cases/{entry.case.index}", _HINT)


_HINT: Final = (
    "Let the command itself run a script of the skill, its tests, or a program or address that SKILL.md names, "
    "unconditionally and on real input."
)


def why_not(entry: CaseCommand, subject: Subject) -> str | None:
    """Return why a case is no real-world case, or `None` where it is one."""
    case = entry.case.case
    if entry.case.index in subject.vacuous:
        return "passes for a program that does nothing"
    if case.mocked or case.uses_stub or subject.fixture.mocked:
        return "is declared as mocked"
    if entry.substance is not Substance.SUBSTANTIVE:
        return entry.why_not_substantive
    if entry.stub_inputs:
        return f"feeds itself a stub: {', '.join(entry.stub_inputs)}"
    return None


RULE: Final = Rule("real-world-case-missing", "Some required case runs the real thing.", _check)
