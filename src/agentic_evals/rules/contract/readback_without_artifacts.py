"""A second reading needs a file to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.subject import EVERYWHERE, Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    for case in subject.cases:
        if case.case.readback and not any(check.operator.key == "artifacts" for check in case.checks):
            message = f"{case.case.name!r} asks for a readback and asserts no artifact"
            hint = "Assert an artifact that the command writes, or take `readback` away."
            yield error(RULE.id, message, f"/cases/{case.index}/readback", hint)


RULE: Final = Rule("readback-without-artifacts", "`readback` has an artifact to read.", _check, EVERYWHERE)
