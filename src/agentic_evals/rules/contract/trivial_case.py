"""A case whose every command only prints, looks or waits proves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.commands import only_trivial
from agentic_evals.rules.subject import Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    for entry in subject.commands:
        if not entry.parsed.problems and only_trivial(entry.parsed):
            message = f"{entry.case.case.name!r} runs nothing but trivial programs or constant code"
            hint = "Run the skill, or take the case away."
            yield error(RULE.id, message, f"/cases/{entry.case.index}/command", hint)


RULE: Final = Rule("trivial-case", "No case is trivial.", _check)
