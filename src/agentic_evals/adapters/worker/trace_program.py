"""Describes the program that a process has just begun to run: file, arguments, folder, changed environment."""

from __future__ import annotations

import os

import lean
import trace_files as files

MOST_ARGV = 256 * 1024
"""Bytes of argv that are kept of one exec."""
_MOST_ENVIRONMENT = 1 << 20
_MOST_CHANGES = 200
_BOOKKEEPING = (b"_", b"PWD", b"OLDPWD", b"SHLVL")
"""Variables that every shell changes and that tell nothing."""


def describe_exec(pid: int, env: dict[bytes, bytes]) -> dict[str, object]:
    """Return exe, sha256, argv, cwd and how the environment differs from `env` (name: SHA-256 of the value, or null).

    Called at the stop before the first instruction, so nothing of this can have been altered by the program itself.
    Raises `OSError`.
    """
    exe, digest = files.describe_program(pid)
    argv = _read(f"/proc/{pid}/cmdline", MOST_ARGV + 1)
    body: dict[str, object] = {
        "exe": exe,
        "sha256": digest,
        "argv": [files.text(word) for word in argv[:MOST_ARGV].removesuffix(b"\0").split(b"\0")],
        "cwd": files.text(os.readlink(b"/proc/%d/cwd" % pid)),
        "env": environment_changes(_read(f"/proc/{pid}/environ", _MOST_ENVIRONMENT), env),
    }
    if len(argv) > MOST_ARGV:
        body["argv_cut"] = True
    return body


def environment_changes(block: bytes, env: dict[bytes, bytes]) -> dict[str, str | None]:
    """Return name and SHA-256 of the value of each variable of `block` that is not so in `env`; null: it is gone."""
    now: dict[bytes, bytes] = {}
    for entry in block.split(b"\0"):
        name, equals, value = entry.partition(b"=")
        if equals:
            now.setdefault(name, value)  # of two entries with one name, programs find the first
    changed: dict[str, str | None] = {}
    for name, value in now.items():
        if env.get(name) != value and name not in _BOOKKEEPING and len(changed) < _MOST_CHANGES:
            changed[files.text(name)] = lean.small_sha256(value).hexdigest()
    for name in env:
        if name not in now and name not in _BOOKKEEPING and len(changed) < _MOST_CHANGES:
            changed[files.text(name)] = None
    return changed


def _read(path: str, most: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts: list[bytes] = []
        while most > 0 and (part := os.read(descriptor, min(most, 65536))):
            parts.append(part)
            most -= len(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)
