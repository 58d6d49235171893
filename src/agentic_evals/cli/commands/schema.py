"""`schema`: the JSON Schema of each public document."""

from __future__ import annotations

import json
from typing import Final

import click

_DOCUMENTS: Final = ("fixture", "report", "trial-record", "validation")


@click.command(epilog="Example: agentic-evals schema fixture > agentic_eval.schema.json")
@click.argument("document", required=False, type=click.Choice(_DOCUMENTS))
def schema(document: str | None) -> int:
    """Print the JSON Schema of a public document; without an argument, list the documents."""
    from agentic_evals import wiring
    from agentic_evals.rules import schemas

    if document is None:
        click.echo("\n".join(_DOCUMENTS))
        return 0
    made = {
        "fixture": lambda: schemas.fixture_schema(wiring.operators()),
        "report": schemas.report_schema,
        "trial-record": schemas.trial_record_schema,
        "validation": schemas.validation_schema,
    }[document]()
    click.echo(json.dumps(made, indent=1))
    return 0


COMMAND: Final = schema
