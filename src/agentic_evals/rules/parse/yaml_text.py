"""YAML 1.2 bytes to the values that JSON has, and to nothing else that YAML could mean."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from agentic_evals.model.finding import Finding, Location
from agentic_evals.rules.parse.document import (
    MAX_DEPTH,
    MOST_LISTED,
    Place,
    Text,
    inspect,
    integer,
    refused,
    too_deep,
    too_many_values,
    unreadable,
)
from agentic_evals.rules.parse.positions import Trail, pointer_of, tokens

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_BYTES: Final = 512 * 1024
MAX_VALUES: Final = 50_000
_SMALLER: Final = "Write a suite of this size as JSON, or split it."
_TAG_RUN: Final = re.compile(r"!{100}")

_NULL: Final = {"", "~", "null", "Null", "NULL"}
_BOOLEAN: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER: Final = re.compile(r"[-+]?[0-9]+", re.ASCII)
_BASED: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+", re.ASCII)
_REAL: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_NOT_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", re.ASCII)


def read_yaml(data: bytes, file: str) -> Text:
    """Read one YAML document as the core schema of YAML 1.2 has it: dates are strings, `yes` is a string.

    Refused beside bad syntax: what `read_json` refuses, tags, keys that are no strings, merge keys,
    several documents, another version of YAML, more than 512 KiB, and more than 50,000 values with
    every alias counted as a copy.
    """
    early = unreadable(data, file, MAX_BYTES, _SMALLER)
    if early is not None:
        return Text(data, None, (early,))
    made = _composed(data)
    findings = [finding.at(_in(file, finding.location)) for finding in made.findings]
    if not findings:
        findings = inspect(made.root, file, lambda pointer: made.place.find(tokens(pointer)), MAX_VALUES)
    return Text(data, made.root, tuple(findings))


def of_pointer(data: bytes, pointer: str) -> tuple[int, int]:
    """Return line and column, from 1, of the value at a JSON pointer; of its key, where it has one."""
    return _composed(data).place.find(tokens(pointer))


def _in(file: str, location: Location) -> Location:
    return Location(file, location.pointer, location.line, location.column)


@lru_cache(maxsize=2)
def _composed(data: bytes) -> _Composer:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    composer = _Composer()
    text = data.decode("utf-8-sig")
    if _TAG_RUN.search(text):  # nothing means anything by it, and the scanner's time grows with its square
        composer.refuse("yaml-feature", "a run of exclamation marks", None)
        return composer
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            if not composer.take(event):
                break
    except YAMLError as error:
        composer.broken(error, text)
    except (ValueError, IndexError, KeyError, AttributeError, TypeError, AssertionError, NotImplementedError) as error:
        composer.refuse("yaml-syntax", f"the reader of YAML gave up: {type(error).__name__}", None)
    return composer


@dataclass(slots=True)
class _Open:
    """A list or a mapping that has not ended yet."""

    value: Any
    place: Place
    trail: Trail
    anchor: str | None
    first: int
    key: str | None = None
    key_place: Place | None = None


@dataclass(slots=True, eq=False)
class _Composer:
    """Makes a value, and the places in it, from the events of a YAML parser; no call nests."""

    root: Any = None
    place: Place = field(default_factory=lambda: Place(1, 1))
    findings: list[Finding] = field(default_factory=list)
    _open: list[_Open] = field(default_factory=list)
    _anchored: dict[str, tuple[Any, Place, int]] = field(default_factory=dict)
    _count: int = 0
    _documents: int = 0

    def take(self, event: Any) -> bool:  # noqa: ANN401 - the library's events
        """Take one event; return whether to go on."""
        kind = type(event).__name__
        act: Callable[[Any, Place], bool] | None = {
            "DocumentStartEvent": self._document,
            "ScalarEvent": self._scalar,
            "AliasEvent": self._alias,
            "MappingStartEvent": self._mapping,
            "SequenceStartEvent": self._sequence,
            "MappingEndEvent": self._end,
            "SequenceEndEvent": self._end,
        }.get(kind)
        if act is None:
            return True
        mark = event.start_mark
        return act(event, Place(mark.line + 1, mark.column + 1)) and len(self.findings) <= MOST_LISTED

    def refuse(self, rule: str, message: str, place: Place | None, hint: str | None = None) -> None:
        line, column = (place.line, place.column) if place is not None else (None, None)
        pointer = pointer_of(self._trail())
        self.findings.append(refused(rule, message, Location("", pointer, line, column), hint))

    def broken(self, error: Any, text: str) -> None:  # noqa: ANN401 - the library's errors
        """Report a syntax error where the parser saw it."""
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        position = getattr(error, "position", None)
        if mark is not None:
            place = Place(mark.line + 1, mark.column + 1)
        elif isinstance(position, int):
            before = text[:position]
            place = Place(before.count("\n") + 1, position - before.rfind("\n"))
        else:
            place = Place(1, 1)
        said = [getattr(error, "context", None), getattr(error, "problem", None) or getattr(error, "reason", None)]
        message = ", ".join(str(part) for part in said if part) or "this is not YAML"
        self.refuse("yaml-syntax", message, place, _syntax_hint(message))

    def _document(self, event: Any, place: Place) -> bool:  # noqa: ANN401 - the library's events
        self._documents += 1
        if self._documents > 1:
            self.refuse("yaml-feature", "a second document begins here", place, "One file holds one document.")
            return False
        if event.version is not None and tuple(event.version) != (1, 2):
            version = ".".join(map(str, event.version))
            self.refuse("yaml-feature", f"the document asks for YAML {version}", place, "YAML 1.2 is read.")
        return True

    def _scalar(self, event: Any, place: Place) -> bool:  # noqa: ANN401 - the library's events
        self._refuse_tag(event, place)
        plain = event.style is None and bool(event.implicit[0])
        value = _resolved(event.value) if plain else event.value
        return self._add(value, place, event.anchor, 1)

    def _alias(self, event: Any, place: Place) -> bool:  # noqa: ANN401 - the library's events
        if event.anchor not in self._anchored:
            within = any(opened.anchor == event.anchor for opened in self._open)
            why = "refers to a value that it is part of" if within else "refers to nothing before it"
            self.refuse("yaml-syntax", f"the alias *{event.anchor} {why}", place)
            return self._add(None, place, None, 1)
        value, there, size = self._anchored[event.anchor]
        return self._add(value, Place(place.line, place.column, there.inner), None, size)

    def _mapping(self, event: Any, place: Place) -> bool:  # noqa: ANN401 - the library's events
        return self._begin({}, event, place)

    def _sequence(self, event: Any, place: Place) -> bool:  # noqa: ANN401 - the library's events
        return self._begin([], event, place)

    def _begin(self, value: Any, event: Any, place: Place) -> bool:  # noqa: ANN401 - any value, any event
        self._refuse_tag(event, place)
        if self._wants_key():
            self.refuse("yaml-feature", "a list or a mapping is the key here", place, "Keys are strings.")
            return False
        if len(self._open) >= MAX_DEPTH:
            self.findings = [too_deep("")]
            return False
        first = self._count
        trail = self._trail()
        if not self._add(value, place, None, 1):
            return False
        self._open.append(_Open(value, place, trail, event.anchor, first))
        return True

    def _end(self, _event: Any, _place: Place) -> bool:  # noqa: ANN401 - the library's events
        done = self._open.pop()
        if done.anchor is not None:
            self._anchored[done.anchor] = (done.value, done.place, self._count - done.first)
        return True

    def _add(self, value: Any, place: Place, anchor: str | None, size: int) -> bool:  # noqa: ANN401 - any value
        self._count += size
        if self._count > MAX_VALUES:
            self.findings = [too_many_values("", MAX_VALUES)]
            return False
        if anchor is not None:
            self._anchored[anchor] = (value, place, size)
        if not self._open:
            self.root, self.place = value, place
            return True
        around = self._open[-1]
        if isinstance(around.value, list):
            around.place.inner[str(len(around.value))] = place
            around.value.append(value)
        elif around.key is None:
            self._key(around, value, place)
        else:
            at = around.key_place or place
            around.place.inner[around.key] = Place(at.line, at.column, place.inner)  # what is in it is shared
            around.value[around.key] = value
            around.key = None
        return True

    def _key(self, around: _Open, value: Any, place: Place) -> None:  # noqa: ANN401 - any value
        key = value if isinstance(value, str) else str(value)
        if not isinstance(value, str):
            self.refuse("yaml-feature", f"the key {key} is not a string", place, "Put it in quotes.")
        elif value == "<<":
            self.refuse("yaml-feature", "YAML 1.2 has no merge keys", place, "Write the keys out, or use an alias.")
        elif value in around.value:
            around.key = value
            self.refuse("yaml-duplicate-key", "this key stands twice in one mapping", place)
        around.key, around.key_place = key, place

    def _wants_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].value, dict) and self._open[-1].key is None

    def _trail(self) -> Trail:
        """Return where the next value stands."""
        if not self._open:
            return None
        around = self._open[-1]
        if isinstance(around.value, list):
            return around.trail, str(len(around.value))
        return (around.trail, around.key) if around.key is not None else around.trail

    def _refuse_tag(self, event: Any, place: Place) -> None:  # noqa: ANN401 - the library's events
        if event.tag is not None:
            hint = 'A string that looks like something else stands in quotes: "42".'
            self.refuse("yaml-feature", f"the tag {event.tag} is not read", place, hint)


def _resolved(text: str) -> Any:  # noqa: ANN401 - any scalar of JSON
    """Read a plain scalar as the core schema of YAML 1.2 does (specification 1.2.2, section 10.3)."""
    if text in _NULL:
        return None
    if text in _BOOLEAN:
        return _BOOLEAN[text]
    if _INTEGER.fullmatch(text):
        return integer(text)
    if _BASED.fullmatch(text):
        return int(text, 0)
    if _REAL.fullmatch(text):
        return float(text)
    if _NOT_FINITE.fullmatch(text):
        return float(text.replace(".", ""))
    return text


def _syntax_hint(message: str) -> str | None:
    if "\\t" in message or "tab" in message:
        return "YAML is indented with spaces, never with tabs."
    if "special characters" in message:
        return "Write such a character as an escape in double quotes."
    if "mapping values are not allowed" in message:
        return "A text that holds `: ` stands in quotes."
    return None
