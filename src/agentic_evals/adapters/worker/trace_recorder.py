"""Chooses the recorder that this machine really gives, starts commands under it, and returns their records."""

from __future__ import annotations

import os

import spawn
from trace_log import no_record
from trace_start import CannotTrace
from trace_strace import StraceRecorder
from trace_tracer import Tracer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protocol import Stdin
    from spawn import Started
    from streams import Spool
    from view import View

ROOT_CAVEAT = "the trial ran as root without a mount namespace of its own, so nothing here is safe from it"


class Recording:
    """One trial's record in the making."""

    def __init__(self, asked: str, regions: list[str], spool: Spool, view: View | None) -> None:
        """Record by `asked` (trace or strace), reading below `regions` too; nothing is started yet."""
        self._kinds: list[type[Tracer | StraceRecorder]] = [Tracer, StraceRecorder]
        if asked == "strace":
            self._kinds.remove(Tracer)
        self._regions = regions
        self._spool = spool
        self._safe = os.geteuid() != 0 or (view is not None and view.private == "verified")
        self._recorder: Tracer | StraceRecorder | None = None
        self.attempts: list[dict[str, object]] = []

    def start(self, argv: list[str], env: dict[str, str], cwd: str, stdin: Stdin) -> Started:
        """Start the command under the best recorder there is, in the end under none; raises `CannotStart`."""
        for kind in self._kinds:
            try:
                recorder = self._recorder = kind(self._regions, self._spool)
                started = recorder.start(argv, env, cwd, stdin)
            except CannotTrace as refusal:
                self.discard()
                self._recorder = None
                self._note(kind.mechanism, refusal)
            else:
                self._note(kind.mechanism, None)
                return started
        return spawn.start(argv, env, cwd, stdin)

    def _note(self, mechanism: str, refusal: CannotTrace | None) -> None:
        self.attempts.append(
            {
                "mechanism": mechanism,
                "ok": refusal is None,
                "errno": refusal.errno if refusal else None,
                "at": refusal.at if refusal else None,
                "message": str(refusal) if refusal else None,
            }
        )

    def finish(self) -> dict[str, object]:
        """Return the Record of the protocol, when nothing of the command is left; raises `SpoolError`."""
        refusals = [f"no {tried['mechanism']}: {tried['message']}" for tried in self.attempts if not tried["ok"]]
        if self._recorder is None:
            return no_record("; ".join(refusals) or "the command did not start")
        self._recorder.finish()
        log = self._recorder.log
        for caveat in refusals:
            log.caution(caveat)
        if not self._safe:
            log.caution(ROOT_CAVEAT)
        return log.finish()

    def discard(self) -> None:
        """Remove what was kept of a trial that failed."""
        if self._recorder is not None:
            self._recorder.remove()
            self._recorder.log.discard()
