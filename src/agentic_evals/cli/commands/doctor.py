"""`doctor`: what this machine can enforce and record, and which runtimes and forges are usable."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any, Final

import click


@click.command(epilog="Example: agentic-evals doctor --format json")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print the result.")
def doctor(form: str) -> int:
    """Show what this machine can enforce and record, found out by doing it."""
    from agentic_evals import wiring

    with tempfile.TemporaryDirectory(prefix="agentic-evals-doctor-") as folder:
        workspace, scratch = os.path.join(folder, "workspace"), os.path.join(folder, "scratch")
        os.mkdir(workspace)
        os.mkdir(scratch, 0o700)
        document = {**wiring.diagnose()(workspace, scratch, shutil.which, os.environ), "tool": wiring.tool()}
    click.echo(json.dumps(document, indent=1) if form == "json" else "\n".join(_lines(document)))
    return 0


def _lines(document: dict[str, Any]) -> Iterator[str]:
    tool = document["tool"]
    yield f"agentic-evals {tool['version']}, Python {tool['python']}"
    yield f"{tool['system']} {tool['kernel']}, {tool['machine']}"
    yield ""
    for name, found in document["guarantees"].items():
        yield f"{name:<20} {found['grade']:<10} {found['by']}"
    for found in document["workspace"]:
        why = f" ({found['why']})" if found.get("why") else ""
        yield f"{'workspace ' + found['mode']:<20} {found['grade']:<10} {found.get('by', '')}{why}"
    yield f"{'recorder':<20} {document['recorder']['grade']:<10} {document['recorder']['why']}"
    for kind in ("runtimes", "forges"):
        yield ""
        for name, found in document[kind].items():
            yield f"{kind[:-1] + ' ' + name:<20} {'usable' if found['usable'] else 'no':<10} {found['why']}"
    for kind in ("executors", "importers"):
        yield ""
        for name, summary in document[kind].items():
            yield f"{kind[:-1] + ' ' + name:<20} {summary}"


COMMAND: Final = doctor
