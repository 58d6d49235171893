"""One trial is no evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.rules.subject import Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject

_LEAST: Final = 2


def _check(subject: Subject) -> Iterator[Finding]:
    if subject.trials < _LEAST:
        by = f" (set by {subject.trials_set_by})" if subject.trials_set_by else ""
        message = f"{subject.trials} trial{by} is no evidence: at least {_LEAST} are needed"
        if subject.trials_set_by:
            yield error(RULE.id, message, "/trials", f"Raise it to {_LEAST} or more where it is set.")
            return
        yield error(RULE.id, message, "/trials", "Set `trials` to 2 or more; 3 is the default.", '"trials": 3')


RULE: Final = Rule("trials-too-few", "A case is tried at least twice.", _check)
