"""Linear-time regular expressions: RE2 syntax, no backtracking, no bombs."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from pydantic import Field

from agentic_evals.model.verdict import Decision
from agentic_evals.rules.expectations._streams import encoded, quoted, windows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentic_evals.model.trial import Blob

Regexes: TypeAlias = Annotated[list[str], Field(min_length=1)]

_LONGEST: Final = 10_000


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> Any:  # noqa: ANN401 - the library has no types
    """Compile a pattern; `^` and `$` match at lines with `(?m)`, as RE2 writes it.

    Raises:
        ValueError: RE2 does not accept the pattern; the message says why.

    """
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0]
        raise ValueError(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)) from error


def problem(pattern: str) -> str | None:
    """Return why a pattern cannot be used, or `None`."""
    if not pattern:
        return "an empty regex matches everything"
    if len(pattern) > _LONGEST:
        return f"a regex has at most {_LONGEST:,} characters"
    try:
        compiled(pattern)
    except ValueError as error:
        return f"not a regex of RE2 syntax (linear time; no backreferences, no look-around): {error}"
    return None


def problems(patterns: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return what is wrong with each of a list of patterns, by pointer below the list."""
    found = ((f"/{index}", problem(pattern)) for index, pattern in enumerate(patterns))
    return tuple((pointer, wrong) for pointer, wrong in found if wrong is not None)


def searches(pattern: str, text: str) -> bool:
    """Return whether the pattern matches anywhere in the text."""
    return compiled(pattern).search(encoded(text)) is not None


def matching(blob: Blob, patterns: Sequence[str]) -> set[str]:
    r"""Return which patterns match somewhere in the stream, in one pass.

    The bytes themselves are searched: a byte that is not UTF-8 is no character, and only `\C` matches
    it. At the border of a window one byte is there for context alone, so that `^` and `$` do not take
    the border for the beginning or the end of the stream.
    """
    waiting = dict.fromkeys(patterns)
    for window in windows(blob):
        start, end = int(not window.first), len(window.data) - int(not window.last)
        for pattern in tuple(waiting):
            if compiled(pattern).search(window.data, start, end) is not None:
                del waiting[pattern]
        if not waiting:
            break
    return {pattern for pattern in patterns if pattern not in waiting}


def matches(blob: Blob, patterns: Sequence[str], stream: str) -> tuple[Decision, ...]:
    """Decide for each pattern that it matches somewhere in the stream."""
    held = matching(blob, patterns)
    return tuple(
        Decision(
            f"/{index}",
            holds=pattern in held,
            observation=f"{stream} {'matches' if pattern in held else 'does not match'} {quoted(pattern)}",
        )
        for index, pattern in enumerate(patterns)
    )


def matched(patterns: Sequence[str], text: str) -> tuple[str, ...]:
    """Return what each pattern first matches in a text: what a no-op would have to repeat of it."""
    data = encoded(text)
    found = (compiled(pattern).search(data) for pattern in patterns)
    return tuple(match.group().decode("utf-8", "replace") for match in found if match is not None)
