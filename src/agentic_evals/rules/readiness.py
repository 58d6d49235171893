"""Trials to cases, cases to readiness, and readiness to an exit code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentic_evals.model.errors import ExitCode, strongest
from agentic_evals.model.verdict import Obstacle, Outcome, Readiness


def fold(outcomes: Iterable[Outcome]) -> Outcome:
    """Fold the outcomes of a case's trials: any FAIL fails, else any BLOCKED blocks, else all must have passed."""
    seen = set(outcomes)
    for decisive in (Outcome.FAIL, Outcome.BLOCKED, Outcome.NOT_TESTED):
        if decisive in seen:
            return decisive
    return Outcome.PASS if seen else Outcome.NOT_TESTED


def is_flaky(outcomes: Iterable[Outcome]) -> bool:
    """Return whether the trials that ran did not agree."""
    return len(set(outcomes) - {Outcome.NOT_TESTED}) > 1


def case_readiness(required: Sequence[Sequence[Outcome]]) -> Readiness:
    """Score the required cases, each given by its trials' outcomes (specification, section 6).

    Where the definitions of the sources overlap, the worse one wins: no case that passed fully is
    NOT_READY, even if some single trial passed.
    """
    folded = [fold(trials) for trials in required]
    if all(outcome is Outcome.PASS for outcome in folded):
        return Readiness.READY if folded else Readiness.NOT_ESTABLISHED
    if all(outcome is Outcome.NOT_TESTED for trials in required for outcome in trials):
        return Readiness.NOT_ESTABLISHED
    return Readiness.USABLE_WITH_GAPS if Outcome.PASS in folded else Readiness.NOT_READY


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What the gate needs to know of a case."""

    name: str
    required: bool
    outcome: Outcome
    infra: bool = False


def case_obstacles(results: Sequence[CaseResult]) -> tuple[Obstacle, ...]:
    """Name each required case that keeps the gate shut, with the exit code that it asks for."""
    found: list[Obstacle] = []
    for result in results:
        if not result.required or result.outcome is Outcome.PASS:
            continue
        match result.outcome:
            case Outcome.FAIL:
                code, rule, message = ExitCode.NOT_READY, "case-failed", "a required case failed"
            case Outcome.BLOCKED:
                code, rule, message = ExitCode.ENVIRONMENT, "case-blocked", "a precondition of a required case is unmet"
            case _:
                code, rule, message = ExitCode.NOTHING_EVALUATED, "case-not-tested", "a required case did not run"
        found.append(Obstacle(code, rule, message, result.name))
    return tuple(found)


def exit_code(readiness: Readiness, obstacles: Sequence[Obstacle]) -> ExitCode:
    """Return 0 only for READY without an obstacle; else the code of the strongest obstacle.

    Cases that did not run count only when nothing ran at all: beside a case that ran, a required
    case without a result keeps the gate shut as NOT_READY does.
    """
    if readiness is Readiness.READY and not obstacles:
        return ExitCode.OK
    codes = {ExitCode(obstacle.code) for obstacle in obstacles} - {ExitCode.OK}
    if readiness is not Readiness.NOT_ESTABLISHED and codes == {ExitCode.NOTHING_EVALUATED}:
        return ExitCode.NOT_READY
    if not codes:
        return ExitCode.NOTHING_EVALUATED if readiness is Readiness.NOT_ESTABLISHED else ExitCode.NOT_READY
    return strongest(codes)
