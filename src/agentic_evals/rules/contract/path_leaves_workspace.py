"""Files that a case reads, writes or runs in lie in the workspace."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from agentic_evals.model.fixture import StdinFile
from agentic_evals.rules.jobs import is_inside, observed_path, working_directory
from agentic_evals.rules.subject import EVERYWHERE, Rule, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentic_evals.model.finding import Finding
    from agentic_evals.rules.subject import Subject


def _check(subject: Subject) -> Iterator[Finding]:
    facts = subject.facts
    for case in subject.cases:
        at = f"/cases/{case.index}"
        if isinstance(case.case.stdin, StdinFile):
            whole = posixpath.normpath(posixpath.join(facts.root, facts.fixture, case.case.stdin.file))
            yield from _path(case.case.stdin.file, f"{at}/stdin/file", whole, subject)
        folder = working_directory(case.case, facts)
        if not is_inside(folder, facts.root):
            yield _left(f"{at}/workdir", case.case.workdir or ".")
            continue  # every path of the case would be said to lead out of the workspace
        yield from _path(case.case.workdir or ".", f"{at}/workdir", folder, subject)
        for observe in case.observes:
            yield from _path(observe.path, f"{at}/expected", observed_path(observe.path, case.case, facts), subject)
        for index, path in enumerate(case.case.reuses):
            yield from _path(path, f"{at}/reuses/{index}", observed_path(path, case.case, facts), subject)


def _path(written: str, pointer: str, whole: str, subject: Subject) -> Iterator[Finding]:
    allowed = subject.fixture.allow_absolute_paths
    if posixpath.isabs(written) and not allowed:
        message = f"{written!r} is an absolute path"
        hint = "Write it relative to the working directory, or set `allow_absolute_paths` on the fixture."
        yield error(RULE.id, message, pointer, hint)
    elif not is_inside(whole, subject.facts.root) and not (posixpath.isabs(written) and allowed):
        yield _left(pointer, written)


def _left(pointer: str, written: str) -> Finding:
    message = f"{written!r} leads out of the workspace"
    return error(RULE.id, message, pointer, "Use a path inside the repository, or inside the skill folder.")


RULE: Final = Rule("path-leaves-workspace", "Paths stay in the workspace.", _check, EVERYWHERE)
