"""Readiness is scored on required cases, so there must be one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.subject import EVERYWHERE, Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    if not subject.fixture.required_cases:
        yield error(RULE.id, "every case is optional", "/cases", "Take `required: false` from at least one case.")


RULE: Final = Rule("required-case-missing", "At least one case is required.", _check, EVERYWHERE)
