"""What the messages of the contract share: lists cut short, and cases to paste."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from agentic_evals.rules.commands import Substance

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agentic_evals.model.fixture import CaseType
    from agentic_evals.rules.subject import Subject

_NAMED: Final = 5
_SHELLS: Final = frozenset({"bash", "sh", "dash", "zsh", "ksh", "env"})


def named(what: Iterable[str], between: str = ", ") -> str:
    """List the first few of many, and say how many more there are."""
    all_of_them = list(what)
    more = f"{between}and {len(all_of_them) - _NAMED} more" if len(all_of_them) > _NAMED else ""
    return between.join(all_of_them[:_NAMED]) + more


def example_case(subject: Subject, kind: CaseType, expected: Mapping[str, object]) -> str:
    """Return a case to paste, which calls the entry point that another case of the suite already reaches."""
    calls = (entry.case.case for entry in subject.commands if entry.substance is Substance.SUBSTANTIVE)
    model = next((case for case in calls if case.command[0] not in _SHELLS), None)
    command = list(model.command[: max(1, len(model.command) - 1)]) if model is not None else ["./run.sh"]
    asked = "bad input" if kind != "positive" else "good input"
    folder = {"workdir": model.workdir if model is not None else ".."}
    case = {"name": f"a {kind} case", "type": kind, **folder, "command": [*command, asked], "expected": {**expected}}
    return json.dumps({key: value for key, value in case.items() if value is not None}, ensure_ascii=False)
