"""The report for a person at a terminal: one line a case, then what is wrong, then the verdict."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from agentic_evals.reports._format import Format, Surroundings
from agentic_evals.reports._text import counted, duration, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.report import (
        CaseReport,
        CheckedFixture,
        FindingReport,
        FindingsReport,
        ObstacleReport,
        RunReport,
        TrialReport,
    )

Paint = Callable[[str, str], str]
"""Give a text the colour of a word: an outcome, a readiness or a severity."""

_SHOWN_PROBLEMS: Final = 5
_SHOWN_OBSTACLES: Final = 20
_SHOWN_FINDINGS: Final = 20
_QUOTED_LINES: Final = 6
_GREEN, _YELLOW, _RED = "32", "33", "31"
_COLOURS: Final = {
    "PASS": _GREEN,
    "READY": _GREEN,
    "admitted": _GREEN,
    "BLOCKED": _YELLOW,
    "NOT_TESTED": _YELLOW,
    "USABLE_WITH_GAPS": _YELLOW,
    "NOT_ESTABLISHED": _YELLOW,
    "warning": _YELLOW,
    "FAIL": _RED,
    "NOT_READY": _RED,
    "REFUSED": _RED,
    "error": _RED,
}


def plain(text: str, _word: str) -> str:
    """Leave a text as it is."""
    return text


def painted(text: str, word: str) -> str:
    """Give a text the colour of its word."""
    colour = _COLOURS.get(word)
    return text if colour is None else f"\x1b[{colour}m{text}\x1b[0m"


def _render(report: RunReport, paint: Paint = plain) -> str:
    return "\n".join(_lines(report, paint)) + "\n"


def _lines(report: RunReport, paint: Paint) -> Iterator[str]:
    yield f"{one_line(report.skill)}: {_headline(report, paint)}"
    isolation = report.isolation
    yield one_line(
        f"isolation: {isolation['level']}, workspace {isolation['workspace']}, recorder {isolation['recorder']}"
    )
    hidden = report.environment.get("hidden")
    if hidden:
        yield one_line(f"hidden from trials: {', '.join(hidden)} (list one in `credentials` to pass it on)")
    yield ""
    width = max((len(one_line(case.name, 60)) for case in report.cases), default=4)
    yield f"{'case'.ljust(width)}  {'type':<11}  {'outcome':<10}  trials     time"
    for case in report.cases:
        yield _row(case, width, paint)
    for case in report.cases:
        if case.problems:
            yield ""
            yield from _problems(case, paint)
    yield ""
    yield from _verdict(report, paint)


def _headline(report: RunReport, paint: Paint) -> str:
    rest = one_line(report.headline).removeprefix(report.readiness)
    return paint(report.readiness, report.readiness) + rest


def _row(case: CaseReport, width: int, paint: Paint) -> str:
    spent = sum(trial.duration_ms for trial in case.trials)
    marks = [mark for mark, there in (("optional", not case.required), ("flaky", case.flaky)) if there]
    mark = f"  ({', '.join(marks)})" if marks else ""
    passed = f"{case.passed_trials}/{case.total_trials}"
    name = one_line(case.name, 60).ljust(width)
    outcome = paint(f"{case.outcome:<10}", case.outcome)
    return f"{name}  {case.type:<11}  {outcome}  {passed:<6}  {duration(spent):>7}{mark}"


def _problems(case: CaseReport, paint: Paint) -> Iterator[str]:
    yield f"{paint(case.outcome, case.outcome)} {one_line(case.name)}"
    yield f"  command: {one_line(' '.join(case.argv))}"
    for problem in case.problems[:_SHOWN_PROBLEMS]:
        yield f"  - {one_line(problem, 400)}"
    if len(case.problems) > _SHOWN_PROBLEMS:
        yield f"  - and {len(case.problems) - _SHOWN_PROBLEMS} more"
    failed = next((trial for trial in case.trials if trial.problems), None)
    if failed is not None:
        yield from _quotation(failed)


def _quotation(trial: TrialReport) -> Iterator[str]:
    for name, text in (("stdout", trial.stdout), ("stderr", trial.stderr)):
        lines = visible(text).rstrip("\n").split("\n") if text else []
        for line in lines[:_QUOTED_LINES]:
            yield f"  {name} | {line[:160]}"
        if len(lines) > _QUOTED_LINES:
            yield f"  {name} | … {counted(len(lines) - _QUOTED_LINES, 'more line')}"


def _verdict(report: RunReport, paint: Paint) -> Iterator[str]:
    counts = ", ".join(f"{number} {name}" for name, number in report.outcome_counts.items() if number)
    yield f"{_headline(report, paint)}: {counts or 'no case'} in {duration(report.duration_ms)}"
    yield from map(_obstacle, report.obstacles[:_SHOWN_OBSTACLES])
    if len(report.obstacles) > _SHOWN_OBSTACLES:
        yield f"  and {counted(len(report.obstacles) - _SHOWN_OBSTACLES, 'more obstacle')}"
    if report.gate.state == "bypassed":
        yield f"gate bypassed by {report.gate.asked_by}: exit {report.gate.exit_code} says nothing about readiness"


def _obstacle(obstacle: ObstacleReport) -> str:
    where = f" {one_line(obstacle.case)}:" if obstacle.case else ""
    return f"  {obstacle.rule}:{where} {one_line(obstacle.message, 400)}"


def _findings(report: FindingsReport, paint: Paint = plain) -> str:
    return "".join(f"{line}\n" for fixture in report.fixtures for line in _fixture(fixture, paint))


def _fixture(fixture: CheckedFixture, paint: Paint) -> Iterator[str]:
    yield from finding_lines(fixture.findings, paint)
    what = counted(fixture.cases, "case") if fixture.cases is not None else "unreadable"
    exempt = ", contract exempt" if fixture.contract == "exempt" else ""
    verdict = "admitted" if fixture.admitted else "REFUSED"
    yield f"{one_line(fixture.path, 1000)}: {paint(verdict, verdict)} ({what}{exempt})"


def finding_lines(findings: tuple[FindingReport, ...], paint: Paint = plain) -> Iterator[str]:
    """Yield the first twenty findings as they come, each with its place, rule and remedy."""
    for finding in findings[:_SHOWN_FINDINGS]:
        word = paint(finding.severity, finding.severity)
        yield f"{word}[{finding.rule}]: {one_line(finding.message, 400)}"
        yield f"  --> {one_line(_place(finding), 1000)}"
        if finding.hint:
            yield f"  hint: {one_line(finding.hint, 1000)}"
        if finding.fragment:
            yield f"  paste: {visible(finding.fragment)}"
    if len(findings) > _SHOWN_FINDINGS:
        yield f"… and {len(findings) - _SHOWN_FINDINGS} more; `validate --format json` shows all"
    if findings:
        yield f"`agentic-evals explain {findings[0].rule}` tells more about the first rule"


def _place(finding: FindingReport) -> str:
    place = finding.file
    if finding.line is not None:
        place += f":{finding.line}:{finding.column or 1}"
    return f"{place}: {finding.pointer}" if finding.pointer else place


def _suited(surroundings: Surroundings) -> Format:
    if not surroundings.colour:
        return FORMAT
    return Format(
        "terminal", ".txt", FORMAT.summary, partial(_render, paint=painted), partial(_findings, paint=painted)
    )


FORMAT: Final = Format("terminal", ".txt", "A table for people.", _render, _findings, _suited)
