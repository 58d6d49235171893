"""Folders and paths as text: joined and normalised, with the tokens that stand for known places."""

from typing import Final

from agentic_evals.rules.commands.values import CASE_FOLDER, HOLE, TEMPORARY, WORKSPACE

_ROOTS: Final = ("/", WORKSPACE, CASE_FOLDER, TEMPORARY, "~", HOLE)


def is_anchored(path: str) -> bool:
    """Tell whether a path does not depend on the folder it is used in."""
    return path.startswith(_ROOTS)


def joined(folder: str | None, path: str) -> str | None:
    """Return where a path leads from a folder, relative to the case where it can be; None when that is unknown."""
    if HOLE in path:
        return None
    if path == CASE_FOLDER or path.startswith(f"{CASE_FOLDER}/"):
        folder, path = ".", path[len(CASE_FOLDER) :].lstrip("/") or "."
    if is_anchored(path):
        return normalised(path)
    return None if folder is None else normalised(f"{folder}/{path}")


def normalised(path: str) -> str:
    """Take `.`, `..` and empty components out of a path, as far as its root allows."""
    root = "/" if path.startswith("/") else ""
    kept: list[str] = []
    for part in path.split("/"):
        if part in {"", "."}:
            continue
        if part != ".." or (kept and kept[-1] == ".." and not root):
            kept.append(part)
        elif not kept:
            kept.extend([] if root else [".."])
        elif kept[-1] == WORKSPACE or kept[-1].startswith("~") or kept[-1] == TEMPORARY:
            kept.append("..")
        else:
            kept.pop()
    return root + "/".join(kept) or "."
