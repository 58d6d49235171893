"""Quote removal: what a literal piece of shell source stands for."""

import re
from collections.abc import Iterator
from typing import Final

_BARE: Final = re.compile(r"\\(\n|.)", re.DOTALL)
_DOUBLE: Final = re.compile(r'\\([$`"\\]|\n)')
_HEREDOC: Final = re.compile(r"\\([$`\\]|\n)")
_ANSI: Final = re.compile(
    r"\\(?:x(?P<hex>[0-9a-fA-F]{1,2})|u(?P<short>[0-9a-fA-F]{1,4})|U(?P<long>[0-9a-fA-F]{1,8})"
    r"|(?P<octal>[0-7]{1,3})|c(?P<control>.)|(?P<plain>.))",
    re.DOTALL,
)
_ANSI_LETTERS: Final = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip
_GLOB: Final = re.compile(r"(?<!\\)(?:\\\\)*[*?]|(?<!\\)(?:\\\\)*\[[^\]]+\]")
_BRACES: Final = re.compile(r"([^{}]*)\{([^{}\s]*,[^{}\s]*)\}([^{}]*)")
_LARGEST_CHARACTER: Final = 0x10FFFF


def _unescaped(match: re.Match[str]) -> str:
    return "" if match[1] == "\n" else match[1]


def bare(text: str) -> str:
    """Return what unquoted source stands for."""
    return _BARE.sub(_unescaped, text)


def double_quoted(text: str) -> str:
    """Return what source between double quotes stands for."""
    return _DOUBLE.sub(_unescaped, text)


def here_document(text: str) -> str:
    """Return what the source of a here-document with expansions stands for."""
    return _HEREDOC.sub(_unescaped, text)


def ansi_quoted(text: str) -> str:
    """Return what source between `$'` and `'` stands for."""
    return _ANSI.sub(_ansi_character, text)


def _ansi_character(match: re.Match[str]) -> str:
    digits = match["hex"] or match["short"] or match["long"]
    if digits:
        return _character(int(digits, 16))
    if match["octal"]:
        return _character(int(match["octal"], 8) & 0xFF)
    if match["control"]:
        return _character(ord(match["control"]) & 0x1F)
    return _ANSI_LETTERS.get(match["plain"], match["plain"] if match["plain"] in "\\'\"?" else match[0])


def _character(number: int) -> str:
    return chr(number) if 0 < number <= _LARGEST_CHARACTER else ""


def is_glob(text: str) -> bool:
    """Tell whether unquoted source is a pattern of file names."""
    return _GLOB.search(text) is not None


def brace_alternatives(text: str) -> Iterator[str]:
    """Yield the words that unquoted source with one or two lists in braces stands for; itself where it has none."""
    match = _BRACES.match(text)
    if match is None:
        yield text
        return
    rest = text[match.end() :]
    for choice in match[2].split(","):
        for tail in brace_alternatives(rest):
            yield f"{match[1]}{choice}{match[3]}{tail}"
