"""The one enum of exit codes, and the errors that carry one."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentic_evals.model.finding import Finding


class ExitCode(enum.IntEnum):
    """What a process of this program says when it ends (product specification, section 3)."""

    OK = 0
    REJECTED = 1
    USAGE = 2
    NOT_READY = 3
    NOTHING_EVALUATED = 4
    ENVIRONMENT = 5
    INTEGRITY = 6
    INCONCLUSIVE = 7
    BUG = 70
    INTERRUPTED = 130

    @property
    def meaning(self) -> str:
        """One sentence for people."""
        return _MEANINGS[self]


_MEANINGS: Final = {
    ExitCode.OK: "READY, or an informational command that worked.",
    ExitCode.REJECTED: "An input document is invalid; every violation is named.",
    ExitCode.USAGE: "The command line is wrong.",
    ExitCode.NOT_READY: "It ran and the gate is not met.",
    ExitCode.NOTHING_EVALUATED: "No case was evaluated.",
    ExitCode.ENVIRONMENT: "The only obstacles are blocked preconditions or an environment that is down.",
    ExitCode.INTEGRITY: "Evidence is fabricated, stale or tampered with.",
    ExitCode.INCONCLUSIVE: "The only obstacles are unproven or undecidable.",
    ExitCode.BUG: "An internal error of this program.",
    ExitCode.INTERRUPTED: "Stopped by Ctrl-C or SIGTERM; what had finished is kept.",
}

PRECEDENCE: Final = (
    ExitCode.BUG,
    ExitCode.INTERRUPTED,
    ExitCode.USAGE,
    ExitCode.REJECTED,
    ExitCode.INTEGRITY,
    ExitCode.NOT_READY,
    ExitCode.INCONCLUSIVE,
    ExitCode.ENVIRONMENT,
    ExitCode.NOTHING_EVALUATED,
    ExitCode.OK,
)
"""When several obstacles are present, the first of these that is among them is the exit code."""


def strongest(codes: Iterable[ExitCode]) -> ExitCode:
    """Return the exit code that wins among several; `OK` when there are none."""
    present = set(codes)
    return next((code for code in PRECEDENCE if code in present), ExitCode.OK)


class EvalsError(Exception):
    """Something that a user can act on; never a bug of this program."""

    exit_code: ExitCode = ExitCode.REJECTED

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        """Keep what happened, and what to do about it."""
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(EvalsError):
    """The command line, or an environment variable that stands for a flag, is wrong."""

    exit_code = ExitCode.USAGE


class DocumentRejected(EvalsError):
    """An input document does not parse or breaks its contract; it carries every finding."""

    exit_code = ExitCode.REJECTED

    def __init__(self, message: str, findings: tuple[Finding, ...] = (), *, hint: str | None = None) -> None:
        """Keep the findings beside the sentence."""
        super().__init__(message, hint=hint)
        self.findings = findings


class EnvironmentUnfit(EvalsError):
    """This machine cannot do what was asked for by name."""

    exit_code = ExitCode.ENVIRONMENT


class IntegrityBroken(EvalsError):
    """Recorded evidence is not what it claims to be."""

    exit_code = ExitCode.INTEGRITY


class Interrupted(EvalsError):
    """The user, or the system, asked the program to stop."""

    exit_code = ExitCode.INTERRUPTED
