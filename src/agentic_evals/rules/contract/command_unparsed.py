"""What cannot be parsed is no evidence, and the author should know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.subject import EVERYWHERE, Rule, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    for entry in subject.commands:
        for problem in entry.parsed.problems:
            message = f"the command of {entry.case.case.name!r} cannot be parsed: {problem}"
            hint = "Nothing from there counts; write it as plain argv, or mend the shell text."
            yield warning(RULE.id, message, f"/cases/{entry.case.index}/command", hint)


RULE: Final = Rule("command-unparsed", "Commands can be parsed.", _check, EVERYWHERE)
