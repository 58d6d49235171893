"""Whether a command exercises what its case says that it must."""

import shlex
from collections.abc import Sequence
from typing import Final

from agentic_evals.rules.commands.folders import joined
from agentic_evals.rules.commands.trivial import is_trivial
from agentic_evals.rules.commands.values import ParsedCommand, Reach, SimpleCommand, Word

_SURENESS: Final = (Reach.REACHED, Reach.CONDITIONAL, Reach.DEAD)


def must_exercise(entry: str, parsed: ParsedCommand) -> Reach | None:
    """Return how surely an entry is exercised; None where no command holds its words one after the other.

    Scripts that were looked into do not count, nor do the arguments of a program that proves nothing.
    """
    try:
        wanted = shlex.split(entry)
    except ValueError:
        return None
    reaches = {
        command.reach
        for command in parsed.commands
        if wanted and not command.scripts and not is_trivial(command) and _holds(command, wanted)
    }
    return next((reach for reach in _SURENESS if reach in reaches), None)


def _holds(command: SimpleCommand, wanted: Sequence[str]) -> bool:
    if not command.words[0].spelled or (command.words[0].text is not None and not command.words[0].names_a_program):
        return False
    return any(
        all(_matches(word, want, command.cwd, first=start + place == 0) for place, (word, want) in enumerate(pairs))
        for words in (command.words, command.written)
        for start in range(len(words) - len(wanted) + 1)
        for pairs in [list(zip(words[start : start + len(wanted)], wanted, strict=True))]
    )


def _matches(word: Word, want: str, cwd: str | None, *, first: bool) -> bool:
    if word.text == want:
        return True
    if not first and (("/" not in want and "." not in want) or any(map(str.isspace, word.raw))):
        return False
    wanted = _components(want)
    return any(
        wanted == _components(path)[-len(wanted) :]
        for option in word.options
        for path in (option, joined(cwd, option) or "")
        if wanted
    )


def _components(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in {"", ".", ".."}]
