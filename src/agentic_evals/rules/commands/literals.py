"""The literal words of a command: what a program that only repeats its own text could print."""

import shlex
from collections.abc import Iterable, Iterator, Sequence

from agentic_evals.rules.commands.outcomes import output_of
from agentic_evals.rules.commands.values import SimpleCommand

_LONGEST_SPLIT = 200_000


def literal_pieces(
    argv: Sequence[str], stdin: str | None, shell_text: str | None, commands: Iterable[SimpleCommand]
) -> tuple[str, ...]:
    """Return every piece of a command's own text.

    The elements of argv and the standard input come first and as they are, so that a text that occurs in one of them,
    in its shell text or in a here-document is found in one piece; then the words without their quotes, and what `echo`
    and its like make of them.
    """
    return tuple(dict.fromkeys(piece for piece in _pieces(argv, stdin, shell_text, commands) if piece))


def _pieces(
    argv: Sequence[str], stdin: str | None, shell_text: str | None, commands: Iterable[SimpleCommand]
) -> Iterator[str]:
    yield from argv
    yield stdin or ""
    yield " ".join(argv)
    for source in (shell_text, stdin):
        yield from _words(source or "")
    for command in commands:
        if command.scripts:
            continue
        texts = [word.text for word in (*command.written, *command.words) if word.text is not None]
        yield from texts
        yield from (redirect.body or "" for redirect in command.redirects)
        yield output_of(command) or ""


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text without their quotes, line by line."""
    for line in text[:_LONGEST_SPLIT].splitlines():
        try:
            yield from shlex.split(line, comments=False)
        except ValueError:
            yield from line.split()
