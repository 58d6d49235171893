"""The console: run events to progress on standard error."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Final, TextIO

from agentic_evals.cli.colour import is_live, wants_colour
from agentic_evals.model.progress import CaseFinished, RunFinished, RunStarted, TrialFinished
from agentic_evals.reports._text import counted, duration, one_line
from agentic_evals.reports.terminal import painted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentic_evals.model.progress import RunEvent

_CLEAR: Final = "\r\x1b[K"
_REDRAW_SECONDS: Final = 0.1
_ESTIMATE_AFTER_SECONDS: Final = 2.0
_LONGEST: Final = 300


class Console:
    """Shows progress: a counter that stays on its line at a terminal, one plain line a case elsewhere."""

    def __init__(
        self,
        *,
        verbose: bool = False,
        stream: TextIO | None = None,
        environment: Mapping[str, str] = os.environ,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Find out what standard error is."""
        self._stream = stream if stream is not None else sys.stderr
        self._live = is_live(self._stream, environment)
        self._colour = wants_colour(self._stream, environment)
        self._verbose = verbose
        self._monotonic = monotonic
        self._started = monotonic()
        self._drawn = float("-inf")
        self._done = 0
        self._total = 0

    def __call__(self, event: RunEvent) -> None:
        """Show one event."""
        match event:
            case RunStarted():
                self._total = event.trials
                self._started = self._monotonic()
                cases, trials = counted(event.cases, "case"), counted(event.trials, "trial")
                self._line(f"{event.source}: {cases}, {trials}; isolation: {event.isolation}")
            case TrialFinished():
                self._done += 1
                if self._verbose:
                    rest = f"{event.case} [{event.trial}] {duration(event.duration_ms)}"
                    self._outcome(event.outcome, rest, indent="  ")
                self._progress(event.case)
            case CaseFinished():
                problem = f": {event.problem}" if event.problem else ""
                self._outcome(event.outcome, f"{event.case} {event.passed}/{event.total}{problem}")
            case RunFinished():
                self._write(_CLEAR if self._live else "")

    def _outcome(self, outcome: str, rest: str, *, indent: str = "") -> None:
        word = painted(f"{outcome:<7}", outcome) if self._colour else f"{outcome:<7}"
        self._write(f"{_CLEAR if self._live else ''}{indent}{word} {one_line(rest, _LONGEST)}\n")

    def _line(self, text: str) -> None:
        self._write(f"{_CLEAR if self._live else ''}{one_line(text, _LONGEST)}\n")

    def _progress(self, case: str) -> None:
        """Draw the counter, at most ten times a second; elsewhere than at a terminal there is none."""
        now = self._monotonic()
        if not self._live or (now - self._drawn < _REDRAW_SECONDS and self._done < self._total):
            return
        self._drawn = now
        elapsed = now - self._started
        times = f" {duration(elapsed * 1000)}"
        if elapsed >= _ESTIMATE_AFTER_SECONDS and self._done < self._total:
            left = elapsed / self._done * (self._total - self._done)
            times += f", about {duration(left * 1000)} left"
        self._write(f"{_CLEAR}{self._done}/{self._total}{times}  {one_line(case, 40)}")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
