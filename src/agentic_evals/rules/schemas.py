"""JSON Schemas of the public documents, generated from the types that read and write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter

from agentic_evals.model.fixture import Fixture
from agentic_evals.model.record import TrialRecord
from agentic_evals.model.report import FindingsReport, RunReport
from agentic_evals.rules.operator import REQUIRED_KEY

if TYPE_CHECKING:
    from agentic_evals.rules.operator import Operators

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def fixture_schema(operators: Operators) -> dict[str, Any]:
    """Return the schema of a fixture; what stands below `expected` is assembled from the operators."""
    schema = Fixture.model_json_schema()
    properties: dict[str, Any] = {}
    definitions = schema.setdefault("$defs", {})
    for key, operator in operators.items():
        spec = TypeAdapter(operator.spec).json_schema()
        definitions.update(spec.pop("$defs", {}))
        properties[key] = {**spec, "description": operator.summary}
    definitions["Case"]["properties"]["expected"] = {
        "type": "object",
        "properties": properties,
        "required": [REQUIRED_KEY],
        "additionalProperties": False,
    }
    return {"$schema": DIALECT, **schema}


def report_schema() -> dict[str, Any]:
    """Return the schema of the report, version 3."""
    return {"$schema": DIALECT, **TypeAdapter(RunReport).json_schema(mode="serialization")}


def validation_schema() -> dict[str, Any]:
    """Return the schema of what `validate` says."""
    return {"$schema": DIALECT, **TypeAdapter(FindingsReport).json_schema(mode="serialization")}


def trial_record_schema() -> dict[str, Any]:
    """Return the schema of the record that a run folder keeps of each trial."""
    return {"$schema": DIALECT, **TypeAdapter(TrialRecord).json_schema(mode="serialization")}
