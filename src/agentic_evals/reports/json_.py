"""The report as JSON: the public documents of a run (version 3) and of a check."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import pydantic_core

from agentic_evals.reports._format import Format
from agentic_evals.reports._text import json_safe, visible

if TYPE_CHECKING:
    from agentic_evals.model.report import FindingsReport, RunReport


def _render(report: RunReport) -> str:
    return _text(report)


def _findings(report: FindingsReport) -> str:
    return _text(report)


def _text(report: RunReport | FindingsReport) -> str:
    try:
        data = pydantic_core.to_json(report, indent=1)
    except pydantic_core.PydanticSerializationError:  # half a surrogate pair, from a path that is not UTF-8
        data = pydantic_core.to_json(_encodable(asdict(report)), indent=1)
    return json_safe(data.decode()) + "\n"


def _encodable(value: Any) -> Any:  # noqa: ANN401 - any JSON
    match value:
        case str():
            return value if value.isascii() else "".join(map(_character, value))
        case dict():
            return {_encodable(key): _encodable(item) for key, item in value.items()}
        case list() | tuple():
            return [_encodable(item) for item in value]
        case _:
            return value


def _character(one: str) -> str:
    return visible(one) if "\ud800" <= one <= "\udfff" else one


FORMAT: Final = Format("json", ".json", "The public report, version 3.", _render, _findings)
