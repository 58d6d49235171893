"""What this machine can enforce and record, found out by doing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from agentic_evals.model.errors import EnvironmentUnfit
from agentic_evals.model.trial import RoomSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentic_evals.ports import AgentRuntime, ExecutorFactory, Forge, Importer, Sandbox

SCHEMA: Final = "agentic_evals.doctor.v1"
_MODES: Final = ("overlay", "copy", "shared")


@dataclass(frozen=True, slots=True)
class Diagnose:
    """The flow of `doctor`."""

    sandbox: Sandbox
    executors: Mapping[str, ExecutorFactory]
    runtimes: Mapping[str, AgentRuntime]
    forges: Mapping[str, Forge]
    importers: Mapping[str, Importer]

    def __call__(
        self, workspace: str, scratch: str, which: Callable[[str], str | None], environment: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the diagnosis as a document; `workspace` and `scratch` are folders to try things in."""
        return {
            "schema": SCHEMA,
            "workspace": [self._mode(mode, workspace, scratch) for mode in _MODES],
            "guarantees": {
                "timeout": {"grade": "verified", "by": "pidfd and poll"},
                "no_survivors": {"grade": "verified", "by": "child subreaper, kill until no child is left (ECHILD)"},
            },
            "recorder": {"grade": "none", "why": "this version has no recorder"},
            "executors": {name: leaf.summary for name, leaf in self.executors.items()},
            "runtimes": {
                name: dict(zip(("usable", "why"), leaf.usable(which, environment), strict=True))
                for name, leaf in self.runtimes.items()
            },
            "forges": {
                name: dict(zip(("usable", "why"), leaf.usable(environment), strict=True))
                for name, leaf in self.forges.items()
            },
            "importers": {name: leaf.summary for name, leaf in self.importers.items()},
        }

    def _mode(self, mode: str, workspace: str, scratch: str) -> dict[str, Any]:
        try:
            facts = self.sandbox.probe(RoomSpec(workspace=workspace, scratch=scratch, mode=mode))
        except EnvironmentUnfit as error:
            return {"mode": mode, "grade": "none", "why": error.message}
        return {"mode": mode, "grade": facts.private, "by": facts.mechanism, "why": facts.reason}
