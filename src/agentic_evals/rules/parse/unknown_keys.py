"""Keys that the document's model does not know: free, ignored with a warning, or a near miss."""

from __future__ import annotations

import difflib
from functools import cache
from typing import TYPE_CHECKING, Any, Final, get_args

from agentic_evals.model.evidence import Part
from agentic_evals.model.finding import Finding, Location, Severity
from agentic_evals.rules.parse.positions import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NEAR: Final = 0.8
_LONGEST: Final = 60
"""No known key is so long, and comparing takes time."""


def nearest(key: str, known: Iterable[str]) -> str | None:
    """Return the known key that a misspelt one probably means, or `None`."""
    if len(key) > _LONGEST:
        return None
    plain = {name.casefold().replace("-", "_"): name for name in known}
    found = difflib.get_close_matches(key.casefold().replace("-", "_"), plain, 1, _NEAR)
    return plain[found[0]] if found else None


def shown(key: str) -> str:
    """Show a key on one line, cut where it is long."""
    return repr(key if len(key) <= _LONGEST else key[:_LONGEST] + "…")


def unknown_keys(kind: type[Part], value: Any, pointer: str = "") -> Iterator[Finding]:  # noqa: ANN401 - any JSON
    """Yield a finding for each key below `value` that `kind` and its parts do not know.

    A near miss of a known key is an error, since the author believes that it is evaluated; any
    other unknown key is a warning; keys that start with `x-` or `_` are free.
    """
    if not isinstance(value, dict):
        return
    parts = _parts(kind)
    for key, item in value.items():
        if key in kind.model_fields:
            part = parts.get(key)
            if part is not None:
                yield from _below(part, item, f"{pointer}/{escape(key)}")
        elif not key.startswith(("x-", "_")):
            yield _finding(key, kind, f"{pointer}/{escape(key)}")


def _below(part: type[Part], item: Any, pointer: str) -> Iterator[Finding]:  # noqa: ANN401 - any JSON
    if isinstance(item, list):
        for index, element in enumerate(item):
            yield from unknown_keys(part, element, f"{pointer}/{index}")
    else:
        yield from unknown_keys(part, item, pointer)


@cache
def _parts(kind: type[Part]) -> dict[str, type[Part]]:
    """Return the keys whose values, or the items of them, are parts with keys of their own."""
    found = ((key, _part_in(field.annotation)) for key, field in kind.model_fields.items())
    return {key: part for key, part in found if part is not None}


def _part_in(annotation: Any) -> type[Part] | None:  # noqa: ANN401 - any type
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return annotation
    return next((part for part in map(_part_in, get_args(annotation)) if part is not None), None)


def _finding(key: str, kind: type[Part], pointer: str) -> Finding:
    meant = nearest(key, kind.model_fields)
    if meant is not None:
        hint = f"Did you mean {meant!r}?"
        return Finding("unknown-key", Severity.ERROR, f"{shown(key)} is not a known key", Location("", pointer), hint)
    hint = "It is not evaluated. Begin it with `x-` to keep it as a remark."
    return Finding("unknown-key", Severity.WARNING, f"{shown(key)} is not a known key", Location("", pointer), hint)
