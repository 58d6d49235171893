"""`regrade`: judge a recorded run again, offline."""

from __future__ import annotations

from typing import Final

import click

from agentic_evals.cli.documents import show, writable_files, write
from agentic_evals.cli.options import LeafChoice


@click.command(epilog="Example: agentic-evals regrade runs/today/")
@click.argument("run", metavar="RUN", type=click.Path())
@click.option(
    "--format", "form", type=LeafChoice("formats"), default="terminal", show_default=True, help="What to print."
)
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="[FORMAT:]FILE",
    help="Write the report to this file too (repeatable).",
)
def regrade(run: str, form: str, outputs: tuple[str, ...]) -> int:
    """Judge a recorded run again, offline: nothing runs, no verdict file is read, nothing is written into RUN."""
    from agentic_evals import wiring

    files = writable_files(outputs)
    report = wiring.regrade()(run)
    write(report, files)
    show(report, form)
    return report.exit_code


COMMAND: Final = regrade
