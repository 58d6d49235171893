"""A compliance suite draws fresh inputs, and enough of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agentic_evals.rules.commands import ParsedCommand, parse_command, samples
from agentic_evals.rules.subject import CaseCommand, Rule, error, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


_LEAST: Final = 50
_BRACES: Final = re.compile(r"\{\{seed\}\}|\{\{|\}\}|\{seed\}")
_FILLED: Final = {"{{seed}}": "0", "{{": "{", "}}": "}"}
_UNFILLED: Final = {"{seed}": "0"}
_ADVISED: Final = 1000


def _check(subject: Subject) -> Iterator[Finding]:
    if subject.fixture.eval_tier != "compliance":
        return
    drawn = [(entry, samples(_as_run(entry, subject))) for entry in subject.commands]
    fresh = [(entry, found) for entry, found in drawn if found.non_deterministic]
    if not fresh:
        message = "no case draws fresh inputs at each run"
        hint = "Sample with `--samples 1000`, `--seed $RANDOM` or the placeholder {seed}; a fixed seed is never fresh."
        yield error(RULE.id, message, "/cases", hint)
    total = 0
    for entry, found in fresh:
        total += (found.samples or 0) * subject.trials
        if found.samples is None or found.samples < _LEAST:
            named = "names no number of samples" if found.samples is None else f"draws {found.samples} samples"
            message = f"{entry.case.case.name!r} {named}: at least {_LEAST} are needed"
            yield error(
                RULE.id, message, f"/cases/{entry.case.index}/command", "Name `--samples N` with N of 50 or more."
            )
    if fresh and total < _ADVISED:
        message = f"the suite draws {total} samples in all; about {_ADVISED} see rare failures"
        yield warning(RULE.id, message, "/cases", "Raise `--samples` or `trials`.")


def _as_run(entry: CaseCommand, subject: Subject) -> ParsedCommand:
    """Return the command as it will run: `{seed}` is only a word without `placeholders: true`, and in `{{seed}}`."""
    case = entry.case.case
    values = _FILLED if subject.fixture.placeholders else _UNFILLED

    def fill(text: str) -> str:
        return _BRACES.sub(lambda match: values.get(match[0], match[0]), text)

    stdin = fill(case.stdin) if isinstance(case.stdin, str) else None
    return parse_command([fill(word) for word in case.command], stdin)


RULE: Final = Rule("compliance-samples", "A compliance suite samples widely.", _check)
