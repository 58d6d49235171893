"""`validate`: the contract only; nothing is executed."""

from __future__ import annotations

from typing import Any, Final

import click

from agentic_evals.cli.config import configure
from agentic_evals.cli.documents import show, writable_files, write
from agentic_evals.cli.options import LeafChoice, default_fixtures, setting_source

_TEXT: Final = "text"


class _FindingsFormat(LeafChoice):
    """A report format; `text` is the one for people."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401 - click's signature
        """Accept a known name."""
        return super().convert("terminal" if value == _TEXT else value, param, ctx)


@click.command(epilog="Example: agentic-evals validate fixtures/agentic_eval.json --output sarif:findings.sarif")
@click.argument("fixtures", nargs=-1, metavar="FIXTURE…", type=click.Path())
@click.option(
    "--trials", type=click.IntRange(1), envvar="AGENTIC_EVALS_TRIALS", help="Check against this number of trials."
)
@click.option(
    "--format",
    "form",
    type=_FindingsFormat("formats"),
    default=_TEXT,
    show_default=True,
    help="How to print the result: text, json, sarif, markdown, junit or codequality.",
)
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="[FORMAT:]FILE",
    help="Write the result to this file too (repeatable).",
)
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False),
    is_eager=True,
    expose_value=False,
    callback=configure,
    help="Settings; the nearest agentic-evals.toml or [tool.agentic-evals] is taken by default.",
)
@click.pass_context
def validate(
    ctx: click.Context, fixtures: tuple[str, ...], trials: int | None, form: str, outputs: tuple[str, ...]
) -> int:
    """Check the contract of fixtures; nothing is executed.

    Exits 0 where every fixture is admitted, 1 where any is refused: every reason is named with its
    rule, place and remedy.
    """
    from agentic_evals import wiring
    from agentic_evals.flows.check import findings_report

    files = writable_files(f"terminal:{text[5:]}" if text.startswith("text:") else text for text in outputs)
    admit = wiring.admit()
    config = ctx.meta.get("agentic_evals.config")
    setters = {"flag": "--trials", "variable": "AGENTIC_EVALS_TRIALS", "file": f"the settings in {config}"}
    set_by = setters.get(setting_source(ctx, "trials"))
    admissions = [admit(path, trials, set_by) for path in default_fixtures(fixtures)]
    report = findings_report(admissions, wiring.tool())
    write(report, files)
    show(report, form)
    return report.exit_code


COMMAND: Final = validate
