"""A case that any crash passes is no negative control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.subject import EVERYWHERE, Rule, error, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    compliance = subject.fixture.eval_tier == "compliance"
    for case in subject.cases:
        if case.index in subject.any_failure:
            code = case.case.expected.get("exit_code")
            message = f"any program that crashes with exit code {code} passes {case.case.name!r}"
            hint = "Expect words of the refusal, such as `stderr_contains`, that a crash does not print."
            say = error if compliance else warning
            yield say(RULE.id, message, f"/cases/{case.index}/expected", hint)


RULE: Final = Rule("any-failure-passes", "A negative case tells a refusal from a crash.", _check, EVERYWHERE)
