"""Findings on standard error: what, where, which rule, and what to do."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from agentic_evals.cli.colour import wants_colour

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentic_evals.model.finding import Finding


def show_findings(findings: Sequence[Finding]) -> None:
    """Print the first twenty findings on standard error, each with its place, rule and remedy."""
    if not findings:
        return
    from agentic_evals.reports.terminal import finding_lines, painted, plain
    from agentic_evals.rules.reporting import finding_reports

    colour = wants_colour(sys.stderr)
    for line in finding_lines(finding_reports(findings), painted if colour else plain):
        click.echo(line, err=True, color=colour)
