"""What code-scanning formats show: findings of the contract and failed required cases, as one list of results."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from agentic_evals.model.report import FindingsReport, RunReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentic_evals.model.report import CaseReport, FindingReport

CASE_RULE: Final = "case-failed"
_RANK: Final = {"error": 0, "warning": 1, "note": 2}
_INDEX: Final = re.compile(r"/\d+(?=/|$)")


@dataclass(frozen=True, slots=True)
class Result:
    """One thing to look at, with its place."""

    rule: str
    severity: str
    """`error`, `warning` or `note`."""
    message: str
    file: str
    pointer: str
    line: int
    column: int | None
    hint: str | None
    fingerprint: str
    """The same for the same thing in the next run, wherever it has moved to in its file."""


def results(report: RunReport | FindingsReport) -> tuple[Result, ...]:
    """Return every result, the most severe first, each with a fingerprint of its own."""
    if isinstance(report, RunReport):
        found = [*_cases(report), *map(_finding, report.findings)]
    else:
        found = [_finding(finding) for fixture in report.fixtures for finding in fixture.findings]
    return tuple(_told_apart(sorted(found, key=lambda result: _RANK.get(result.severity, 3))))


def _finding(finding: FindingReport) -> Result:
    place = _INDEX.sub("/*", finding.pointer)
    return Result(
        finding.rule,
        finding.severity,
        finding.message,
        finding.file,
        finding.pointer,
        finding.line or 1,
        finding.column,
        finding.hint,
        _digest(finding.rule, finding.file, place, finding.message),
    )


def _cases(report: RunReport) -> Iterator[Result]:
    for index, case in enumerate(report.cases):
        if case.required and case.outcome == "FAIL":
            yield Result(
                CASE_RULE,
                "error",
                _case_message(case),
                report.source,
                f"/cases/{index}",
                case.line or 1,
                None,
                None,
                _digest(CASE_RULE, report.source, case.name),
            )


def _case_message(case: CaseReport) -> str:
    more = f" (and {len(case.problems) - 1} more)" if len(case.problems) > 1 else ""
    why = f": {case.problems[0]}{more}" if case.problems else ""
    return f"case {case.name!r} failed, {case.passed_trials} of {case.total_trials} trials passed{why}"


def _told_apart(found: Iterable[Result]) -> Iterator[Result]:
    """Give results that say the same thing in one file numbered fingerprints."""
    seen: Counter[str] = Counter()
    for result in found:
        seen[result.fingerprint] += 1
        number = seen[result.fingerprint]
        fingerprint = result.fingerprint if number == 1 else _digest(result.fingerprint, str(number))
        yield replace(result, fingerprint=fingerprint)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()
