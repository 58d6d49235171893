"""What has been found so far in a command, and how much more may be looked at."""

from typing import Final

from agentic_evals.rules.commands.values import SimpleCommand

_MOST_STATEMENTS: Final = 10_000
_MOST_TEXT: Final = 500_000
_MOST_PROBLEMS: Final = 20
_DEEPEST: Final = 36


class Unreadable(Exception):
    """A shell text that the grammar accepts is not understood; nothing of it is evidence."""


class TooMuch(Exception):
    """The text holds, or its functions unfold to, more statements than are looked at."""


class Found:
    """Collects simple commands and problems."""

    def __init__(self) -> None:
        self.commands: list[SimpleCommand] = []
        self.problems: list[str] = []
        self._statements = 0
        self._text: int | None = None
        self._depth = 0

    def add(self, command: SimpleCommand) -> None:
        """Keep a command."""
        self.commands.append(command)

    def problem(self, text: str) -> None:
        """Keep a problem, once."""
        if text not in self.problems and len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(text)

    def read(self, text: str) -> None:
        """Count a shell text that is about to be parsed; the outermost has a limit of its own."""
        self._text = 0 if self._text is None else self._text + len(text)
        if self._text > _MOST_TEXT:
            raise TooMuch

    def enter(self) -> None:
        """Count one statement more, one level deeper."""
        self._statements += 1
        self._depth += 1
        if self._statements > _MOST_STATEMENTS:
            raise TooMuch
        if self._depth > _DEEPEST:
            self._depth -= 1
            raise Unreadable("shell text nests too deeply")

    def leave(self) -> None:
        """Come back from the level."""
        self._depth -= 1

    def forget_from(self, place: int, problem: str) -> None:
        """Drop the commands from a place on: what could not be read whole is no evidence."""
        del self.commands[place:]
        self.problem(problem)
