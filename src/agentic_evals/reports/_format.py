"""What a report format is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agentic_evals.model.report import FindingsReport, RunReport


def _no_page(_rule: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a document is going to be shown, and what can be looked up for it."""

    colour: bool = False
    """Whether the reader's terminal shows colours."""
    page: Callable[[str], str | None] = _no_page
    """The documentation of a rule, as Markdown, by the rule's id; `None` where it has no page."""


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write a report; a leaf file of `reports` defines it as `FORMAT`."""

    name: str
    suffix: str
    summary: str
    render: Callable[[RunReport], str]
    """Return the whole document of a run, ending in a newline."""
    findings: Callable[[FindingsReport], str] | None = None
    """Return the whole document of fixtures that were only checked, where the format can say it."""
    suited: Callable[[Surroundings], Format] | None = None
    """Return this format as it fits its surroundings, where they matter to it."""
