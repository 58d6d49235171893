"""Hash chain of events and Merkle seal of files: what makes any later change of a record visible."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

from agentic_evals.model.canonical import canonical

FIRST: Final = "sha256:" + "0" * 64
"""What the first record of a chain names as its predecessor."""

SEAL_SCHEMA: Final = "agentic_evals.seal.v1"
_LEAF: Final = b"\x00"
_NODE: Final = b"\x01"
_EMPTY: Final = hashlib.sha256(b"").digest()


def linked(record: Mapping[str, Any], previous: str) -> dict[str, Any]:
    """Return the record with `prev` and `hash`: the hash is of its canonical bytes (RFC 8785) without `hash`."""
    body = {key: value for key, value in record.items() if key != "hash"} | {"prev": previous}
    return {**body, "hash": f"sha256:{hashlib.sha256(canonical(body)).hexdigest()}"}


def broken_link(records: Iterable[Mapping[str, Any]]) -> tuple[int, str] | str:
    """Follow a chain; return the place and the reason where it breaks, else the hash of its last record."""
    previous, number = FIRST, -1
    for number, record in enumerate(records):
        if record.get("seq") != number:
            return number, f"record {number} says that it is number {record.get('seq')}"
        if record.get("prev") != previous:
            return number, f"record {number} does not follow the one before it"
        if linked(record, previous)["hash"] != record.get("hash"):
            return number, f"record {number} was changed"
        previous = str(record["hash"])
    return previous if number >= 0 else (0, "the chain is empty")


def merkle_root(files: Mapping[str, str]) -> str:
    """Return the Merkle tree hash (RFC 6962, section 2.1) over paths and their lower-case hex SHA-256.

    The leaves are `path NUL digest`, ordered by the path's UTF-8 bytes, so that a renamed, added or
    missing file changes the root as a changed one does.
    """
    ordered = sorted((path.encode("utf-8", "surrogateescape"), digest) for path, digest in files.items())
    leaves = [hashlib.sha256(_LEAF + path + b"\x00" + digest.encode()).digest() for path, digest in ordered]
    return f"sha256:{_tree(leaves).hex()}"


def _tree(hashes: list[bytes]) -> bytes:
    """Hash pairwise from the bottom; a lone node goes up as it is, which is RFC 6962's own shape."""
    if not hashes:
        return _EMPTY
    while len(hashes) > 1:
        pairs = [hashlib.sha256(_NODE + hashes[at] + hashes[at + 1]).digest() for at in range(0, len(hashes) - 1, 2)]
        hashes = pairs + hashes[len(pairs) * 2 :]
    return hashes[0]
