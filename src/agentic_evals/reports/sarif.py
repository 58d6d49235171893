"""Findings and failed cases as SARIF 2.1.0, within the limits of GitHub's code scanning."""

from __future__ import annotations

import json
import posixpath
import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from agentic_evals.model.report import RunReport
from agentic_evals.reports._format import Format, Surroundings
from agentic_evals.reports._results import CASE_RULE, results
from agentic_evals.reports._text import counted, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentic_evals.model.report import FindingsReport
    from agentic_evals.reports._results import Result

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS: Final = 25_000
_LONGEST: Final = 1000
_SEMANTIC: Final = re.compile(r"\d+\.\d+\.\d+")
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
_FINGERPRINT: Final = "agenticEvals/v1"
_SUMMARIES: Final = {CASE_RULE: "A required case of the fixture failed."}
"""What is said of rules whose page is not at hand."""


def _document(report: RunReport | FindingsReport, surroundings: Surroundings) -> str:
    found = results(report)
    shown = found[:MOST_RESULTS]
    index = {rule: number for number, rule in enumerate(sorted({result.rule for result in shown}))}
    rules = [_rule(rule, surroundings.page(rule), shown) for rule in index]
    run: dict[str, Any] = {
        "tool": {"driver": {**_tool(report), "rules": rules}},
        "automationDetails": {"id": f"agentic-evals/{'run' if isinstance(report, RunReport) else 'validate'}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report, len(found) - len(shown))],
        "results": [_result(result, index[result.rule]) for result in shown],
    }
    if isinstance(report, RunReport):
        run["properties"] = {
            "readiness": report.readiness,
            "headline": visible(report.headline),
            "gate": report.gate.state,
            "runId": report.run_id,
        }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _tool(report: RunReport | FindingsReport) -> dict[str, str]:
    version = str(report.tool.get("version", "0.0.0"))
    known = _SEMANTIC.match(version)
    return {
        "name": "agentic-evals",
        "version": version,
        "semanticVersion": known[0] if known else "0.0.0",
    }


def _rule(rule: str, page: str | None, found: Iterable[Result]) -> dict[str, Any]:
    mine = [result for result in found if result.rule == rule]
    summary = _first_paragraph(page) if page is not None else _SUMMARIES.get(rule, f"The rule {rule} of agentic-evals.")
    hint = next((result.hint for result in mine if result.hint), None)
    more = f"`agentic-evals explain {rule}` shows this rule's page."
    text = " ".join(part for part in (summary, hint, more) if part)
    return {
        "id": rule,
        "name": "".join(part.capitalize() for part in rule.split("-")),
        "shortDescription": {"text": visible(summary)},
        "fullDescription": {"text": visible(summary)},
        "help": {"text": visible(text), "markdown": visible(page) if page is not None else visible(text)},
        "helpUri": f"urn:agentic-evals:rule:{rule}",
        "defaultConfiguration": {"level": mine[0].severity},
        "properties": {"tags": ["agentic-evals"], "problem.severity": _problem_severity(mine[0].severity)},
    }


def _problem_severity(severity: str) -> str:
    return "recommendation" if severity == "note" else severity


def _first_paragraph(page: str) -> str:
    """Return the first paragraph of a page that is no heading, on one line."""
    paragraphs = re.split(r"\n[ \t]*\n", page.strip())
    body = next((part for part in paragraphs if not part.lstrip().startswith("#")), paragraphs[0])
    return " ".join(body.replace("`", "").split())


def _invocation(report: RunReport | FindingsReport, left_out: int) -> dict[str, Any]:
    notes: list[dict[str, Any]] = []
    if left_out:
        text = f"{counted(left_out, 'result')} left out: at most {MOST_RESULTS} are shown, the most severe first"
        notes.append({"level": "warning", "message": {"text": text}})
    if isinstance(report, RunReport):
        for obstacle in report.obstacles:
            where = f"{obstacle.case}: " if obstacle.case else ""
            text = f"{obstacle.rule}: {where}{obstacle.message}"
            notes.append({"level": "error", "message": {"text": _cut(text)}})
    return {
        "executionSuccessful": True,
        "exitCode": report.exit_code,
        "toolExecutionNotifications": notes,
    }


def _result(result: Result, rule_index: int) -> dict[str, Any]:
    region = {"startLine": result.line}
    if result.column is not None:
        region["startColumn"] = result.column
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(result.file)}, "region": region},
    }
    if result.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": visible(result.pointer), "kind": "element"}]
    text = result.message if result.hint is None else f"{result.message}. {result.hint}"
    return {
        "ruleId": result.rule,
        "ruleIndex": rule_index,
        "level": result.severity,
        "message": {"text": _cut(text)},
        "locations": [location],
        "partialFingerprints": {_FINGERPRINT: result.fingerprint},
    }


def _cut(text: str) -> str:
    safe = visible(text)
    return safe if len(safe) <= _LONGEST else safe[: _LONGEST - 1] + "…"


def _uri(path: str) -> str:
    """Return a path as a URI reference: relative paths stay relative, as code scanning wants them."""
    plain = posixpath.normpath(path)
    try:
        data = plain.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # no path of a file system
        data = plain.encode("utf-8", "backslashreplace")
    written = "".join(chr(byte) if chr(byte) in _UNRESERVED else f"%{byte:02X}" for byte in data)
    return f"file://{written}" if written.startswith("/") else written


def _suited(surroundings: Surroundings) -> Format:
    written = partial(_document, surroundings=surroundings)
    return Format("sarif", ".sarif", "SARIF 2.1.0 for code scanning.", written, written, _suited)


FORMAT: Final = _suited(Surroundings())
