"""A forge that is recognised by the variables of its pipelines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class PipelineForge:
    """A forge: the variable that its pipelines set, and those that may carry a token."""

    name: str
    summary: str
    marker: str
    tokens: tuple[str, ...]

    def usable(self, environment: Mapping[str, str]) -> tuple[bool, str]:
        """Return whether this is one of its pipelines with a token; values are never looked at."""
        if not environment.get(self.marker):
            return False, f"not one of its pipelines: {self.marker} is not set"
        token = next((name for name in self.tokens if environment.get(name)), None)
        if token is None:
            return False, f"in a pipeline, but none of {', '.join(self.tokens)} is set"
        return True, f"in a pipeline; {token} is set"
