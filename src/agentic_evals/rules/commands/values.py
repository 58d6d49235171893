"""The values that a parsed command consists of: words, redirections, simple commands, and how sure each is."""

import enum
from dataclasses import dataclass, field
from typing import Final

HOLE: Final = "\x00"
"""Stands for what cannot be known in the shape of a word; no argument of a process can contain this character."""

WORKSPACE: Final = "{workspace}"
"""The root of the workspace, as the commands that ask for it would print it."""

CASE_FOLDER: Final = "{cwd}"
"""The folder in which the case starts, as `pwd` would print it there."""

TEMPORARY: Final = "{temporary}"
"""A folder or file that the command itself makes outside the workspace."""


class Reach(enum.Enum):
    """Whether a command runs whenever its case runs."""

    REACHED = "reached"
    CONDITIONAL = "conditional"
    DEAD = "dead"

    def weakened_by(self, other: "Reach") -> "Reach":
        """Return the weaker of the two."""
        return max(self, other, key=_WEAKNESS.__getitem__)


_WEAKNESS: Final = {Reach.REACHED: 0, Reach.CONDITIONAL: 1, Reach.DEAD: 2}


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command, after quoting and what is certain of its expansions."""

    text: str | None
    """The value, or None where it holds an expansion that cannot be known."""
    raw: str
    """The word as it is written."""
    sampled: bool = False
    """Whether a really evaluated `$RANDOM` or `$SRANDOM` is part of it."""
    spelled: str = ""
    """The letters that stand in the source itself, with a hole for each expansion, known or not."""
    options: tuple[str, ...] = ()
    """The values that it may have, each with a hole for what is unknown."""
    pattern: bool = False
    """Whether it is a glob, which the file tree decides."""
    computed: bool = False
    """Whether it carries the output of a program that does more than repeat its own text."""

    @classmethod
    def literal(cls, text: str) -> "Word":
        """Make the word of an argv element, which no shell looks at."""
        return cls(text=text, raw=text, spelled=text, options=(text,))

    @property
    def names_a_program(self) -> bool:
        """Whether the last component of its path is spelled in the source, not filled in by an expansion."""
        return self.text is not None and HOLE not in self.spelled.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirection, with the text of a here-document or here-string where there is one."""

    operator: str
    fd: int | None
    target: Word
    body: str | None = None

    @property
    def writes(self) -> bool:
        """Whether it opens its target for writing."""
        return self.operator in {">", ">>", ">|", "&>", "&>>", "<>"} or (
            self.operator == ">&" and not (self.target.raw.rstrip("-").isdigit() or self.target.raw == "-")
        )

    @property
    def reads_file(self) -> bool:
        """Whether it opens its target for reading."""
        return self.operator in {"<", "<>"}


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One program with its arguments, as the shell would start it."""

    words: tuple[Word, ...]
    """The program and its arguments, without the wrappers that only start it."""
    reach: Reach = Reach.REACHED
    cwd: str | None = "."
    """The folder it runs in, relative to that of the case; None when unknown."""
    redirects: tuple[Redirect, ...] = ()
    inherited: tuple[Redirect, ...] = ()
    """The redirections of the groups around it, the innermost first."""
    assignments: tuple[tuple[str, Word], ...] = ()
    projects: tuple[str, ...] = ()
    """The project folders that its wrappers name, resolved like the folder it runs in."""
    written: tuple[Word, ...] = ()
    """The words as they are written, wrappers included."""
    piped: bool = False
    """Whether its standard input is the output of another command."""
    piped_from: tuple[int, ...] = ()
    """The positions, in the parsed command, of the commands whose output it reads."""
    pipeline_position: int = 0
    stdin_text: str | None = None
    """The literal text on its standard input, where that is certain."""
    captured: bool = False
    """Whether its output becomes part of a word of another command."""
    scripts: tuple[str, ...] = ()
    """The scripts that were read to find it, the outermost first."""

    @property
    def program(self) -> str | None:
        """The program without its folder; None when it cannot be known."""
        text = self.program_path
        return None if text is None else text.rpartition("/")[2] or text

    @property
    def program_path(self) -> str | None:
        """The program as it is given; empty where there are only redirections."""
        return self.words[0].text if self.words else ""

    @property
    def arguments(self) -> tuple[Word, ...]:
        """What follows the program."""
        return self.words[1:]


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """Everything that a case's command is known to invoke."""

    commands: tuple[SimpleCommand, ...]
    problems: tuple[str, ...] = ()
    """What could not be parsed, in sentences; nothing from there is evidence."""
    shell_text: str | None = None
    """The outermost text that was given to a shell."""
    literal_words: tuple[str, ...] = field(default=())
    """Every literal piece of the command's own text."""

    def at_least(self, reach: Reach) -> tuple[SimpleCommand, ...]:
        """Return the commands that are reached as surely as this."""
        return tuple(command for command in self.commands if command.reach.weakened_by(reach) is reach)
