"""Reports to documents: in which format, where to, and how it suits the place where it is shown."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from agentic_evals.cli.colour import wants_colour
from agentic_evals.cli.options import check_writable, write_atomically
from agentic_evals.model.errors import EnvironmentUnfit, UsageError
from agentic_evals.model.report import FindingsReport

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentic_evals.model.report import RunReport


def document(report: RunReport | FindingsReport, form: str, *, colour: bool = False) -> str:
    """Return the report in one of the formats.

    Raises:
        UsageError: the format speaks of runs only, and this is none.

    """
    from agentic_evals import wiring
    from agentic_evals.reports._format import Surroundings

    leaf = wiring.formats()[form]
    if leaf.suited is not None:
        leaf = leaf.suited(Surroundings(colour, wiring.pages().find))
    if not isinstance(report, FindingsReport):
        return leaf.render(report)
    if leaf.findings is None:
        message = f"the format {form} shows runs only"
        raise UsageError(message, hint="`validate --format json` shows every finding.")
    return leaf.findings(report)


def show(report: RunReport | FindingsReport, form: str) -> None:
    """Print the report on standard output.

    A reader that has read enough, as `head` does, changes neither the verdict nor the exit code.
    """
    colour = wants_colour(sys.stdout)
    try:
        click.echo(document(report, form, colour=colour), nl=False, color=colour)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        message = f"standard output cannot be written: {error.strerror}"
        raise EnvironmentUnfit(message) from error


def write(report: RunReport | FindingsReport, files: Iterable[tuple[str, str]]) -> None:
    """Write the report to files, each given by format and path, each whole or not at all."""
    for form, path in files:
        write_atomically(path, document(report, form))


def writable_files(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Read `[FORMAT:]FILE` arguments, and make sure that each file can be written.

    Raises:
        UsageError: one cannot, with the reason.

    """
    files = [format_and_path(text) for text in texts]
    for _, path in files:
        check_writable(path)
    return files


def format_and_path(text: str) -> tuple[str, str]:
    """Split `FORMAT:FILE`; without a format the file's suffix decides, else it is JSON."""
    from agentic_evals import wiring

    formats = wiring.formats()
    form, colon, path = text.partition(":")
    if colon and path and form in formats:
        return form, path
    if colon and path and len(form) > 1 and form.isalpha() and not os.path.exists(text):
        message = f"{form!r} is no format"
        raise UsageError(message, hint=f"Formats: {', '.join(formats)}. A path that holds a colon begins with ./")
    suffix = os.path.splitext(text)[1]
    return next((name for name, leaf in formats.items() if leaf.suffix == suffix), "json"), text
