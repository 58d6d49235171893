"""A file that `echo`, `cp` or `touch` writes is no result of the skill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.commands import writes_by_trivial_program
from agentic_evals.rules.subject import EVERYWHERE, Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    for entry in subject.commands:
        asserted = [observe.path for observe in entry.case.observes]
        for path, program in writes_by_trivial_program(entry.parsed, asserted, entry.facts):
            message = f"{path!r} is asserted, and the command itself writes it with `{program}`"
            hint = "Let the skill write the file that is asserted."
            yield error(RULE.id, message, f"/cases/{entry.case.index}/command", hint)


RULE: Final = Rule("trivial-write", "Asserted files are not written by trivial programs.", _check, EVERYWHERE)
