"""Putting a judged trial into the run folder, redacted, and quoting its streams."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from agentic_evals.rules.judge import judge
from agentic_evals.rules.record import record
from agentic_evals.rules.reporting import JudgedTrial

if TYPE_CHECKING:
    from agentic_evals.model.record import StoredBytes
    from agentic_evals.model.trial import Blob, Capture, TrialJob
    from agentic_evals.ports import RunFolder
    from agentic_evals.rules.operator import CompiledCase
    from agentic_evals.rules.redaction import Redactor

QUOTED_BYTES: Final = 4096
"""How much of each end of a stream a report quotes."""
_MOST_SHARED: Final = 1024


@dataclass(frozen=True, slots=True)
class Keeper:
    """Judges raw captures and keeps what may be kept; nothing raw leaves it."""

    folder: RunFolder
    redactor: Redactor
    _kept: dict[str, tuple[StoredBytes, str]] = field(default_factory=dict)
    """What became of bytes by their digest: trials that print the same share one quotation."""

    def judge_and_keep(self, case: CompiledCase, job: TrialJob, capture: Capture) -> JudgedTrial:
        """Judge one trial on its true bytes, then store the redacted record at once."""
        verdict = judge(case, capture)
        quotes: dict[str, str] = {}

        def keep(blob: Blob) -> StoredBytes:
            stored, quote = self._keep(blob)
            quotes[blob.sha256] = quote
            return stored

        kept = record(case, job.trial, capture, verdict, self.redactor, keep, null=job.null)
        self.folder.add(kept)
        clean = replace(
            verdict,
            problems=tuple(map(self.redactor.text, verdict.problems)),
            decisions=tuple(
                replace(decision, observation=self.redactor.text(decision.observation))
                for decision in verdict.decisions
            ),
            notes=tuple(map(self.redactor.text, verdict.notes)),
        )
        return JudgedTrial(kept, clean, quotes[capture.stdout.sha256], quotes[capture.stderr.sha256])

    def _keep(self, blob: Blob) -> tuple[StoredBytes, str]:
        known = self._kept.get(blob.sha256)
        if known is None:
            known = self._keep_anew(blob)
            if len(self._kept) < _MOST_SHARED:
                self._kept[blob.sha256] = known
        return known

    def _keep_anew(self, blob: Blob) -> tuple[StoredBytes, str]:
        if blob.complete is not None:
            data, replaced = self.redactor.clean(blob.complete)
            stored = self.folder.keep((data,))
            return replace(stored, size=blob.size, redacted=replaced), quotation(data)
        counted: list[int] = []
        stored = self.folder.keep(self.redactor.stream(blob.chunks(), counted))
        kept = self.folder.read(stored)
        return replace(stored, size=blob.size, redacted=counted[0]), quotation_of(kept)


def quotation(data: bytes) -> str:
    """Quote bytes: whole where they are short, else both ends with the number of bytes left out."""
    if len(data) <= 2 * QUOTED_BYTES:
        return data.decode("utf-8", "replace")
    return _both_ends(data[:QUOTED_BYTES], data[-QUOTED_BYTES:], len(data))


def quotation_of(blob: Blob) -> str:
    """Quote a blob as `quotation` quotes bytes."""
    if blob.complete is not None:
        return quotation(blob.complete)
    return _both_ends(blob.head[:QUOTED_BYTES], blob.tail[-QUOTED_BYTES:], blob.size)


def _both_ends(head: bytes, tail: bytes, size: int) -> str:
    left_out = size - len(head) - len(tail)
    return f"{head.decode('utf-8', 'replace')}\n[… {left_out} bytes left out …]\n{tail.decode('utf-8', 'replace')}"
