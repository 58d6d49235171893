"""Captures of doing nothing: an expectation that holds on them cannot fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentic_evals.model.trial import Blob, Capture, Exited, Observed, Signalled
from agentic_evals.model.verdict import Outcome
from agentic_evals.rules.commands import literal_words
from agentic_evals.rules.expectations.exit_code import code_of
from agentic_evals.rules.judge import judge
from agentic_evals.rules.operator import CompiledCase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.fixture import Case

_MOST_ECHOES: Final = 4
TRACEBACK: Final = b'Traceback (most recent call last):\n  File "main", line 1, in <module>\nException: crashed\n'


def null_captures(case: CompiledCase) -> Iterator[Capture]:
    """Yield what commands would show that exit 0 and do nothing but repeat words of their own.

    The specification's null capture (section 4.4) holds all literal words of the case's own command
    in both streams. A no-op may as well be silent, or repeat only what is asked for, by all
    expectations or by one: otherwise a `stdout_excludes` on one word of the command would hide that
    the rest cannot fail.
    """
    words = "\n".join(_words(case.case))
    echoes = [echo for check in case.checks if (echo := check.operator.echo(check.spec, words))]
    nothing = _nothing_written(case)
    distinct = dict.fromkeys((words, "\n".join(echoes), *echoes[:_MOST_ECHOES], ""))
    texts = [Blob.of(text.encode("utf-8", "surrogatepass")) for text in distinct]
    for stdout in texts:
        for stderr in texts:
            yield Capture(Exited(0), stdout=stdout, stderr=stderr, observed=nothing, argv=tuple(case.case.command))


def null_capture(case: CompiledCase) -> Capture:
    """Return the null capture of the specification, section 4.4: all words of the command, in both streams."""
    return next(null_captures(case))


def crash_capture(case: CompiledCase) -> Capture | None:
    """Return what an interpreter would show that crashes with the expected exit code; `None` where 0 is expected."""
    expected = next((check.spec for check in case.checks if check.operator.key == "exit_code"), 0)
    if expected == 0:
        return None
    ended = Exited(expected) if expected > 0 else Signalled(-expected)
    return Capture(ended, stderr=Blob.of(TRACEBACK), observed=_nothing_written(case), argv=tuple(case.case.command))


def is_vacuous(case: CompiledCase) -> bool:
    """Return whether a no-op, silent or repeating words of its own command line, would pass."""
    return any(_passes(case, capture) for capture in null_captures(case))


def any_failure_passes(case: CompiledCase) -> bool:
    """Return whether a program that merely crashes would pass."""
    crash = crash_capture(case)
    return crash is not None and code_of(crash.termination) is not None and _passes(case, crash)


def _passes(case: CompiledCase, capture: Capture) -> bool:
    """Return whether nothing fails; a constraint that nothing here can observe does not make a case able to."""
    verdict = judge(case, capture)
    return verdict.outcome is Outcome.PASS or verdict.unenforced


def _words(case: Case) -> tuple[str, ...]:
    return literal_words(case.command, case.stdin if isinstance(case.stdin, str) else None)


def _nothing_written(case: CompiledCase) -> dict[str, Observed]:
    return {observe.path: Observed(observe.path, "missing") for observe in case.observes}
