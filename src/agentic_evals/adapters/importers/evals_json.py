"""Suites of prompts, as `evals.json` files beside skills hold them."""

from __future__ import annotations

from typing import Final

from agentic_evals.adapters.importers._recogniser import Recogniser

_PROMPT_KEYS: Final = {"prompt", "query", "question"}


def _says(document: object) -> str | None:
    """Recognise a list of entries with prompts, at the top or below `evals`."""
    entries = document.get("evals") if isinstance(document, dict) else document
    if not isinstance(entries, list) or not entries:
        return None
    if all(isinstance(entry, dict) and _PROMPT_KEYS & entry.keys() for entry in entries):
        return f"an evals.json suite of {len(entries)} prompts for an agent: it has no commands that could be run here"
    return None


IMPORTER: Final = Recogniser("evals_json", "Suites of prompts (evals.json).", _says)
