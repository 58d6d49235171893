"""The entry: an argv, with its standard input, to the simple commands that it really invokes."""

from collections.abc import Sequence

from agentic_evals.rules.commands.found import Found, TooMuch, Unreadable
from agentic_evals.rules.commands.literals import literal_pieces
from agentic_evals.rules.commands.scope import Scope, Stdin
from agentic_evals.rules.commands.shells import ShellInput, shell_call
from agentic_evals.rules.commands.simple import ReadScript
from agentic_evals.rules.commands.values import ParsedCommand, Word
from agentic_evals.rules.commands.walk import Walker
from agentic_evals.rules.commands.wrappers import unwrap


def parse_command(
    argv: Sequence[str], stdin: str | None = None, *, read_script: ReadScript | None = None
) -> ParsedCommand:
    """Return what a case's command invokes.

    Args:
        argv: The command, which no shell looks at unless it starts one.
        stdin: The text on its standard input.
        read_script: Returns the text of a shell script, given its path relative to the case's folder or beginning
            with `{workspace}` or `/`, and None for whatever is no shell script. Without it scripts are not looked into.
    """
    found = Found()
    words = tuple(map(Word.literal, argv))
    if not words or any("\x00" in text for text in argv):
        found.problem("the command is empty" if not words else "the command contains a NUL character")
    else:
        _walk(words, Scope(stdin=Stdin(text=stdin), positional=()), Walker(found, read_script), found)
    text = _shell_text(words, stdin) if words else None
    literal = literal_pieces(argv, stdin, text, found.commands)
    return ParsedCommand(tuple(found.commands), tuple(found.problems), text, literal)


def literal_words(argv: Sequence[str], stdin: str | None = None) -> tuple[str, ...]:
    """Return every literal piece of a command's own text: what a program that only repeats it could print."""
    return parse_command(argv, stdin).literal_words


def _walk(words: tuple[Word, ...], scope: Scope, walker: Walker, found: Found) -> None:
    try:
        walker.starter.start(words, scope)
        walker.finish()
    except RecursionError:
        found.forget_from(0, "the command nests too deeply")
    except Unreadable as problem:
        found.forget_from(0, str(problem))
    except TooMuch:
        found.forget_from(0, "the command unfolds to too many statements")


def _shell_text(words: tuple[Word, ...], stdin: str | None) -> str | None:
    call = shell_call(unwrap(words).words)
    if call is None:
        return None
    if call.kind is ShellInput.TEXT and call.source is not None:
        return call.source.text
    return stdin if call.kind is ShellInput.STDIN else None
