"""Taking the skill away: which entry points a null trial replaces, and what its result says."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from agentic_evals.model.verdict import Outcome, TrialVerdict
from agentic_evals.rules.commands import Invocation, InvocationKind, Reach, Substance
from agentic_evals.rules.subject import CaseCommand, Subject

EXIT_0: Final = "exit0"
EMPTY: Final = "empty"
EXIT_1: Final = "exit1"
OWN_PATH: Final = "the case sets PATH itself"
NOT_RUN: Final = "it is not there, though it was due"
NOTHING_TO_TAKE: Final = "the command invokes nothing that could be taken away"
_TEST_FILE_MARKS: Final = ("test_", "_test.", ".test.", ".spec.", "_spec.")
_TEST_FOLDERS: Final = frozenset({"test", "tests", "spec", "specs", "__tests__", "t"})
_SOURCES: Final = tuple(
    """
    .bash .bats .cjs .cs .ex .exs .go .java .js .jsx .kt .lua .mjs .mts .php .pl .py .rb .rs .sh .swift .t .ts .tsx
    """.split()
)
_POSITIVE: Final = frozenset({"positive"})
_ATTACKS: Final = frozenset({"negative", "adversarial"})
_SET_PATH_THEMSELVES: Final = frozenset(
    """
    asdf bun bunx bundle conda doas hatch mamba micromamba mise npm npx pdm pipenv pipx pixi pnpm poetry rye su sudo uv
    uvx yarn
    """.split()
)
"""Wrappers that look for programs elsewhere before PATH, or put another PATH in its place."""
_LOGIN: Final = re.compile(r"-[a-z]*l[a-z]*|--login")
_OWN_PATH: Final = re.compile(r"\bPATH=")


@dataclass(frozen=True, slots=True)
class NullPlan:
    """What to replace before a case is run without its skill, or why that cannot be done."""

    replace: Mapping[str, str] = field(default_factory=dict)
    """Absolute paths in the workspace, each with what stands in for it: `exit0` or `empty`."""
    shadow: tuple[str, ...] = ()
    """Programs to be found on PATH as ones that exit 0 in silence."""
    unknown: str | None = None
    """Why no null trial can be run."""


def due(subject: Subject) -> frozenset[int]:
    """Return the indexes of the cases that are run without their skill.

    Each that carries a claim, covers a seam, or is real-world (product specification, section 4.4).
    Where no such case is a positive control, or none is an attack, the first required case that the
    contract counts as one is taken: otherwise a decoy could stand for it.
    """
    named = [entry for entry in subject.commands if _is_named(entry)]
    found = {entry.case.index for entry in named}
    for kinds in (_POSITIVE, _ATTACKS) if subject.fixture.eval_kind is None else ():
        if not any(_stands_for(entry, subject, kinds) for entry in named):
            stands = (entry.case.index for entry in subject.commands if _stands_for(entry, subject, kinds))
            found.update(index for index in [next(stands, None)] if index is not None)
    return frozenset(found)


def _is_named(entry: CaseCommand) -> bool:
    case = entry.case.case
    return bool(case.supports_claims or case.seams or case.real_world)


def _stands_for(entry: CaseCommand, subject: Subject, kinds: frozenset[str]) -> bool:
    """Return whether a required case may be the one that the contract asks for."""
    case, index = entry.case.case, entry.case.index
    if not case.required or case.type not in kinds or index in subject.vacuous:
        return False
    if kinds is _POSITIVE:
        return entry.touches_skill
    return index not in subject.any_failure and entry.substance is Substance.SUBSTANTIVE


def plan(entry: CaseCommand, *, private: bool) -> NullPlan:
    """Work out the null trials of a case (product specification, section 4.4).

    `private` tells whether a view of the workspace that is kept apart can be had: in the user's own
    tree nothing may be replaced.
    """
    if not private:
        return NullPlan(unknown="there is no private view of the workspace to take the skill away in")
    own_path = _names_own_path(entry)
    replace: dict[str, str] = {}
    shadow: list[str] = []
    for found in entry.invocations:
        if found.reach is Reach.DEAD:
            continue
        if found.kind is InvocationKind.URL:
            return NullPlan(unknown=f"the address {found.name} cannot be refused here")
        paths = _files(found, entry)
        for path in paths:
            whole = posixpath.join(entry.facts.workspace_root, path)
            replace[whole] = EXIT_0 if replace.get(whole) == EXIT_0 else _stand_in(found)
        if found.kind is InvocationKind.PROGRAM and not paths and found.name in entry.facts.programs:
            why_not = own_path or _cannot_be_shadowed(found, entry)
            if why_not is not None:
                return NullPlan(unknown=why_not)
            shadow.append(found.name)
    if not replace and not shadow:
        return NullPlan(unknown=NOTHING_TO_TAKE)
    return NullPlan(replace, tuple(dict.fromkeys(shadow)))


def _stand_in(found: Invocation) -> str:
    """Return what stands in for a file: an interpreter runs an empty one in silence, whatever language it expects."""
    executed = found.kind is InvocationKind.SCRIPT and (found.command.program_path or "") == found.name
    return EXIT_0 if executed else EMPTY


def _names_own_path(entry: CaseCommand) -> str | None:
    """Return why programs that the case finds on PATH may be its own."""
    if "PATH" in entry.variables or any(map(_OWN_PATH.search, entry.case.case.command)):
        return f"{OWN_PATH}: which program is found there is the case's own choice"
    return None


def _cannot_be_shadowed(found: Invocation, entry: CaseCommand) -> str | None:
    """Return why a silent program that comes first on PATH would not be the one that is started."""
    if "/" in (found.command.program_path or ""):
        return f"{found.name} is started by its path, so that another one on PATH does not stand in for it"
    around = [word.text or "" for word in found.command.written[: -len(found.command.words)]]
    manager = next((name for name in map(posixpath.basename, around) if name in _SET_PATH_THEMSELVES), None)
    if manager is not None:
        return f"{manager} looks for {found.name} elsewhere than on PATH"
    if {"-i", "-", "--ignore-environment"} & {*around} or any(map(_LOGIN.fullmatch, entry.case.case.command[1:2])):
        return f"the command looks for {found.name} on a PATH of its own"
    return None


def _files(found: Invocation, entry: CaseCommand) -> tuple[str, ...]:
    """Return the workspace files of an invocation; a folder of tests stands for the test files below it."""
    files: list[str] = []
    for path in found.paths:
        if entry.facts.is_file(path):
            files.append(path)
        elif found.kind is InvocationKind.TEST_RUNNER and entry.facts.is_folder(path):
            below = "" if path == "." else f"{path}/"
            inside = [file for file in entry.facts.files if file.startswith(below)]
            among = list(filter(_is_named_as_test, inside)) or list(filter(_lies_among_tests, inside))
            files += among or [file for file in inside if file.endswith(_SOURCES)]
    return tuple(sorted(files))


def _is_named_as_test(file: str) -> bool:
    name = posixpath.basename(file)
    return any(mark in name for mark in _TEST_FILE_MARKS)


def _lies_among_tests(file: str) -> bool:
    return file.endswith(_SOURCES) and not _TEST_FOLDERS.isdisjoint(file.split("/")[:-1])


def keeps_the_gate_shut(unknown: str) -> bool:
    """Return whether what is not known of a null trial is the case's own doing, rather than the machine's."""
    return unknown.startswith((OWN_PATH, NOTHING_TO_TAKE, NOT_RUN))


def together(said: Iterable[str]) -> str:
    """Return what several null trials of a case show: one that passes is enough, one that is unknown leaves doubt."""
    answers = set(said)
    worst = ("passes-without-skill", "unknown", "depends-on-skill")
    return next((answer for answer in worst if answer in answers), "unknown")


def says(verdict: TrialVerdict, ended: str) -> str:
    """Return what a null trial shows: `depends-on-skill`, `passes-without-skill` or `unknown`.

    `ended` is the kind of the trial's termination: of a trial that was lost, nothing is known.
    """
    marked = verdict.outcome is Outcome.BLOCKED and ended == "exited" and all(d.holds for d in verdict.decisions)
    if verdict.outcome is Outcome.PASS or verdict.unenforced or marked:
        return "passes-without-skill"
    if verdict.outcome is Outcome.BLOCKED or ended == "worker_lost":
        return "unknown"
    return "depends-on-skill"
