"""The fixture must say which skill it is about, as the skill itself does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.subject import EVERYWHERE, Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    name = subject.facts.skill_name
    if name is not None and name != subject.fixture.skill:
        message = f"the fixture is about {subject.fixture.skill!r}, SKILL.md says {name!r}"
        yield error(RULE.id, message, "/skill", "Use the name of SKILL.md.", f'"skill": "{name}"')


RULE: Final = Rule("skill-name-mismatch", "`skill` is the name in SKILL.md.", _check, EVERYWHERE)
