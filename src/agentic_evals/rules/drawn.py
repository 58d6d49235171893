"""Samples that trials log: two trials of a sampling case that drew the same ones drew none."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from agentic_evals.model.trial import Blob

PREFIX: Final = b"sample"
"""A logged step that begins with this word names a sample that was drawn."""


def logged_samples(trajectory: Blob | None) -> str | None:
    """Return a digest of the samples that a trial logged to its trajectory, or `None` where it logged none."""
    if trajectory is None or not trajectory.size:
        return None
    summer, found, rest = hashlib.sha256(), False, b""
    for chunk in trajectory.chunks():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(PREFIX):
                found = True
                summer.update(line + b"\n")
    if rest.startswith(PREFIX):
        found = True
        summer.update(rest + b"\n")
    return summer.hexdigest() if found else None


def are_repeated(digests: Iterable[str | None]) -> bool:
    """Return whether two trials logged the same samples."""
    counted = Counter(digest for digest in digests if digest is not None)
    return any(number > 1 for number in counted.values())
