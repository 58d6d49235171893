"""Options that several commands share, and what was in force and who set it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from agentic_evals.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


class LeafChoice(click.ParamType[str]):
    """A choice among the leaves of a catalogue, listed without importing any."""

    name = "name"

    def __init__(self, kind: str) -> None:
        """Name the function of `wiring` that returns the catalogue."""
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401 - click's signature
        """Accept a known name."""
        from agentic_evals import wiring

        known = getattr(wiring, self._kind)()
        if value not in known:
            self.fail(f"{value!r} is not one of {', '.join(known)}", param, ctx)
        return str(value)


class Seconds(click.ParamType[float]):
    """A time limit: above 0, and at most a week, as in a fixture."""

    name = "seconds"
    _most: Final = 604_800.0

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401 - click's signature
        """Accept a number within the limits; NaN is within none."""
        try:
            seconds = float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        if not 0 < seconds <= self._most:
            self.fail(f"{value} is not above 0 and at most {self._most:.0f}", param, ctx)
        return seconds


class OneValue(click.ParamType[str]):
    """A text of which a variable holds exactly one, whatever spaces are in it."""

    name = "text"

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        """Take a variable's value whole."""
        return [rv]


def setting_source(ctx: click.Context, name: str) -> str:
    """Return who set a parameter: `flag`, `variable`, `file` or `default`."""
    source = ctx.get_parameter_source(name)
    return {
        ParameterSource.COMMANDLINE: "flag",
        ParameterSource.ENVIRONMENT: "variable",
        ParameterSource.DEFAULT_MAP: "file",
    }.get(source, "default")  # type: ignore[arg-type]  # None is no key and gives the default


def check_writable(path: str) -> None:
    """Make sure that a file can be written, before anything runs.

    Raises:
        UsageError: it cannot, with the reason.

    """
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        message = f"{path} is a folder"
        raise UsageError(message, hint="End the path with `/` to keep the whole run there.")
    if not os.path.isdir(folder):
        message = f"{folder} does not exist"
        raise UsageError(message, hint="Create the folder first.")
    try:
        _try_to_write(path)
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}"
        raise UsageError(message, hint="Choose another place, or change its permissions.") from error


def _try_to_write(path: str) -> None:
    """Do what writing will do: permissions alone do not tell of read-only and special file systems."""
    if _is_special(path):
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        return
    temporary = _beside(path)
    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
    os.unlink(temporary)


def _is_special(path: str) -> bool:
    """Return whether a path is a device or a pipe, such as /dev/stdout, which must never be replaced by a file."""
    return os.path.exists(path) and not os.path.isfile(path)


def _beside(path: str) -> str:
    return f"{path}.{os.getpid()}.tmp"


def write_atomically(path: str, text: str) -> None:
    """Write a file whole or not at all: temporary file, fsync, rename; a device or a pipe is written to as it is.

    Raises:
        UsageError: it cannot be written.

    """
    temporary = _beside(path)
    try:
        if _is_special(path):
            with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as special:
                special.write(text)
            return
        with open(temporary, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        message = f"cannot write {path}: {error.strerror}"
        raise UsageError(message) from error


def default_fixtures(given: Sequence[str]) -> tuple[str, ...]:
    """Return the fixtures named, or the nearest skill's own.

    Raises:
        UsageError: none is named and none is found.

    """
    if given:
        return tuple(given)
    folder = os.getcwd()
    while True:
        candidate = os.path.join(folder, "fixtures", "agentic_eval.json")
        if os.path.isfile(candidate):
            return (os.path.relpath(candidate),)
        parent = os.path.dirname(folder)
        if os.path.isfile(os.path.join(folder, "SKILL.md")) or parent == folder:
            break
        folder = parent
    message = "no fixture is named, and there is no fixtures/agentic_eval.json here or above"
    raise UsageError(message, hint="Name one: agentic-evals run path/to/agentic_eval.json")
