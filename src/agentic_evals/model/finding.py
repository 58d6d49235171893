"""What a rule says about a document: which rule, where, how bad, and what to do."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Severity(enum.IntEnum):
    """Ordered from harmless to refusing, so that the worst of many is `max`."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """The lower-case word that reports show."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a document: a JSON pointer (RFC 6901), and line and column from 1 where they are known."""

    file: str = ""
    pointer: str = ""
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        """Show `file:line:column: pointer`, as compilers do, leaving out what is not known."""
        place = self.file
        if self.line is not None:
            place += f":{self.line}:{self.column or 1}"
        return f"{place}: {self.pointer}" if self.pointer else place


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement of one rule; `rule` is a stable id that names its documentation page."""

    rule: str
    severity: Severity
    message: str
    location: Location = field(default_factory=Location)
    hint: str | None = None
    fragment: str | None = None
    """Text to paste into the document as a remedy."""

    def at(self, location: Location) -> Finding:
        """Return the same finding at another place."""
        return replace(self, location=location)


@dataclass(frozen=True, slots=True)
class Ledger:
    """Every finding by what became of it; nothing is dropped."""

    shown: tuple[Finding, ...] = ()
    waived: tuple[Finding, ...] = ()
    below_threshold: tuple[Finding, ...] = ()


def worst(findings: Iterable[Finding]) -> Severity | None:
    """Return the highest severity present, or `None` without findings."""
    return max((finding.severity for finding in findings), default=None)


def errors(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return only the findings that refuse a document."""
    return tuple(finding for finding in findings if finding.severity is Severity.ERROR)
