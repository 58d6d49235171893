"""The report as Markdown, for the summary page of a CI job or a comment: short first, details folded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agentic_evals.reports._format import Format
from agentic_evals.reports._markdown import block, cell, code, html, prose
from agentic_evals.reports._text import counted, duration

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from agentic_evals.model.report import (
        CaseReport,
        CheckedFixture,
        FindingReport,
        FindingsReport,
        ObstacleReport,
        RunReport,
        TrialReport,
    )

SUMMARY_BYTES: Final = 1_048_576
"""The largest step summary that GitHub accepts; a larger one is dropped as a whole."""
COMMENT_BYTES: Final = 65_536
"""The longest comment that GitHub accepts, in characters; its bytes are never fewer."""

_RESERVE: Final = 300
"""Bytes kept for the sentence that says what was left out."""
_MOST_PROBLEMS: Final = 20
_QUOTED: Final = 2000
_COLUMNS: Final = "| outcome | case | type | trials | time |\n|---|---|---|---|---|\n"
_OUTCOMES: Final = {"FAIL": 0, "BLOCKED": 1, "NOT_TESTED": 2}
_SEVERITIES: Final = {"error": 0, "warning": 1, "note": 2}


@dataclass(frozen=True, slots=True)
class _Part:
    """Pieces of one kind, and what stands around them where any is shown."""

    noun: str
    pieces: Iterable[str]
    before: str = ""
    after: str = ""


def render_within(report: RunReport, budget: int = SUMMARY_BYTES) -> str:
    """Return the report in at most `budget` bytes of UTF-8: the most severe first, what was left out counted."""
    wrong = sorted((case for case in report.cases if case.outcome != "PASS" or case.flaky), key=_severity)
    passed = [case for case in report.cases if case.outcome == "PASS" and not case.flaky]
    findings = sorted(report.findings, key=lambda finding: _SEVERITIES.get(finding.severity, 3))
    return _fitted(
        [
            _Part("heading", _head(report)),
            _Part("obstacle", map(_obstacle, report.obstacles), "\nObstacles:\n\n"),
            _Part("row", map(_row, wrong), f"\n#### Not passed\n\n{_COLUMNS}"),
            _Part("case in detail", map(_details, wrong), "\n"),
            _Part("finding", map(_finding, findings), "\n#### Findings\n\n"),
            _Part("row", map(_row, passed), f"\n{_opened(f'{len(passed)} passed')}{_COLUMNS}", "\n</details>\n"),
            _Part(
                "limit", (f"* {prose(limit)}\n" for limit in report.limits), f"\n{_opened('Limits')}", "\n</details>\n"
            ),
        ],
        budget,
    )


def findings_within(report: FindingsReport, budget: int = SUMMARY_BYTES) -> str:
    """Return a check of fixtures in at most `budget` bytes of UTF-8, the refused ones first."""
    fixtures = sorted(report.fixtures, key=lambda fixture: fixture.admitted)
    return _fitted([part for fixture in fixtures for part in _checked(fixture)], budget)


def _fitted(parts: Sequence[_Part], budget: int) -> str:
    """Take pieces in order while they fit, and count those that do not."""
    written: list[str] = []
    left_out: dict[str, int] = {}
    room = budget - _RESERVE
    for part in parts:
        taken: list[str] = []
        around = _size(part.before) + _size(part.after)
        for piece in part.pieces:
            cost = _size(piece) + (0 if taken else around)
            if part.noun in left_out or cost > room:
                left_out[part.noun] = left_out.get(part.noun, 0) + 1
            else:
                room -= cost
                taken.append(piece)
        if taken:
            written += [part.before, *taken, part.after]
    if left_out:
        missing = ", ".join(counted(number, noun, _PLURALS.get(noun)) for noun, number in left_out.items())
        written.append(f"\n*Left out for want of room: {missing}. The JSON report has everything.*\n")
    return "".join(written)


_PLURALS: Final = {"case in detail": "cases in detail"}


def _size(text: str) -> int:
    return len(text.encode())


def _severity(case: CaseReport) -> tuple[bool, int]:
    return not case.required, _OUTCOMES.get(case.outcome, 3)


def _head(report: RunReport) -> Iterator[str]:
    counts = ", ".join(f"{number} {name}" for name, number in report.outcome_counts.items() if number)
    bypassed = ""
    if report.gate.state == "bypassed":
        bypassed = f"\n\n**Gate bypassed by {code(report.gate.asked_by or '?')}: exit 0 says nothing about readiness.**"
    yield (
        f"### {code(report.skill)}: {prose(report.headline)}\n\n"
        f"{prose(counts or 'no case')} in {duration(report.duration_ms)}, exit code {report.exit_code}{bypassed}\n"
    )


def _obstacle(obstacle: ObstacleReport) -> str:
    where = f" {code(obstacle.case)}:" if obstacle.case else ""
    return f"* {code(obstacle.rule)}:{where} {prose(obstacle.message)}\n"


def _row(case: CaseReport) -> str:
    mark = f" ({', '.join(_marks(case))})" if _marks(case) else ""
    spent = duration(sum(trial.duration_ms for trial in case.trials))
    passed = f"{case.passed_trials}/{case.total_trials}"
    return f"| {prose(case.outcome)} | {cell(case.name)}{mark} | {prose(case.type)} | {passed} | {spent} |\n"


def _marks(case: CaseReport) -> list[str]:
    return [mark for mark, there in (("optional", not case.required), ("flaky", case.flaky)) if there]


def _details(case: CaseReport) -> str:
    mark = f" ({', '.join(_marks(case))})" if _marks(case) else ""
    lines = [
        f"<details><summary>{html(case.outcome)} <code>{html(case.name)}</code>{mark}</summary>\n",
        f"Command: {code(' '.join(case.argv), 400)}\n",
        *(f"* {code(problem, 400)}" for problem in case.problems[:_MOST_PROBLEMS]),
    ]
    if len(case.problems) > _MOST_PROBLEMS:
        lines.append(f"* and {len(case.problems) - _MOST_PROBLEMS} more")
    shown = next((trial for trial in case.trials if trial.outcome != "PASS"), None)
    if shown is not None:
        lines += _quotations(shown)
    return "\n".join([*lines, "\n</details>\n\n"])


def _quotations(trial: TrialReport) -> Iterator[str]:
    for name, text in (("stdout", trial.stdout), ("stderr", trial.stderr)):
        if text.strip():
            cut = text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"
            yield f"\n{name} of trial {prose(trial.trial_id.rpartition('/')[2])}:\n\n{block(cut)}"


def _finding(finding: FindingReport) -> str:
    place = f"{finding.file}:{finding.line}:{finding.column or 1}" if finding.line is not None else finding.file
    pointer = f" {code(finding.pointer)}" if finding.pointer else ""
    hint = f"  \n  {prose(finding.hint)}" if finding.hint else ""
    return (
        f"* **{prose(finding.severity)}** {code(finding.rule)} {code(place)}{pointer}: {prose(finding.message)}{hint}\n"
    )


def _checked(fixture: CheckedFixture) -> Iterator[_Part]:
    what = counted(fixture.cases, "case") if fixture.cases is not None else "unreadable"
    exempt = ", contract exempt" if fixture.contract == "exempt" else ""
    verdict = "admitted" if fixture.admitted else "REFUSED"
    yield _Part("heading", [f"### {code(fixture.path)}: {verdict} ({what}{exempt})\n\n"])
    findings = sorted(fixture.findings, key=lambda finding: _SEVERITIES.get(finding.severity, 3))
    yield _Part("finding", map(_finding, findings), "", "\n")


def _opened(summary: str) -> str:
    return f"<details><summary>{html(summary)}</summary>\n\n"


FORMAT: Final = Format("markdown", ".md", "Markdown for summaries of CI jobs.", render_within, findings_within)
