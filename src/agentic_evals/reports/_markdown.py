"""Foreign text inside Markdown: shown as it is, never acting as markup, link, mention or HTML."""

from __future__ import annotations

import re
from typing import Final

from agentic_evals.reports._text import one_line, visible

_ACTING: Final = re.compile(r"[\\`*_{}\[\]<>#|~&$@!^]|:(?=//)|(?<=www)\.|^[-+=]|(?<=^\d)[.)]")
"""What starts markup, a link, an entity or a list where it stands."""
_REFERENCE: Final = re.compile(r"([@#!$%~&^*])(?=[\w\"\[])")
_BACKTICKS: Final = re.compile(r"`+")
_GAP: Final = "\u200b"
"""Breaks mentions and references, which forges look for after all escapes were undone."""


def prose(text: str, limit: int = 1000) -> str:
    """Return the text as plain words of a paragraph, a heading or a table's cell."""
    return _ACTING.sub(lambda match: "\\" + match[0], _REFERENCE.sub(rf"\1{_GAP}", one_line(text, limit)))


def code(text: str, limit: int = 200) -> str:
    """Return the text as a code span."""
    flat = one_line(text, limit)
    if not flat.strip():
        return "(empty)" if not flat else "(blank)"
    fence = _fence(flat, 1)
    pad = " " if flat[0] in "` " or flat[-1] in "` " else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def cell(text: str, limit: int = 200) -> str:
    """Return the text as a code span in a table's cell."""
    return code(text, limit).replace("|", "\\|")


def block(text: str) -> str:
    """Return the text as a fenced block that nothing inside can close."""
    safe = visible(text).rstrip("\n")
    fence = _fence(safe, 3)
    return f"{fence}text\n{safe}\n{fence}"


def html(text: str, limit: int = 200) -> str:
    """Return the text as it may stand inside an HTML element."""
    safe = _REFERENCE.sub(rf"\1{_GAP}", one_line(text, limit))
    return safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _fence(text: str, least: int) -> str:
    """Return a run of backticks that is longer than every run in the text."""
    return "`" * max([least, *(len(run) + 1 for run in _BACKTICKS.findall(text))])
