"""An agent runtime that is a program on PATH."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class ProgramRuntime:
    """An agent's command line: the program, and the variables that carry its credentials."""

    name: str
    summary: str
    program: str
    credentials: tuple[str, ...]

    def usable(self, which: Callable[[str], str | None], environment: Mapping[str, str]) -> tuple[bool, str]:
        """Return whether the program is installed, and which credential is set; values are never looked at."""
        found = which(self.program)
        if found is None:
            return False, f"`{self.program}` is not on PATH"
        named = [name for name in self.credentials if environment.get(name)]
        return True, f"{found}; {named[0]} is set" if named else f"{found}; no credential variable is set"
