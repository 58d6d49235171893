"""What a shell is asked to run: a text, a script, or its standard input."""

import enum
from dataclasses import dataclass

from agentic_evals.rules.commands.programs import DRAWING_SHELLS, SHELLS
from agentic_evals.rules.commands.values import Word


class ShellInput(enum.Enum):
    """Where a shell takes its commands from."""

    TEXT = "text"
    SCRIPT = "script"
    STDIN = "stdin"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class ShellCall:
    """The call of a shell."""

    kind: ShellInput
    source: Word | None = None
    """The text or the path of the script."""
    arguments: tuple[Word, ...] = ()
    """`$1` and what follows it."""
    executes: bool = True
    """False where it only checks the syntax."""
    draws: bool = True
    """Whether this shell has a `$RANDOM`."""


@dataclass(slots=True)
class _Options:
    command: bool = False
    stdin: bool = False
    executes: bool = True
    shows: bool = False
    place: int = 1


_LONG_VALUED = frozenset({"--rcfile", "--init-file", "--emulate"})
_SHOWING = frozenset({"--help", "--version"})


def shell_call(words: tuple[Word, ...]) -> ShellCall | None:
    """Read the words of a command as the call of a shell; None where its program is none."""
    if not words or not words[0].names_a_program:
        return None
    name = (words[0].text or "").rpartition("/")[2]
    if name not in SHELLS:
        return None
    options = _options(words)
    draws = name in DRAWING_SHELLS
    rest = words[options.place :]
    if options.shows:
        return ShellCall(ShellInput.NOTHING, draws=draws)
    if options.command:
        if not rest:
            return ShellCall(ShellInput.NOTHING, draws=draws)
        return ShellCall(ShellInput.TEXT, rest[0], rest[2:], options.executes, draws)
    if options.stdin or not rest or rest[0].text == "-":
        return ShellCall(ShellInput.STDIN, None, rest, options.executes, draws)
    return ShellCall(ShellInput.SCRIPT, rest[0], rest[1:], options.executes, draws)


def _options(words: tuple[Word, ...]) -> _Options:
    options = _Options()
    while options.place < len(words):
        text = words[options.place].text or ""
        if text in {"-", "--"}:
            options.place += 1 if text == "--" else 0
            break
        if text.startswith("--"):
            options.shows = options.shows or text in _SHOWING
            options.executes = options.executes and text not in {"--dump-strings", "--dump-po-strings"}
            options.place += 2 if text in _LONG_VALUED else 1
        elif len(text) > 1 and text[0] in "-+":
            _read_cluster(options, text, words)
        else:
            break
    return options


def _read_cluster(options: _Options, text: str, words: tuple[Word, ...]) -> None:
    options.place += 1
    for letter in text[1:]:
        if letter in "oO":
            named = words[options.place].text if options.place < len(words) else None
            options.executes = options.executes and not (named == "noexec" and text[0] == "-")
            options.place += 1
        elif text[0] == "-":
            options.command = options.command or letter == "c"
            options.stdin = options.stdin or letter == "s"
            options.executes = options.executes and letter not in "nD"
