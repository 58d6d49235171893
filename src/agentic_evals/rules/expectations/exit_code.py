"""The exit code that a command must end with; death by signal n is -n."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from agentic_evals.model.trial import Capture, Exited, Signalled, Termination, TimedOut
from agentic_evals.model.verdict import Decision
from agentic_evals.rules.operator import Evidence, Example, Operator, Problem

_SHELL_COULD_NOT_RUN: Final = {126: "the command could not be executed", 127: "the command was not found"}


def code_of(termination: Termination) -> int | None:
    """Return the exit code, negative for a signal, or `None` where the command did not end by itself."""
    match termination:
        case Exited(code):
            return code
        case Signalled(number):
            return -number
        case _:
            return None


def _judge(spec: int, evidence: Evidence) -> tuple[Decision, ...]:
    code = code_of(evidence.capture.termination)
    if code == spec:
        return (Decision("", holds=True, observation=f"exit code {code}"),)
    ended = f"exit code {code}" if code is not None else type(evidence.capture.termination).__name__
    return (Decision("", holds=False, observation=f"{ended}, expected exit code {spec}"),)


def _check(spec: int) -> tuple[Problem, ...]:
    if spec in _SHELL_COULD_NOT_RUN:
        return (("", f"{spec} means that {_SHELL_COULD_NOT_RUN[spec]}: it proves nothing about a skill"),)
    return ()


OPERATOR: Final = Operator(
    key="exit_code",
    summary="The exit code that the command ends with; -n means death by signal n.",
    spec=Annotated[int, Field(ge=-64, le=255)],
    check=_check,
    judge=_judge,
    examples=(
        Example(3, passes=Capture(Exited(3)), fails=Capture(Exited(0))),
        Example(-9, passes=Capture(Signalled(9)), fails=Capture(Exited(9))),
        Example(0, passes=Capture(Exited(0)), fails=Capture(TimedOut())),
    ),
)
