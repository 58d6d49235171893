"""Reading fixtures, and looking at the files around them."""

from __future__ import annotations

import os
import stat
from typing import Final

from agentic_evals.adapters import git
from agentic_evals.model.errors import DocumentRejected
from agentic_evals.model.finding import Finding, Location, Severity
from agentic_evals.model.workspace import WorkspaceFacts

_LARGEST_DOCUMENT: Final = 64 * 1024 * 1024
_MOST_FILES: Final = 500_000
_SKILL_FILE: Final = "SKILL.md"
_EVALUATION_FOLDERS: Final = {"fixtures", "evals"}
_LARGEST_SKILL_FILE: Final = 1024 * 1024


class Files:
    """The file system as people see it."""

    def __init__(self, own_checkout: str | None) -> None:
        """Know where the running program's own repository is, if it runs from one."""
        self._own_checkout = os.path.realpath(own_checkout) if own_checkout else None

    def read(self, path: str) -> bytes:
        """Return a document's bytes; regular files only, at most 64 MiB.

        Raises:
            DocumentRejected: it cannot be read, with the reason.

        """
        try:
            with open(path, "rb", opener=_regular_only) as file:
                data = file.read(_LARGEST_DOCUMENT + 1)
        except OSError as error:
            raise _unreadable(path, error.strerror or str(error)) from error
        except ValueError as error:  # a NUL byte in the path
            raise _unreadable(path, str(error)) from error
        if len(data) > _LARGEST_DOCUMENT:
            message = f"the document has more than {_LARGEST_DOCUMENT:,} bytes"
            raise _unreadable(path, message, "document-too-large", "Split the suite into several fixtures.")
        return data

    def facts(self, fixture_path: str) -> WorkspaceFacts:
        """Look at the files around a fixture: its repository, its skill folder, every file's name."""
        fixture = os.path.realpath(fixture_path)
        folder = os.path.dirname(fixture)
        repository = git.repository(folder, fixture)
        skill = _skill_folder(folder, repository.root)
        root = repository.root or skill
        files, folders, complete = _listing(root)
        text = _skill_text(skill)
        return WorkspaceFacts(
            root=root,
            fixture=os.path.relpath(folder, root),
            skill=os.path.relpath(skill, root),
            skill_name=_skill_name(text) if text is not None else None,
            skill_text=text,
            files=files,
            folders=folders,
            repository=repository,
            own_program=self._own_checkout is not None and root == self._own_checkout,
            complete=complete,
        )


def _regular_only(path: str, flags: int) -> int:
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        os.close(descriptor)
        raise OSError(0, "is a folder, not a file" if is_folder else "is not a regular file")
    return descriptor


def _unreadable(
    path: str, reason: str, rule: str = "document-unreadable", hint: str = "Check the path and its permissions."
) -> DocumentRejected:
    finding = Finding(rule, Severity.ERROR, reason, Location(path), hint)
    return DocumentRejected(f"{path}: {reason}", (finding,))


def _skill_folder(folder: str, top: str | None) -> str:
    """Return the nearest folder above with a `SKILL.md`, else the parent of `fixtures` or `evals`, else the folder."""
    above = folder
    while True:
        if os.path.isfile(os.path.join(above, _SKILL_FILE)):
            return above
        parent = os.path.dirname(above)
        if above in {parent, top}:
            break
        above = parent
    above = folder
    while above not in (top, os.path.dirname(above)):
        if os.path.basename(above) in _EVALUATION_FOLDERS:
            return os.path.dirname(above)
        above = os.path.dirname(above)
    return folder


def _listing(root: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """Return every file and folder below `root`, relative to it, without following links and without `.git`."""
    files: set[str] = set()
    folders: set[str] = {"."}
    stack = [""]
    while stack:
        inner = stack.pop()
        try:
            entries = list(os.scandir(os.path.join(root, inner)))
        except OSError:
            continue
        for entry in entries:
            name = f"{inner}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                folders.add(name)
                if entry.name != ".git":
                    stack.append(f"{name}/")
            elif entry.is_symlink() and not _stays_inside(entry.path, root):
                continue  # what a link outside leads to is no file of the workspace
            elif entry.is_symlink() and os.path.isdir(entry.path):  # never raises, also not for a loop of links
                folders.add(name)
            else:
                files.add(name)
        if len(files) > _MOST_FILES:
            return frozenset(files), frozenset(folders), False
    return frozenset(files), frozenset(folders), True


def _stays_inside(link: str, root: str) -> bool:
    whole = os.path.realpath(link)
    return whole == root or whole.startswith(root.rstrip("/") + "/")


def _skill_text(skill: str) -> str | None:
    try:
        with open(os.path.join(skill, _SKILL_FILE), "rb", opener=_regular_only) as file:
            return file.read(_LARGEST_SKILL_FILE).decode("utf-8", "replace")
    except OSError:
        return None


def _skill_name(text: str) -> str | None:
    """Return `name` of the front matter: a plain or quoted scalar on one line, as the specification of skills asks."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != "---":
        return None
    for line in lines[1:]:
        if line.rstrip() in {"---", "..."}:
            return None
        key, colon, value = line.partition(":")
        if colon and key == "name":
            return value.split(" #")[0].strip().strip("\"'") or None
    return None
