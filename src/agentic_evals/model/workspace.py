"""What is known of the files around a fixture before anything runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """The git repository of a workspace, where there is one."""

    root: str | None = None
    common_dir: str | None = None
    sha: str | None = None
    ref: str | None = None
    dirty: bool | None = None
    declared_compliance: bool = False
    """Whether some committed version of the fixture declared the compliance tier."""


@dataclass(frozen=True, slots=True)
class WorkspaceFacts:
    """What the contract may know of the files around a fixture; paths are relative to the workspace."""

    root: str
    """Absolute and resolved: the git repository that holds the fixture, else the skill folder."""
    fixture: str
    """The fixture's folder."""
    skill: str
    """The skill folder; `.` where it is the workspace itself."""
    skill_name: str | None
    """The name in `SKILL.md`, where there is one."""
    skill_text: str | None
    files: frozenset[str]
    folders: frozenset[str]
    repository: RepositoryFacts
    own_program: bool = False
    """Whether the workspace is the repository of the running program itself."""
    complete: bool = True
    """Whether all files were listed."""
