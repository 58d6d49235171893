"""Whether a run folder is what was sealed: every file, the chain of events, and what the two say of each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from agentic_evals.model.chain import SEAL_SCHEMA, broken_link, merkle_root

SEAL: Final = "SEAL.json"


def seal_document(files: Mapping[str, str], chain_head: str) -> dict[str, Any]:
    """Return the seal of a run folder: the digest of every other file, their Merkle root, and the chain's head."""
    return {
        "schema": SEAL_SCHEMA,
        "merkle_root": merkle_root(files),
        "chain_head": chain_head,
        "files": dict(sorted(files.items())),
    }


def problems(seal: Mapping[str, Any], files: Mapping[str, str], events: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a sentence for each difference between a folder and its seal; none where it is untouched.

    `files` holds the digests of all files as they are now, except the seal itself.
    """
    found: list[str] = []
    sealed = seal.get("files")
    if seal.get("schema") != SEAL_SCHEMA or not isinstance(sealed, Mapping):
        return [f"{SEAL} is no {SEAL_SCHEMA}"]
    found += [f"{path} was added" for path in sorted(files.keys() - sealed.keys())]
    found += [f"{path} is missing" for path in sorted(sealed.keys() - files.keys())]
    found += [f"{path} was changed" for path in sorted(files.keys() & sealed.keys()) if files[path] != sealed[path]]
    if seal.get("merkle_root") != merkle_root({str(path): str(digest) for path, digest in sealed.items()}):
        found.append(f"{SEAL} was changed: its root is not that of its files")
    head = broken_link(events)
    if isinstance(head, tuple):
        found.append(f"events.jsonl: {head[1]}")
    elif head != seal.get("chain_head"):
        found.append("events.jsonl ends in another record than the sealed one")
    if set(seal) - {"schema", "merkle_root", "chain_head", "files", "signature", "signer"}:
        found.append(f"{SEAL} has keys that no seal has")
    return found
