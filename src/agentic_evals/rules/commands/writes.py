"""Files that a command itself shows to be written by a program that proves nothing: an `echo`, a `cp`, a `touch`."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from agentic_evals.rules.commands import python_source
from agentic_evals.rules.commands.facts import Facts
from agentic_evals.rules.commands.inline import interpreted, program_text
from agentic_evals.rules.commands.options import Syntax, is_option, option_value
from agentic_evals.rules.commands.trivial import is_trivial
from agentic_evals.rules.commands.values import ParsedCommand, Reach, Redirect, SimpleCommand, Word

_OUTPUTS: Final = frozenset({None, 1})
_TARGET: Final = frozenset({"-t", "--target-directory"})
_VALUED: Final = Syntax.of("-t --target-directory -m --mode -o --owner -g --group -S --suffix -d --date -r --reference")
_NODE_WRITE: Final = re.compile(
    r"""(?:(?:write|append)File(?:Sync)?\(\s*|copyFile(?:Sync)?\([^,()]*,\s*)(['"])(?P<path>[^'"]+)\1"""
)
_NODE_STARTS: Final = re.compile(r"child_process|require\(\s*['\"]\.|import\(|fetch\(|https?\b")


@dataclass(frozen=True, slots=True)
class _Write:
    """One file, as one command writes it."""

    place: int
    path: str
    command: SimpleCommand
    appends: bool = False


def writes_by_trivial_program(
    parsed: ParsedCommand, asserted_paths: Collection[str], facts: Facts
) -> tuple[tuple[str, str], ...]:
    """Return each asserted path that a trivial program or a copy is seen to write, with the program.

    A path is left alone where what is written comes from a program that is not trivial: through a pipe, a command
    substitution, or a file that such a program was seen to write.

    Args:
        parsed: The command.
        asserted_paths: Paths that the case asserts as output, relative to its folder.
        facts: The tree around it.
    """
    asserted = {place: path for path in asserted_paths if (place := facts.resolve(path)) is not None}
    writes = _Writes(parsed, facts)
    found = [
        (asserted[write.path], write.command.program or ">") for write in writes.trivial() if write.path in asserted
    ]
    return tuple(dict.fromkeys(found))


class _Writes:
    """The writes of a command, told apart by what they carry."""

    def __init__(self, parsed: ParsedCommand, facts: Facts) -> None:
        self._commands = parsed.commands
        self._facts = facts
        self._honest: list[_Write] = []
        for write in self._honest_writes():
            self._honest.append(write)

    def trivial(self) -> Iterator[_Write]:
        """Yield the writes that carry nothing of a program that proves something."""
        for place, command in enumerate(self._commands):
            if command.reach is Reach.DEAD:
                continue
            for write in self._written(place, command):
                if not self._carries(command) and not self._is_completed(write):
                    yield write

    def _written(self, place: int, command: SimpleCommand) -> Iterator[_Write]:
        if is_trivial(command):
            for redirect in self._outputs(command):
                yield from self._at(place, command, redirect.target, appends=redirect.operator in {">>", "&>>"})
        writer = _WRITERS.get(command.program or "")
        if writer is not None:
            for target in writer(command.arguments):
                yield from self._at(place, command, target, appends=_appends(command))
        for path in _inline_writes(command):
            yield from self._at(place, command, Word.literal(path))

    def _at(self, place: int, command: SimpleCommand, target: Word, *, appends: bool = False) -> Iterator[_Write]:
        for option in target.options:
            path = self._facts.resolve(option, command.cwd)
            if path is not None:
                yield _Write(place, path, command, appends)

    def _outputs(self, command: SimpleCommand) -> Iterator[Redirect]:
        """Yield the redirections of the standard output, the group's where the command has none of its own."""
        own = [redirect for redirect in command.redirects if _is_output(redirect)]
        if own or command.captured:
            yield from own
            return
        inherited = next((redirect for redirect in command.inherited if _is_output(redirect)), None)
        if inherited is not None and not self._shared_with_another(inherited):
            yield inherited

    def _shared_with_another(self, redirect: Redirect) -> bool:
        """Tell whether a program that is not trivial writes to the same redirection of a group."""
        return any(
            redirect in command.inherited and not is_trivial(command) and not command.captured
            for command in self._commands
            if command.reach is not Reach.DEAD
        )

    def _honest_writes(self) -> Iterator[_Write]:
        for place, command in enumerate(self._commands):
            if command.reach is Reach.DEAD:
                continue
            if not is_trivial(command):
                for redirect in (*command.redirects, *command.inherited):
                    if redirect.writes:
                        yield from self._at(place, command, redirect.target)
            elif self._is_fed(command):
                targets = [redirect.target for redirect in command.redirects if _is_output(redirect)]
                for target in [*targets, *(_operands(command.arguments) if command.program == "tee" else [])]:
                    yield from self._at(place, command, target)

    def _carries(self, command: SimpleCommand) -> bool:
        """Tell whether a command passes on what a program that is not trivial made."""
        words = [*command.words, *(redirect.target for redirect in command.redirects)]
        if any(word.computed for word in words) or self._is_fed(command):
            return True
        honest = {write.path for write in self._honest}
        sources = [redirect.target for redirect in command.redirects if redirect.reads_file]
        return any(
            self._facts.resolve(option, command.cwd) in honest
            for word in (*command.arguments, *sources)
            for option in word.options
            if not _names_target(command, word)
        )

    def _is_fed(self, command: SimpleCommand) -> bool:
        if not command.piped:
            return False
        if not command.piped_from:
            return True
        sources = [self._commands[place] for place in command.piped_from]
        return any(not is_trivial(source) or self._carries(source) for source in sources) and _reads(command)

    def _is_completed(self, write: _Write) -> bool:
        """Tell whether a program that is not trivial writes the rest of the same file."""
        return any(
            honest.path == write.path and (honest.place > write.place or write.appends) for honest in self._honest
        )


def _is_output(redirect: Redirect) -> bool:
    return redirect.writes and (redirect.fd in _OUTPUTS or redirect.operator in {"&>", "&>>"})


def _reads(command: SimpleCommand) -> bool:
    """Tell whether a trivial program reads its standard input."""
    return command.program not in {
        "echo",
        "printf",
        "true",
        ":",
        "touch",
        "date",
        "seq",
        "yes",
        "cp",
        "mv",
        "ln",
        "pwd",
        "ls",
    }


def _appends(command: SimpleCommand) -> bool:
    return command.program == "tee" and any(word.text in {"-a", "--append"} for word in command.arguments)


def _names_target(command: SimpleCommand, word: Word) -> bool:
    writer = _WRITERS.get(command.program or "")
    return writer is not None and any(word is target for target in writer(command.arguments))


def _operands(words: tuple[Word, ...]) -> list[Word]:
    found: list[Word] = []
    place = 0
    while place < len(words):
        if is_option(words[place]):
            place += _VALUED.width(words[place].text or "")
            continue
        found.append(words[place])
        place += 1
    return found


def _copied(words: tuple[Word, ...]) -> list[Word]:
    """Return where a copy goes: its last operand, and the names of the others inside it should it be a folder."""
    operands = _operands(words)
    folder = option_value(words, _TARGET)
    if folder is None and len(operands) > 1:
        folder = operands.pop()
        return [folder, *(_inside(folder, word) for word in operands)]
    return [] if folder is None else [_inside(folder, word) for word in operands]


def _inside(folder: Word, word: Word) -> Word:
    places = tuple(
        f"{place}/{option.rstrip('/').rpartition('/')[2]}" for place in folder.options for option in word.options
    )
    return Word(text=None, raw=word.raw, options=places)


def _dd(words: tuple[Word, ...]) -> list[Word]:
    return [Word.literal(word.text[3:]) for word in words if word.text is not None and word.text.startswith("of=")]


_WRITERS: Final[Mapping[str, Callable[[tuple[Word, ...]], list[Word]]]] = {
    "tee": _operands,
    "touch": _operands,
    "truncate": _operands,
    "cp": _copied,
    "mv": _copied,
    "ln": _copied,
    "install": _copied,
    "rsync": _copied,
    "link": _copied,
    "dd": _dd,
}


def _inline_writes(command: SimpleCommand) -> tuple[str, ...]:
    call = interpreted(command) if command.words else None
    text = program_text(command, call) if call is not None else None
    if call is None or text is None:
        return ()
    if call.family == "python":
        return () if python_source.starts(text) else python_source.written_paths(text)
    if call.family == "node" and _NODE_STARTS.search(text) is None:
        return tuple(match["path"] for match in _NODE_WRITE.finditer(text))
    return ()
