"""Which environment variables a trial sees, and which were kept from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agentic_evals.model.fixture import Environment
from agentic_evals.rules.redaction import looks_like_credential

OWN_PREFIX: Final = "AGENTIC_EVALS_"
_OWN_VENV: Final = "VIRTUAL_ENV"


@dataclass(frozen=True, slots=True)
class TrialEnvironment:
    """The variables that a trial gets, and the names of those that were hidden as credentials."""

    variables: Mapping[str, str]
    hidden: tuple[str, ...]


def trial_environment(
    caller: Mapping[str, str],
    spec: Environment | None,
    credentials: Sequence[str],
    own_prefix: str,
) -> TrialEnvironment:
    """Work out a trial's variables (product specification, section 4.2).

    Everything is inherited except this program's own virtual environment (`own_prefix` is its
    folder), `AGENTIC_EVALS_*`, and what looks like a credential and is not named in `credentials`.
    """
    inherit = spec.inherit if spec is not None else "all"
    inherited: dict[str, str] = {}
    hidden: list[str] = []
    for name, value in caller.items():
        if name.startswith(OWN_PREFIX) or inherit == "none" or (isinstance(inherit, list) and name not in inherit):
            continue
        if name not in credentials and looks_like_credential(name, value):
            hidden.append(name)
        else:
            inherited[name] = value
    _leave_own_venv(inherited, own_prefix)
    if spec is not None:
        inherited.update(spec.set)
    return TrialEnvironment(inherited, tuple(sorted(hidden)))


def merged(fixture: Environment | None, case: Environment | None) -> Environment | None:
    """Return the environment of a case: its own `inherit` wins, its `set` is added to the fixture's."""
    if fixture is None or case is None:
        return case or fixture
    inherit = case.inherit if "inherit" in case.model_fields_set else fixture.inherit
    return Environment(inherit=inherit, set={**fixture.set, **case.set})


def _leave_own_venv(variables: dict[str, str], own_prefix: str) -> None:
    if not own_prefix:
        return
    if variables.get(_OWN_VENV, "").rstrip("/") == own_prefix.rstrip("/"):
        del variables[_OWN_VENV]
    path = variables.get("PATH")
    if path is not None:
        own = f"{own_prefix.rstrip('/')}/bin"
        variables["PATH"] = ":".join(entry for entry in path.split(":") if entry.rstrip("/") != own)
