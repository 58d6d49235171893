"""The report as JUnit XML, as CI systems read it: one test case a trial, never green while the gate is shut."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Final

from agentic_evals.reports._format import Format
from agentic_evals.reports._text import visible

if TYPE_CHECKING:
    from agentic_evals.model.report import CaseReport, CheckedFixture, FindingsReport, RunReport, TrialReport

_KINDS: Final = {"failure": "failures", "error": "errors", "skipped": "skipped"}


class _Suite:
    """A suite under construction, and what its test cases came to."""

    def __init__(self, root: ET.Element, name: str) -> None:
        self.element = ET.SubElement(root, "testsuite", name=visible(name))
        self.counts = dict.fromkeys(("tests", *_KINDS.values()), 0)

    def test(self, classname: str, name: str, milliseconds: float = 0.0) -> ET.Element:
        self.counts["tests"] += 1
        return ET.SubElement(
            self.element,
            "testcase",
            classname=visible(classname),
            name=visible(name),
            time=f"{milliseconds / 1000:.3f}",
        )

    def say(self, test: ET.Element, kind: str, message: str, type_: str | None = None, text: str = "") -> None:
        """Add what a test case came to where it did not pass: `failure`, `error` or `skipped`."""
        self.counts[_KINDS[kind]] += 1
        said = ET.SubElement(test, kind, message=visible(message))
        if type_ is not None:
            said.set("type", visible(type_))
        if text:
            said.text = visible(text)

    def close(self, milliseconds: float) -> None:
        for name, number in self.counts.items():
            self.element.set(name, str(number))
        self.element.set("time", f"{milliseconds / 1000:.3f}")


def _render(report: RunReport) -> str:
    root = ET.Element("testsuites", name="agentic-evals")
    suite = _Suite(root, report.skill)
    suite.element.set("timestamp", visible(report.generated_at.rstrip("Z")))
    properties = ET.SubElement(suite.element, "properties")
    for name, value in (
        ("readiness", report.readiness),
        ("gate", report.gate.state),
        ("exit_code", str(report.exit_code)),
        ("run_id", report.run_id),
        ("source", report.source),
    ):
        ET.SubElement(properties, "property", name=name, value=visible(value))
    for case in report.cases:
        for trial in case.trials:
            _trial(suite, case, trial)
        if len(case.trials) < report.trials:
            suite.say(suite.test(case.type, case.name), "skipped", "not tested")
    _gate(suite, report)
    suite.close(report.duration_ms)
    return _document(root, [suite])


def _trial(suite: _Suite, case: CaseReport, trial: TrialReport) -> None:
    number = trial.trial_id.rpartition("/")[2]
    test = suite.test(case.type, f"{case.name} [{number}]", trial.duration_ms)
    if trial.outcome == "PASS":
        return
    problems = trial.problems or (trial.outcome,)
    if trial.outcome == "FAIL" and case.required:
        suite.say(test, "failure", problems[0], str(trial.termination["kind"]), "\n".join(problems))
    else:
        optional = "" if case.required else "optional: "
        suite.say(test, "skipped", optional + "; ".join(problems))
    for name, text in (("system-out", trial.stdout), ("system-err", trial.stderr)):
        if text:
            ET.SubElement(test, name).text = visible(text)


def _gate(suite: _Suite, report: RunReport) -> None:
    """Say what no trial shows, so that the file of a shut gate is never green."""
    reasons = [f"{obstacle.rule}: {obstacle.message}" for obstacle in report.obstacles] or [report.headline]
    if report.gate.state == "bypassed":
        message = f"gate bypassed by {report.gate.asked_by}: {reasons[0]}"
        suite.say(suite.test("gate", "readiness"), "skipped", message, text="\n".join((report.headline, *reasons)))
    elif report.exit_code != 0 and not suite.counts["failures"]:
        type_ = report.obstacles[0].rule if report.obstacles else "gate"
        text = "\n".join((report.headline, *reasons))
        suite.say(suite.test("gate", "readiness"), "error", reasons[0], type_, text)


def _findings(report: FindingsReport) -> str:
    root = ET.Element("testsuites", name="agentic-evals")
    suites = [_checked(root, fixture) for fixture in report.fixtures]
    return _document(root, suites)


def _checked(root: ET.Element, fixture: CheckedFixture) -> _Suite:
    suite = _Suite(root, fixture.path)
    for finding in fixture.findings:
        place = f"{finding.file}:{finding.line or 1}:{finding.column or 1}: {finding.pointer}"
        test = suite.test(finding.rule, place)
        text = "\n".join(line for line in (place, finding.message, finding.hint) if line)
        if finding.severity == "error":
            suite.say(test, "failure", finding.message, finding.rule, text)
        else:
            suite.say(test, "skipped", f"{finding.severity}: {finding.message}", text=text)
    test = suite.test("contract", "admitted")
    if not fixture.admitted and not suite.counts["failures"]:
        suite.say(test, "error", "the fixture is refused", "contract")
    elif not fixture.admitted:
        suite.say(test, "skipped", "the fixture is refused")
    suite.close(0.0)
    return suite


def _document(root: ET.Element, suites: list[_Suite]) -> str:
    for name in ("tests", *_KINDS.values()):
        root.set(name, str(sum(suite.counts[name] for suite in suites)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


FORMAT: Final = Format("junit", ".xml", "JUnit XML for CI systems.", _render, _findings)
