"""Interpreters and what they are given: a program in an argument, a module, a script, or the standard input."""

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agentic_evals.rules.commands import python_source
from agentic_evals.rules.commands.options import Syntax, is_option
from agentic_evals.rules.commands.programs import interpreter_family
from agentic_evals.rules.commands.values import SimpleCommand, Word


class Source(enum.Enum):
    """Where an interpreter takes its program from."""

    INLINE = "inline"
    MODULE = "module"
    SCRIPT = "script"
    STDIN = "stdin"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Interpreted:
    """The call of an interpreter."""

    family: str
    source: Source
    program: Word | None
    """The inline text, the module or the script."""
    arguments: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class _Language:
    inline: frozenset[str]
    syntax: Syntax
    module: frozenset[str] = frozenset()
    subcommands: frozenset[str] = frozenset()


def _language(inline: str, valued: str = "", module: str = "", subcommands: str = "") -> _Language:
    return _Language(
        frozenset(inline.split()), Syntax.of(valued), frozenset(module.split()), frozenset(subcommands.split())
    )


_LANGUAGES: Final[Mapping[str, _Language]] = {
    "python": _language("-c", "-W -X --check-hash-based-pycs", "-m"),
    "node": _language(
        "-e --eval -p --print -pe",
        "-r --require --import --loader --experimental-loader --env-file -C --conditions --cwd --config -c --cert"
        " --tsconfig",
        subcommands="run eval",
    ),
    "perl": _language("-e -E", "-I"),
    "ruby": _language("-e", "-I -r -C -E"),
    "php": _language("-r", "-c -d -z"),
    "r": _language("-e", ""),
    "awk": _language("", "-v -F --assign --field-separator -i -l"),
    "other": _language("-e -c", ""),
}
_ACTING: Final[Mapping[str, re.Pattern[str]]] = {
    "node": re.compile(
        r"\b(?:require|import|fetch|process\.binding|Deno\.|Bun\.|XMLHttpRequest|WebSocket|eval)\b|Deno\.|Bun\."
    ),
    "perl": re.compile(
        r"\b(?:require|use(?!\s+(?:strict|warnings|utf8|v?5))|do\s*['\"]|system|exec|open|opendir|qx|glob|eval|stat)\b|`|<[A-Z$*]"
    ),
    "ruby": re.compile(
        r"\b(?:require\w*|load|system|exec|spawn|open|popen|File|Dir|IO|Kernel|eval)\b|`|%x|ARGF|STDIN|\$<"
    ),
    "php": re.compile(r"\b(?:require\w*|include\w*|exec|system|passthru|\w*open|file\w*|curl_\w+|eval)\b|`"),
    "r": re.compile(r"\b(?:library|require|source|system2?|read\w*|file|url|load)\b|::"),
    "awk": re.compile(r"\bgetline\b|\bsystem\b|\|"),
    "other": re.compile(
        r"\b(?:require|import|use|using|load\w*|dofile|io|os|exec|system|open|source|read\w*)\b|`|\$\("
    ),
}


def interpreted(command: SimpleCommand) -> Interpreted | None:  # noqa: C901 - one ladder over an interpreter's words
    """Read a command as the call of an interpreter; None where its program is none."""
    family = interpreter_family(command.program) if command.words else None
    if family is None:
        return None
    language, words = _LANGUAGES[family], command.arguments
    place = 0
    if words and words[0].text in language.subcommands:
        if words[0].text == "eval":
            return _given(family, Source.INLINE, words, 1)
        place = 1
    while place < len(words) and is_option(words[place]):
        text = words[place].text or ""
        name, equals, value = text.partition("=")
        if text in language.inline:
            return _given(family, Source.INLINE, words, place + 1)
        if name in language.inline and equals:
            return Interpreted(family, Source.INLINE, Word.literal(value), words[place + 1 :])
        cluster = _clustered(text, language)
        if cluster is not None:
            return cluster.at(family, words, place)
        place += 1 if text == "--" else language.syntax.width(text)
        if text == "--":
            break
    if family == "awk":
        return _awk(words, place)
    if place >= len(words) or words[place].text == "-":
        return Interpreted(family, Source.STDIN, None, words[place + 1 :])
    return _given(family, Source.SCRIPT, words, place)


@dataclass(frozen=True, slots=True)
class _Cluster:
    """Short options in one word that end in the one that takes the program, with or without it attached."""

    source: Source
    attached: str

    def at(self, family: str, words: tuple[Word, ...], place: int) -> Interpreted:
        if self.attached:
            return Interpreted(family, self.source, Word.literal(self.attached), words[place + 1 :])
        return _given(family, self.source, words, place + 1)


def _clustered(text: str, language: _Language) -> _Cluster | None:
    if text.startswith("--"):
        return None
    for place, letter in enumerate(text[1:], start=1):
        option = f"-{letter}"
        if option in language.module:
            return _Cluster(Source.MODULE, text[place + 1 :])
        if option in language.inline:
            return _Cluster(Source.INLINE, text[place + 1 :])
        if option in language.syntax.valued or not letter.isalpha():
            return None
    return None


def _awk(words: tuple[Word, ...], place: int) -> Interpreted:
    for earlier, word in enumerate(words):
        if word.text in {"-f", "--file"}:
            return _given("awk", Source.SCRIPT, words, earlier + 1)
    return _given("awk", Source.INLINE, words, place)


def _given(family: str, source: Source, words: tuple[Word, ...], place: int) -> Interpreted:
    if place >= len(words):
        return Interpreted(family, Source.NOTHING, None, ())
    return Interpreted(family, source, words[place], words[place + 1 :])


def program_text(command: SimpleCommand, call: Interpreted) -> str | None:
    """Return the literal text that an interpreter is given in an argument or on its standard input."""
    if call.source is Source.INLINE and call.program is not None:
        return call.program.text
    return command.stdin_text if call.source is Source.STDIN else None


def is_constant(command: SimpleCommand) -> bool:
    """Tell whether a command is an interpreter given a program that touches nothing outside itself."""
    call = interpreted(command)
    if call is None:
        return False
    if call.source is Source.NOTHING or _reads_nothing(command, call):
        return True
    text = program_text(command, call)
    if text is None:
        return False
    if call.family == "python":
        return not python_source.acts(text)
    return _ACTING[call.family].search(text) is None


def _reads_nothing(command: SimpleCommand, call: Interpreted) -> bool:
    fed = command.piped or command.stdin_text or any(redirect.fd in {None, 0} for redirect in command.redirects)
    return call.source is Source.STDIN and not fed
