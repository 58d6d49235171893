"""What was asked of the isolation, what is in force, and whether the one meets the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args

from agentic_evals.model.fixture import Case, Fixture, Guarantee, Isolation
from agentic_evals.model.trial import RoomFacts

GRADES: Final = ("none", "observed", "recorded", "verified", "enforced")
"""From the weakest to the strongest (product specification, section 4.2)."""

GUARANTEES: Final[tuple[str, ...]] = get_args(Guarantee)
_NOT_HAD: Final = "not part of this version"
_LEVELS: Final = {"auto", "process"}
_RECORDERS: Final = {"auto", "off"}


def of_case(fixture: Fixture, case: Case, flag_workspace: str, flag_level: str) -> Isolation:
    """Return what is asked for one case: a flag beats the case, the case beats the fixture."""
    written = [part for part in (fixture.isolation, case.isolation) if part is not None]
    asked: dict[str, Any] = {"level": "auto", "workspace": "auto", "recorder": "auto", "require": {}}
    for part in written:
        for key in part.model_fields_set & asked.keys():
            value = getattr(part, key)
            asked[key] = {**asked[key], **value} if key == "require" else value
    if flag_workspace != "auto":
        asked["workspace"] = flag_workspace
    if flag_level != "auto":
        asked["level"] = flag_level
    return Isolation(**asked)


def unavailable(asked: Isolation) -> str | None:
    """Return which level or recorder, asked for by name, this version does not have; `None` where all is well."""
    if asked.level not in _LEVELS:
        return f"isolation level {asked.level!r} is {_NOT_HAD}"
    if asked.recorder not in _RECORDERS:
        return f"recorder {asked.recorder!r} is {_NOT_HAD}"
    return None


def in_force(facts: RoomFacts) -> dict[str, dict[str, Any]]:
    """Return every guarantee with its grade, its mechanism, or why there is none."""
    found: dict[str, dict[str, Any]] = {name: {"grade": "none", "why": _NOT_HAD} for name in GUARANTEES}
    found["timeout"] = {"grade": "verified", "by": "pidfd"}
    found["no_survivors"] = {"grade": "verified", "by": "subreaper and ECHILD"}
    found["dies_with_runner"] = {"grade": "observed", "by": "the worker notices that the runner is gone"}
    found["workspace_private"] = {"grade": facts.private, "by": facts.mechanism, "why": facts.reason}
    return found


def unmet(require: Mapping[str, str], guarantees: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Return a sentence for each required guarantee whose grade in force is too low."""
    found = []
    for name, asked in require.items():
        held = str(guarantees[name]["grade"])
        if GRADES.index(held) < GRADES.index(asked):
            why = guarantees[name].get("why")
            found.append(f"{name} must be {asked} and is {held}" + (f" ({why})" if why else ""))
    return tuple(found)
