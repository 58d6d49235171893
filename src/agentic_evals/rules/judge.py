"""The one judge: a case and a capture to a verdict; null captures, trials and recorded trials alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.model.trial import (
    Capture,
    Exited,
    FailedToStart,
    OutputLimit,
    Signalled,
    TimedOut,
    Withheld,
    WorkerLost,
)
from agentic_evals.model.verdict import Decision, Outcome, TrialVerdict
from agentic_evals.rules.drawn import logged_samples
from agentic_evals.rules.expectations._streams import found
from agentic_evals.rules.operator import CompiledCase, Evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_LEAK_SHOWN: Final = 3


def decide(case: CompiledCase, capture: Capture) -> tuple[Decision, ...]:
    """Ask every operator of the case; pointers are relative to `expected`."""
    evidence = Evidence(case.case, capture)
    return tuple(
        Decision(
            f"{check.pointer}{decision.pointer}",
            decision.holds,
            decision.observation,
            decision.redacted,
            decision.unenforced,
            decision.noted,
        )
        for check in case.checks
        for decision in check.operator.judge(check.spec, evidence)
    )


def judge(case: CompiledCase, capture: Capture, carried: Mapping[str, Decision] | None = None) -> TrialVerdict:
    """Judge one trial (product specification, section 6); the first rule that matches decides.

    What nobody could enforce or observe blocks a trial that would pass, and excuses no failure.
    `carried` holds decisions of an earlier judgement whose evidence the record does not keep, by
    pointer: they stand as they were made.
    """
    decisions = decide(case, capture)
    if carried:
        decisions = tuple(carried.get(decision.pointer, decision) for decision in decisions)
    outcome, problems, infra = _outcome(case, capture, _sentences(decisions, _fails))
    unknown = _sentences(decisions, _is_unknown)
    unenforced = bool(unknown) and outcome is Outcome.PASS
    return TrialVerdict(
        Outcome.BLOCKED if unenforced else outcome,
        (*problems, *unknown),
        decisions,
        infra=infra,
        unenforced=unenforced,
        notes=_sentences(decisions, _is_noted),
        samples=logged_samples(capture.trajectory),
    )


def _outcome(case: CompiledCase, capture: Capture, problems: tuple[str, ...]) -> tuple[Outcome, tuple[str, ...], bool]:
    """Return the outcome of what could be decided, why, and whether the infrastructure is to blame."""
    how = _how_it_ended(case, capture)
    if how is not None:
        outcome, problem = how
        return outcome, (problem, *problems), False
    if capture.leaked:
        return Outcome.FAIL, (_leak(capture), *problems), False
    blocker = _marker(case.case.blocked_when_stdout_contains, capture)
    if blocker is not None and isinstance(capture.termination, Exited):
        return Outcome.BLOCKED, (f"blocked: the output holds {blocker!r}", *problems), False
    if not problems:
        return Outcome.PASS, (), False
    infra = _marker(case.case.infra_blocked_when, capture)
    if infra is not None:
        return Outcome.BLOCKED, (f"infrastructure: the output holds {infra!r}", *problems), True
    return Outcome.FAIL, problems, False


def _fails(decision: Decision) -> bool:
    return not decision.holds and not decision.unenforced


def _is_unknown(decision: Decision) -> bool:
    return not decision.holds and decision.unenforced


def _is_noted(decision: Decision) -> bool:
    return decision.noted


def _sentences(decisions: Sequence[Decision], chosen: Callable[[Decision], bool]) -> tuple[str, ...]:
    return tuple(f"expected{decision.pointer}: {decision.observation}" for decision in decisions if chosen(decision))


def _how_it_ended(case: CompiledCase, capture: Capture) -> tuple[Outcome, str] | None:
    match capture.termination:
        case Exited() | Signalled():
            return None
        case FailedToStart(_, message):
            markers = (*case.case.blocked_when_stdout_contains, *case.case.infra_blocked_when)
            declared = next((marker for marker in markers if marker in message), None)
            outcome = Outcome.FAIL if declared is None else Outcome.BLOCKED
            return outcome, f"could not start: {message}"
        case TimedOut():
            return Outcome.FAIL, f"timed out after {capture.duration_ms / 1000:.1f} s"
        case OutputLimit(stream):
            return Outcome.FAIL, f"output-limit: {stream} grew over the limit and the trial was ended"
        case WorkerLost(reason):
            return Outcome.FAIL, f"worker-lost: {reason}"
        case Withheld(reason):
            return Outcome.BLOCKED, f"not started: {reason}"


def _marker(markers: Sequence[str], capture: Capture) -> str | None:
    if not markers:
        return None
    present = found(capture.stdout, markers) | found(capture.stderr, markers)
    return next((marker for marker in markers if marker in present), None)


def _leak(capture: Capture) -> str:
    names = [" ".join(process.argv) or process.exe or f"process {process.pid}" for process in capture.leaked]
    shown = ", ".join(f"`{name}`" for name in names[:_LEAK_SHOWN])
    more = f" and {len(names) - _LEAK_SHOWN} more" if len(names) > _LEAK_SHOWN else ""
    return (
        f"leaked: still alive after the command ended: {shown}{more}; "
        "wait for it or stop it before the command ends (it was killed)"
    )
