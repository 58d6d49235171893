"""What the record keeps of one trial: redacted, on disk, enough to judge it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

SCHEMA: Final = "agentic_evals.trial_record.v1"


@dataclass(frozen=True, slots=True)
class StoredBytes:
    """Bytes in the content store, and what they were before redaction."""

    size: int
    """Size of the true bytes."""
    stored: str
    """SHA-256, and address, of the bytes that are kept."""
    stored_size: int
    redacted: int = 0


@dataclass(frozen=True, slots=True)
class ObservedRecord:
    """An observed file."""

    path: str
    kind: str
    size: int
    fresh: bool
    fresh_by: str
    content: StoredBytes | None
    sha256: str | None
    """Of the true bytes; `None` where a secret was replaced in them."""
    reread_sha256: str | None
    message: str | None


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """One trial, as facts: no verdict, except decisions whose evidence could not be kept."""

    case: str
    case_index: int
    trial: int
    argv: tuple[str, ...]
    termination: Mapping[str, Any]
    started_unix_ms: int
    duration_ms: float
    stdout: StoredBytes
    stderr: StoredBytes
    trajectory: StoredBytes | None
    observed: tuple[ObservedRecord, ...]
    leaked: tuple[Mapping[str, Any], ...]
    killed: int
    no_survivors: str
    room: Mapping[str, Any]
    carried: tuple[Mapping[str, Any], ...] = ()
    """Decisions on evidence that held secrets; they cannot be made again from this record."""
    changes: tuple[Mapping[str, Any], ...] = ()
    max_rss_kb: int = 0
    null: bool = False
    schema: str = SCHEMA
