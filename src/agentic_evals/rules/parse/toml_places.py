"""Where the values of a TOML document stand; the text is one that the parser has accepted."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from agentic_evals.rules.parse.document import Place

_BLANK: Final = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_SPACE: Final = re.compile(r"[ \t]*")
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_LITERAL: Final = re.compile(r"'''[\s\S]*?'''{1,3}|'[^'\n]*'")
_BASIC: Final = re.compile(r'"""(?:[^"\\]++|\\[\s\S]|"(?!""))*+"""{1,3}|"(?:[^"\\\n]++|\\.)*+"')
_SCALAR: Final = re.compile(r"[^,\]}#\n]+")


def scan(text: str) -> Place:
    """Return the places of every table, key and list item of a TOML document that the parser accepts."""
    return _Scanner(text).document()


class _Scanner:
    """Walks the text once; it stops where it does not know its way, and what it has seen stands."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self._arrays: set[int] = set()
        self._root = Place(1, 1)

    def document(self) -> Place:
        table = self._root
        while self._skip(_BLANK) < len(self._text):
            before = self._at
            if self._text.startswith("[", self._at):
                table = self._header()
            else:
                self._pair(table)
            if self._at == before:
                break
        return self._root

    def _skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return self._at

    def _here(self) -> Place:
        row = bisect_right(self._lines, self._at)
        return Place(row, self._at - self._lines[row - 1] + 1)

    def _header(self) -> Place:
        start = self._here()
        many = self._text.startswith("[[", self._at)
        self._at += 2 if many else 1
        path = self._key()
        self._at = min(len(self._text), self._at + (2 if many else 1))
        table = self._root
        for number, (name, _) in enumerate(path, 1):
            last = number == len(path)
            inner = table.inner.setdefault(name, Place(start.line, start.column))
            if last and many:
                self._arrays.add(id(inner))
                item = inner.inner[str(len(inner.inner))] = Place(start.line, start.column)
                return item
            is_list = id(inner) in self._arrays and inner.inner
            table = inner.inner[str(len(inner.inner) - 1)] if is_list else inner
        return table

    def _key(self) -> list[tuple[str, Place]]:
        """Read a dotted key: each part with its place."""
        parts: list[tuple[str, Place]] = []
        while True:
            self._skip(_SPACE)
            place, start = self._here(), self._at
            quote = self._text[start : start + 1]
            self._skip(_BASIC if quote == '"' else _LITERAL if quote == "'" else _BARE_KEY)
            if self._at == start:
                return parts
            parts.append((_name(self._text[start : self._at]), place))
            self._skip(_SPACE)
            if not self._text.startswith(".", self._at):
                return parts
            self._at += 1

    def _pair(self, table: Place) -> None:
        path = self._key()
        if not self._text.startswith("=", self._at):
            return
        self._at += 1
        for name, place in path:
            table = table.inner.setdefault(name, place)
        self._skip(_SPACE)
        self._value(table)

    def _value(self, place: Place) -> None:
        match self._text[self._at : self._at + 1]:
            case '"':
                self._skip(_BASIC)
            case "'":
                self._skip(_LITERAL)
            case "[":
                self._items(place)
            case "{":
                self._members(place)
            case _:
                self._skip(_SCALAR)

    def _items(self, place: Place) -> None:
        self._at += 1
        while self._skip(_BLANK) < len(self._text) and self._text[self._at] != "]":
            before = self._at
            item = place.inner[str(len(place.inner))] = self._here()
            self._value(item)
            self._skip(_BLANK)
            self._at += self._text.startswith(",", self._at)
            if self._at == before:
                return
        self._at += 1

    def _members(self, place: Place) -> None:
        self._at += 1
        while self._skip(_BLANK) < len(self._text) and self._text[self._at] != "}":
            before = self._at
            self._pair(place)
            self._skip(_BLANK)
            self._at += self._text.startswith(",", self._at)
            if self._at == before:
                return
        self._at += 1


def _name(written: str) -> str:
    if written.startswith("'"):
        return written[1:-1]
    if not written.startswith('"'):
        return written
    if "\\" not in written:
        return written[1:-1]
    import tomllib

    try:
        return str(tomllib.loads(f"k={written}")["k"])
    except tomllib.TOMLDecodeError:
        return written[1:-1]
