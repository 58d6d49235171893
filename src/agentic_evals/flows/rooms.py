"""Which view of the workspace each case gets, found out by opening it once, before any trial."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentic_evals.model.errors import EnvironmentUnfit
from agentic_evals.model.trial import RoomFacts, RoomSpec
from agentic_evals.rules import isolation
from agentic_evals.rules.jobs import is_inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agentic_evals.ports import Sandbox
    from agentic_evals.rules.operator import CompiledCase
    from agentic_evals.rules.subject import Subject


@dataclass(frozen=True, slots=True)
class CaseRoom:
    """The room that a case's trials run in, or why they must not start."""

    spec: RoomSpec
    facts: RoomFacts
    withheld: str | None = None
    private: RoomSpec | None = None
    """A view kept apart, for the trial without the skill, also where the case itself asked for a shared one."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asked for, for all cases."""

    scratch: str
    workspace_mode: str
    level: str
    copy_limit: tuple[int, int]
    require: Mapping[str, str]


def rooms(subject: Subject, cases: Iterable[CompiledCase], wanted: Wanted, sandbox: Sandbox) -> dict[int, CaseRoom]:
    """Settle the room of every case, by the case's index.

    Raises:
        EnvironmentUnfit: a level, a recorder or a view that was asked for by name cannot be had.

    """
    probed: dict[str, RoomFacts] = {}
    found: dict[int, CaseRoom] = {}
    basic = _spec(subject, wanted)
    for case in cases:
        asked = isolation.of_case(subject.fixture, case.case, wanted.workspace_mode, wanted.level)
        why_not = isolation.unavailable(asked)
        if why_not is not None:
            message = f"case {case.case.name!r}: {why_not}"
            raise EnvironmentUnfit(message, hint="Ask for `auto`, or see `agentic-evals doctor` for what there is.")
        if asked.workspace not in probed:
            probed[asked.workspace] = sandbox.probe(replace(basic, mode=asked.workspace))
        facts = probed[asked.workspace]
        required: dict[str, str] = {**wanted.require}
        required.update({str(name): str(grade) for name, grade in asked.require.items()})
        unmet = isolation.unmet(required, isolation.in_force(facts))
        if facts.mode == "shared" and "auto" not in probed:
            probed["auto"] = sandbox.probe(replace(basic, mode="auto"))
        apart = facts if facts.mode != "shared" else probed["auto"]
        private = replace(basic, mode=apart.mode) if apart.mode != "shared" else None
        found[case.index] = CaseRoom(replace(basic, mode=facts.mode), facts, "; ".join(unmet) or None, private)
    return found


def _spec(subject: Subject, wanted: Wanted) -> RoomSpec:
    facts = subject.facts
    common = facts.repository.common_dir
    named = any(facts.root in word for case in subject.cases for word in case.case.command)
    return RoomSpec(
        workspace=facts.root,
        scratch=wanted.scratch,
        also=(common,) if common is not None and not is_inside(common, facts.root) else (),
        copy_limit_bytes=wanted.copy_limit[0],
        copy_limit_files=wanted.copy_limit[1],
        copy_forbidden="a case names the workspace by its absolute path" if named else None,
    )
