"""Findings and failed cases as GitLab's code-quality widget reads them."""

from __future__ import annotations

import json
import posixpath
from typing import TYPE_CHECKING, Any, Final

from agentic_evals.reports._format import Format
from agentic_evals.reports._results import results
from agentic_evals.reports._text import one_line, visible

if TYPE_CHECKING:
    from agentic_evals.model.report import FindingsReport, RunReport
    from agentic_evals.reports._results import Result

_SEVERITY: Final = {"error": "major", "warning": "minor", "note": "info"}
_LONGEST: Final = 1000


def _render(report: RunReport) -> str:
    return _text(report)


def _findings(report: FindingsReport) -> str:
    return _text(report)


def _text(report: RunReport | FindingsReport) -> str:
    return json.dumps([_entry(result) for result in results(report)], indent=1) + "\n"


def _entry(result: Result) -> dict[str, Any]:
    return {
        "description": one_line(result.message, _LONGEST),
        "check_name": result.rule,
        "fingerprint": result.fingerprint,
        "severity": _SEVERITY.get(result.severity, "info"),
        "location": {"path": visible(posixpath.normpath(result.file)), "lines": {"begin": result.line}},
    }


FORMAT: Final = Format("codequality", ".codequality.json", "GitLab code quality.", _render, _findings)
