"""Whether a readable fixture may run: every rule of the contract asked, every answer in one list."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from agentic_evals.model.finding import Finding, Severity
from agentic_evals.rules.parse.problems import place

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agentic_evals.rules.parse.fixture import Suite
    from agentic_evals.rules.subject import Rule, Subject

_SAID_AT_ONCE: Final = 3
"""How often one rule may speak before the others have spoken."""


def contract_findings(subject: Subject, rules: Mapping[str, Rule], suite: Suite) -> tuple[Finding, ...]:
    """Ask every rule that applies; findings come with line and column, in the order of the fixture."""
    kind = subject.fixture.eval_kind
    asked = [rules[key] for key in rules]
    found = [finding for rule in asked if kind not in rule.exempt_kinds for finding in rule.check(subject)]
    return ordered(place(found, suite.data, suite.file))


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Order findings by what to mend first: errors before the rest, every rule before its repetitions, then by place.

    What a rule says of many cases is usually mended in one go; it must not hide the other rules
    behind the first twenty that a person is shown.
    """
    by_place = sorted(findings, key=lambda finding: (finding.location.line or 0, finding.location.column or 0))
    said: Counter[str] = Counter()
    ranked: list[tuple[int, bool, Finding]] = []
    for finding in by_place:
        said[finding.rule] += 1
        ranked.append((-finding.severity, said[finding.rule] > _SAID_AT_ONCE, finding))
    return tuple(finding for *_, finding in sorted(ranked, key=lambda entry: entry[:2]))


def refuses(findings: Iterable[Finding]) -> bool:
    """Return whether any finding is an error."""
    return any(finding.severity is Severity.ERROR for finding in findings)
