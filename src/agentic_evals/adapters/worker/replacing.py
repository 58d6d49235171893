"""Takes programs out of a private view, for the trial that asks whether a case passes without the skill."""

from __future__ import annotations

import os
import stat

from layer_changes import state_of
from view import RoomUnavailable, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from layer_changes import Known
    from protocol import Replacement
    from view import View

_STUB = b"#!/bin/sh\nexit 0\n"
_QUIET_WHEN_EMPTY = ("sh", "bash", "dash", "ksh", "zsh", "ash", "python", "pypy", "node", "bun", "ruby", "perl", "uv")
_FAILS = (
    ((b".py", b"python", b"pypy"), b"raise SystemExit(1)\n"),
    ((b".js", b".mjs", b".cjs", b"node", b"bun"), b"process.exit(1)\n"),
    ((b".rb", b"ruby"), b"exit 1\n"),
    ((b".pl", b"perl"), b"exit(1);\n"),
    ((b".sh", b".bash", b"sh"), b"exit 1\n"),
)
_QUIET_SUFFIXES = (".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".rb", ".pl")


def replace_all(view: View, replacements: list[Replacement]) -> Known:
    """Put quiet programs in the place of the named files of `view`; return what stands there now.

    Raises:
        RoomUnavailable: when the view is the user's own tree, or a file is not a regular file of it.
    """
    if view.mode == "shared":
        raise RoomUnavailable("shared", None, "replace", "files are never replaced in the user's own tree")
    known: Known = {}
    for replacement in replacements:
        path = os.path.realpath(view.locate(replacement.path))
        if not any(within(path, view.locate(tree)) for tree in (view.spec.workspace, *view.spec.also)):
            raise RoomUnavailable(view.mode, None, "replace", f"{replacement.path} is outside the workspace")
        try:
            known[path] = state_of(_replace(path, replacement.kind))
        except OSError as error:
            message = f"{replacement.path}: {error.strerror}"
            raise RoomUnavailable(view.mode, error.errno, "replace", message) from error
    return known


def _replace(path: str, kind: str) -> os.stat_result:
    before = os.stat(path, follow_symlinks=False)
    if not stat.S_ISREG(before.st_mode):
        raise RoomUnavailable("overlay", None, "replace", f"{path} is not a regular file")
    content = b""
    if kind != "empty":
        content = quiet_program(path) if kind == "exit0" else failing_program(path)
    os.unlink(path)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, content)
        if os.geteuid() == 0:
            os.fchown(descriptor, before.st_uid, before.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
    finally:
        os.close(descriptor)
    return os.stat(path, follow_symlinks=False)


def failing_program(path: str) -> bytes:
    """Return a program that exits 1 silently, in the language of the one at `path`, as far as that can be told."""
    with open(path, "rb") as file:
        first = file.readline(256).rstrip(b"\r\n")
    shebang = first + b"\n" if first.startswith(b"#!") else b""
    named = os.path.basename(path).encode() + b" " + first
    for marks, fails in _FAILS:
        if any(mark in named for mark in marks):
            return shebang + fails
    return b"#!/bin/sh\nexit 1\n"


def quiet_program(path: str) -> bytes:
    """Return a program that exits 0 silently, whether it is executed or given to the interpreter of the one at `path`.

    A script keeps its first line and nothing else, since an empty file could not be executed; a script without one, run
    by an interpreter, becomes empty; a binary, or a script of a language in which nothing is an error, becomes a shell
    script.
    """
    with open(path, "rb") as file:
        first = file.readline(256)
    if first.startswith(b"#!"):
        words = first[2:].decode("utf-8", "replace").replace("/", " ").split()
        quiet = any(word.rstrip("0123456789.") in _QUIET_WHEN_EMPTY for word in words)
        return first.rstrip(b"\r\n") + b"\n" if quiet else _STUB
    return b"" if path.endswith(_QUIET_SUFFIXES) else _STUB
