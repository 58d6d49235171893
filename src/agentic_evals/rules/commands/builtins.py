"""The builtins that change the state of a shell: its folder, its variables, and whether it goes on."""

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Final

from agentic_evals.rules.commands.folders import joined
from agentic_evals.rules.commands.options import Syntax, leading_options
from agentic_evals.rules.commands.scope import UNKNOWN, Ending, Scope, Value
from agentic_evals.rules.commands.values import Reach, Word

Words = tuple[Word, ...]

_COMPUTED: Final = Value(UNKNOWN.options, certain=False, computed=True)
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_NO_OPTIONS: Final = Syntax()
_READ_OPTIONS: Final = Syntax.of("-d -i -n -N -p -t -u -c -C -O -s -a")


def _operands(words: Words) -> Words:
    return words[1 + leading_options(words[1:], _NO_OPTIONS) :]


def _cd(words: Words, scope: Scope) -> None:
    operands = _operands(words)
    before = scope.cwd
    if operands and operands[0].raw == "-":
        scope.cwd = scope.folders[-1] if scope.folders else None
    else:
        text = operands[0].text if operands else None
        scope.cwd = None if not text else joined(scope.cwd, text)
    scope.folders = (*scope.folders[:-1], before)


def _pushd(words: Words, scope: Scope) -> None:
    operands = _operands(words)
    before = scope.cwd
    text = operands[0].text if operands else None
    scope.cwd = None if not text or text[0] in "+-" else joined(scope.cwd, text)
    scope.folders = (*scope.folders, before)


def _popd(words: Words, scope: Scope) -> None:
    plain = len(words) == 1 and scope.folders
    scope.cwd = scope.folders[-1] if plain else None
    scope.folders = scope.folders[:-1] if plain else ()


def _exit(words: Words, scope: Scope) -> None:
    text = words[1].text if len(words) > 1 else None
    if len(words) == 1:
        status = False if scope.after_failure else scope.status
    elif text is not None and text.isdecimal():
        status = int(text[-9:]) % 256 == 0
    else:
        status = False if scope.after_failure else None
    scope.end(Ending.GUARD if status is False else Ending.EXIT, status=status)


def _return(words: Words, scope: Scope) -> None:
    text = words[1].text if len(words) > 1 else None
    if not scope.calls and not scope.scripts:
        # Some shells leave here, others complain and go on.
        scope.doubts |= {Ending.RETURN}
        scope.reach = scope.reach.weakened_by(Reach.CONDITIONAL)
        return
    scope.end(Ending.RETURN, status=None if text is None or not text.isdecimal() else not text.strip("0"))


def _leave_loop(_words: Words, scope: Scope) -> None:
    if scope.loops:
        scope.end(Ending.LOOP)


def _shift(_words: Words, scope: Scope) -> None:
    scope.positional = None


def _set(words: Words, scope: Scope) -> None:
    place = 1
    while place < len(words):
        text = words[place].text or ""
        if text == "--" or text[:1] not in {"-", "+"} or text == "-":
            place += text in {"--", "-"}
            scope.positional = words[place:]
            return
        named = words[place + 1].text if "o" in text and place + 1 < len(words) else None
        place += 1 if named is None else 2
        if "e" in text[1:] or named == "errexit":
            scope.stops_at_failure = text[0] == "-"
        if text[0] == "-" and ("n" in text[1:] or named == "noexec"):
            scope.end(Ending.EXIT)


def _read(words: Words, scope: Scope) -> None:
    for word in words[1 + leading_options(words[1:], _READ_OPTIONS) :]:
        scope.assign(word.text or "", _COMPUTED)
    for option, following in pairwise(words[1:]):
        if (option.text or "").startswith("-") and (option.text or "").endswith("a"):
            scope.assign(following.text or "", _COMPUTED)
    scope.assign("REPLY" if words[0].text == "read" else "MAPFILE", _COMPUTED)


def _printf(words: Words, scope: Scope) -> None:
    if len(words) > 2 and words[1].text == "-v":  # noqa: PLR2004 - printf -v NAME
        scope.assign(words[2].text or "", UNKNOWN)


def _getopts(words: Words, scope: Scope) -> None:
    for word in words[2:3]:
        scope.assign(word.text or "", UNKNOWN)
    scope.assign("OPTARG", UNKNOWN)


def _let(words: Words, scope: Scope) -> None:
    for word in words[1:]:
        for name in _NAME.findall(word.text or ""):
            scope.assign(name, UNKNOWN)


def _alias(words: Words, scope: Scope) -> None:
    scope.aliases |= {(word.text or "").partition("=")[0] for word in words[1:] if "=" in (word.text or "")}


def _unalias(words: Words, scope: Scope) -> None:
    names = {word.text for word in words[1:]}
    scope.aliases = set() if "-a" in names else scope.aliases - names


def _unset(words: Words, scope: Scope) -> None:
    texts = [word.text or "" for word in words[1:]]
    for name in texts:
        if "-f" not in texts:
            scope.assign(name, UNKNOWN)
        if "-v" not in texts:
            scope.functions.pop(name, None)


EFFECTS: Final[Mapping[str, Callable[[Words, Scope], None]]] = {
    "cd": _cd,
    "chdir": _cd,
    "pushd": _pushd,
    "popd": _popd,
    "exit": _exit,
    "logout": _exit,
    "return": _return,
    "break": _leave_loop,
    "continue": _leave_loop,
    "shift": _shift,
    "set": _set,
    "read": _read,
    "mapfile": _read,
    "readarray": _read,
    "printf": _printf,
    "getopts": _getopts,
    "let": _let,
    "alias": _alias,
    "unalias": _unalias,
    "unset": _unset,
}
"""What each builtin does to the shell that runs it."""
