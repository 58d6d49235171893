"""An importer that knows a format when it sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recogniser:
    """A foreign format: its name, and the function that says what a document of it is."""

    name: str
    summary: str
    says: Callable[[object], str | None]

    def recognises(self, document: object) -> str | None:
        """Return what the document is, in a few words, or `None`."""
        return self.says(document)
