"""Settings from a file: found by walking up from the working folder, weaker than flags and variables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from agentic_evals.model.errors import UsageError

if TYPE_CHECKING:
    import click

FILES: Final = ("agentic-evals.toml", ".agentic-evals.toml")
_TABLE: Final = "agentic-evals"
_KEYS: Final = {
    "trials": int,
    "jobs": int,
    "timeout-seconds": (int, float),
    "fail-fast": bool,
    "isolation": str,
    "workspace": str,
    "require": list,
    "copy-limit": str,
    "max-output": str,
    "executor": str,
    "format": str,
    "verbose": bool,
}
"""What a file may set. A bypass of the gate, a selection of cases and outputs are asked for each time."""
_PARAMETERS: Final = {"format": "form"}


def configure(ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    """Take the file's settings as the command's defaults; an eager option calls this before all others.

    Raises:
        UsageError: the file cannot be read, or holds a key or a type that is not known.

    """
    path = value or find(os.getcwd())
    if path is not None:
        settings = load(path)
        known = {parameter.name for parameter in ctx.command.params}
        ctx.default_map = {name: setting for name, setting in settings.items() if name in known}
        ctx.meta["agentic_evals.config"] = path
    return path


def find(folder: str) -> str | None:
    """Return the nearest file with settings, from a folder up to the top of its repository."""
    while True:
        for name in FILES:
            candidate = os.path.join(folder, name)
            if os.path.isfile(candidate):
                return candidate
        project = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(project) and _has_table(project):
            return project
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = parent


def _has_table(project: str) -> bool:
    """Look without parsing: most projects have no table of ours, and parsing costs start-up."""
    with open(project, "rb") as file:
        return f"[tool.{_TABLE}]".encode() in file.read()


def load(path: str) -> dict[str, Any]:
    """Read the settings of a file, by parameter name.

    Raises:
        UsageError: it cannot be read, or holds a key or a type that is not known.

    """
    import tomllib

    try:
        with open(path, "rb") as file:
            document: Any = tomllib.load(file)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: {error}", hint="A file of settings is TOML.") from error
    if os.path.basename(path) == "pyproject.toml":
        document = document.get("tool", {}).get(_TABLE, {})
    found: dict[str, Any] = {}
    for key, value in document.items():
        if key not in _KEYS:
            raise UsageError(f"{path}: {key!r} is no setting", hint=_hint(key))
        exact = isinstance(value, bool) is (_KEYS[key] is bool)
        if not isinstance(value, _KEYS[key]) or not exact:  # type: ignore[arg-type]  # a type or a tuple of types
            raise UsageError(f"{path}: {key} has the wrong type: {value!r}")
        found[_PARAMETERS.get(key, key.replace("-", "_"))] = value
    return found


def _hint(key: str) -> str:
    import difflib

    near = difflib.get_close_matches(key, _KEYS, 1)
    return f"Did you mean {near[0]!r}?" if near else f"Settings: {', '.join(_KEYS)}."
