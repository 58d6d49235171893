"""What a command is known to print and whether it is known to succeed, without running it."""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from agentic_evals.rules.commands.expand import folder_value
from agentic_evals.rules.commands.folders import joined
from agentic_evals.rules.commands.programs import TRIVIAL
from agentic_evals.rules.commands.quoting import ansi_quoted
from agentic_evals.rules.commands.scope import UNKNOWN, Value, known
from agentic_evals.rules.commands.values import TEMPORARY, WORKSPACE, SimpleCommand, Word

_SUCCEEDING: Final = frozenset(
    {":", "true", "echo", "printf", "export", "declare", "local", "readonly", "set", "shopt"}
)
_CONVERSION: Final = re.compile(r"%(?:%|[sdb])")
_NUMBERS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "-eq": int.__eq__,
    "-ne": int.__ne__,
    "-lt": int.__lt__,
    "-le": int.__le__,
    "-gt": int.__gt__,
    "-ge": int.__ge__,
}
_COMPARED: Final = 3


def status_of(words: Sequence[Word]) -> bool | None:
    """Return whether a program surely succeeds (True) or surely fails (False)."""
    name = words[0].text
    if name in _SUCCEEDING:
        return True
    if name == "false":
        return False
    texts = [word.text for word in words[1:]]
    if name == "[" and texts and texts[-1] == "]":
        texts.pop()
    if name in {"test", "["} and None not in texts:
        return constant_test([text for text in texts if text is not None])
    return None


def status_of_test(raw: str) -> bool | None:
    """Return whether `[ … ]` or `[[ … ]]`, as it is written, surely holds or surely does not."""
    inner = raw.strip("[] \t\n")
    if set(inner) & set("$`*?\\<>~(&|"):
        return None
    try:
        return constant_test(shlex.split(inner))
    except ValueError:
        return None


def constant_test(words: Sequence[str]) -> bool | None:
    """Return what a test of literal words yields; None where it looks at files or cannot be told."""
    if not words:
        return False
    if words[0] == "!":
        inner = constant_test(words[1:])
        return None if inner is None else not inner
    if len(words) == 1:
        return words[0] != ""
    if len(words) == 2 and words[0] in {"-z", "-n"}:  # noqa: PLR2004 - sign and text
        return (words[1] == "") == (words[0] == "-z")
    return _compared(*words) if len(words) == _COMPARED else None


def _compared(left: str, operator: str, right: str) -> bool | None:
    if operator in {"=", "==", "!="}:
        return (left == right) == (operator != "!=")
    if operator in _NUMBERS and left.isdecimal() and right.isdecimal():
        return _NUMBERS[operator](int(left[-18:]), int(right[-18:]))
    return None


def output_of(command: SimpleCommand) -> str | None:
    """Return the text that a command surely prints; None when that is unknown."""
    texts = [word.text for word in command.arguments]
    if any(redirect.writes and redirect.fd in {None, 1} for redirect in command.redirects):
        return None
    if command.program == "cat" and all(text == "-" for text in texts):
        return command.stdin_text
    literal = [text for text in texts if text is not None]
    if len(literal) < len(texts):
        return None
    if command.program == "echo":
        return _echoed(literal)
    if command.program == "printf":
        return _formatted(literal)
    return None


def _echoed(texts: list[str]) -> str:
    flags = ""
    while texts and re.fullmatch(r"-[neE]+", texts[0]):
        flags += texts.pop(0)
    text = " ".join(texts)
    return (ansi_quoted(text) if "e" in flags else text) + ("" if "n" in flags else "\n")


def _formatted(texts: list[str]) -> str | None:
    if texts and texts[0] == "--":
        texts.pop(0)
    if not texts or texts[0].startswith("-v"):
        return None
    template, arguments = ansi_quoted(texts[0]), texts[1:]
    count = len([found for found in _CONVERSION.findall(template) if found != "%%"])
    if template.count("%") != sum(len(found) // 1 if found == "%%" else 1 for found in _CONVERSION.findall(template)):
        return None
    pieces: list[str] = []
    while True:
        supply = iter(arguments[:count])
        pieces.append(_CONVERSION.sub(lambda found: "%" if found[0] == "%%" else next(supply, ""), template))  # noqa: B023 - used at once
        arguments = arguments[count:]
        if not count or not arguments:
            return "".join(pieces)


def value_of(commands: Sequence[SimpleCommand]) -> Value:
    """Return what a command substitution with these commands is replaced by."""
    computed = any(command.program not in TRIVIAL for command in commands)
    sampled = any(word.sampled for command in commands for word in command.words)
    speaking = [command for command in commands if command.program not in {"cd", "set", ":", "true"}]
    value = _printed(speaking[0]) if len(speaking) == 1 else UNKNOWN
    if value.text is not None:
        return known(value.text, sampled=sampled)
    return Value(value.options, certain=False, sampled=sampled, computed=computed)


def _printed(command: SimpleCommand) -> Value:
    texts = [word.text for word in command.arguments]
    if command.program == "pwd":
        return folder_value(command.cwd)
    if command.program == "git" and "--show-toplevel" in texts and "rev-parse" in texts:
        return known(WORKSPACE)
    if command.program == "mktemp":
        return known(TEMPORARY) if not {"-p", "-t"} & set(texts) else UNKNOWN
    if command.program in {"dirname", "basename", "realpath", "readlink"}:
        return _path(command.program, texts[-1] if texts else None, command.cwd)
    text = output_of(command)
    return UNKNOWN if text is None else known(text.rstrip("\n"))


def _path(program: str, path: str | None, cwd: str | None) -> Value:
    if path is None:
        return UNKNOWN
    if program == "dirname":
        return known(str(PurePosixPath(path).parent))
    if program == "basename":
        return known(PurePosixPath(path).name)
    place = joined(cwd, path)
    return folder_value(place)
