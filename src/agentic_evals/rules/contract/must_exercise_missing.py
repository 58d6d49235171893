"""What a case must exercise stands in its own command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.commands import Reach, must_exercise
from agentic_evals.rules.subject import EVERYWHERE, Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    for entry in subject.commands:
        for index, words in enumerate(entry.case.case.must_exercise):
            if must_exercise(words, entry.parsed) not in {Reach.REACHED, Reach.CONDITIONAL}:
                message = f"the command of {entry.case.case.name!r} does not run {words!r}"
                hint = "Let the command itself run it: not in a comment, not as an argument of a trivial program."
                yield error(RULE.id, message, f"/cases/{entry.case.index}/must_exercise/{index}", hint)


RULE: Final = Rule("must-exercise-missing", "`must_exercise` stands in the command.", _check, EVERYWHERE)
