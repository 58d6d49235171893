"""What is known of the tree around a case: paths resolved to the workspace, files looked up, names from `SKILL.md`."""

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from agentic_evals.rules.commands.folders import joined, normalised
from agentic_evals.rules.commands.values import HOLE, TEMPORARY, WORKSPACE

_ORIGIN: Final = re.compile(r"(https?)://(?:[^/?#@\s]*@)?([^/?#\s]+)", re.IGNORECASE)
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}


@dataclass(frozen=True, slots=True)
class Facts:
    """The file tree and the skill that a case belongs to, as values; every path is relative to the workspace."""

    skill_root: PurePosixPath
    case_cwd: PurePosixPath
    workspace_root: str
    files: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    """Programs that `SKILL.md` names in a command."""
    origins: frozenset[str] = frozenset()
    """Schemes, hosts and ports of the addresses that `SKILL.md` names in a command."""
    folders: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Derive the folders from the files."""
        parents = {str(parent) for path in self.files for parent in PurePosixPath(path).parents}
        object.__setattr__(self, "folders", frozenset(parents | {"."}))

    def is_file(self, path: str) -> bool:
        """Tell whether the workspace has a file at a path."""
        return path in self.files

    def is_folder(self, path: str) -> bool:
        """Tell whether the workspace has a folder at a path."""
        return path in self.folders

    def exists(self, path: str) -> bool:
        """Tell whether the workspace has anything at a path."""
        return path in self.files or path in self.folders

    def in_skill(self, path: str) -> bool:
        """Tell whether a path lies inside the skill folder."""
        root = str(self.skill_root)
        return root in {".", path} or path.startswith(f"{root}/")

    def resolve(self, path: str, cwd: str | None = ".") -> str | None:
        """Return a path as one relative to the workspace; None where it leads outside or cannot be known.

        Args:
            path: As a command gives it; it may begin with one of the tokens for known places.
            cwd: The folder it is used in, as a simple command carries it.
        """
        place = joined(cwd, path)
        if place is None or place.startswith((HOLE, TEMPORARY, "~")):
            return None
        if place.startswith("/"):
            return self._inside(place)
        if place == WORKSPACE or place.startswith(f"{WORKSPACE}/"):
            return _within(place[len(WORKSPACE) :])
        return self._inside(f"{self.workspace_root}/{self.case_cwd}/{place}")

    def _inside(self, absolute: str) -> str | None:
        root, place = normalised(self.workspace_root), normalised(absolute)
        if root == "/":
            return place.lstrip("/") or "."
        if place == root:
            return "."
        return place[len(root) + 1 :] if place.startswith(f"{root}/") else None


def _within(rest: str) -> str | None:
    place = normalised(rest.lstrip("/") or ".")
    return None if place == ".." or place.startswith("../") else place


def origin(address: str) -> str | None:
    """Return scheme, host and port of an HTTP address; None where it is none."""
    match = _ORIGIN.match(address)
    if match is None:
        return None
    scheme, host = match[1].lower(), match[2].lower()
    return f"{scheme}://{host.removesuffix(_DEFAULT_PORTS[scheme])}"
