"""The documentation pages of rules: one Markdown file each, beside the program or in its checkout."""

from __future__ import annotations

import os
from typing import Final

_PACKAGE: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PLACES: Final = (
    os.path.join(_PACKAGE, "pages", "rules"),
    os.path.join(os.path.dirname(os.path.dirname(_PACKAGE)), "docs", "reference", "rules"),
)


class RulePages:
    """The pages, found where the program is installed or where it is developed."""

    def __init__(self) -> None:
        """Look for the folder."""
        self._folder = next((place for place in _PLACES if os.path.isdir(place)), None)

    def names(self) -> list[str]:
        """Return every rule that has a page."""
        if self._folder is None:
            return []
        files = (os.path.splitext(name) for name in os.listdir(self._folder))
        return sorted(stem for stem, suffix in files if suffix == ".md" and stem not in {"index", "README"})

    def text(self, name: str) -> str:
        """Return a page, as Markdown."""
        with open(os.path.join(self._folder or "", f"{name}.md"), encoding="utf-8") as file:
            return file.read()

    def find(self, name: str) -> str | None:
        """Return a page, as Markdown, or `None` where a rule has none."""
        return self.text(name) if name in self.names() else None

    def summary(self, name: str) -> str:
        """Return a page's first sentence."""
        lines = [line for line in self.text(name).splitlines() if line and not line.startswith("#")]
        return lines[0] if lines else ""
