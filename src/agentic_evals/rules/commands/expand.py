"""Words of shell source to their values: quoting removed, and expansions resolved where they are certain."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from agentic_evals.rules.commands.grammar import Node
from agentic_evals.rules.commands.quoting import (
    ansi_quoted,
    bare,
    brace_alternatives,
    double_quoted,
    here_document,
    is_glob,
)
from agentic_evals.rules.commands.scope import UNKNOWN, Scope, Value, either, known
from agentic_evals.rules.commands.values import CASE_FOLDER, HOLE, Word

SUBSTITUTIONS: Final = frozenset({"command_substitution", "process_substitution"})
_QUOTING: Final = frozenset("'\"\\$`")
_SPECIAL: Final = frozenset("\\*?[{")
_DRAWN: Final = frozenset({"RANDOM", "SRANDOM"})
_MOST_OPTIONS: Final = 16
_MOST_WORDS: Final = 1000
_MOST_BRACES: Final = 3
_LONGEST: Final = 200_000
_DEFAULTS: Final = frozenset({":-", "-", ":=", "="})

Run = Callable[[Node, Scope], Value]
"""Walks the commands of a substitution and returns what it is replaced by."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a word, from one quoted string, bare text or expansion."""

    value: Value
    literal: bool
    quoted: bool
    pattern: bool = False


class Expander:
    """Expands words in a scope; the commands inside substitutions are handed to `run`."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def fields(self, node: Node, scope: Scope) -> tuple[Word, ...]:
        """Return the words that one word of the source becomes."""
        if node.kind in {"word", "number"} and not _SPECIAL.intersection(node.text):
            return (Word.literal(node.text),)
        several = self._several(node, scope)
        if several is not None:
            return several
        raw = node.text
        if 0 < raw.count("{") <= _MOST_BRACES and "," in raw and not set(raw) & _QUOTING:
            return tuple(replace(_literal(text), raw=raw) for text in brace_alternatives(raw))
        return _split(raw, self._pieces(node, scope))

    def single(self, node: Node, scope: Scope) -> Word:
        """Return the one word that a value, a target or a here-string becomes."""
        return _joined(node.text, self._pieces(node, scope), patterns=False)

    def here_document(self, node: Node, scope: Scope, *, quoted: bool) -> Word:
        """Return the text of a here-document."""
        if quoted:
            return Word.literal(node.text)
        return _joined(node.text, self._between(node, scope, here_document), patterns=False)

    def substitutions(self, node: Node, scope: Scope) -> None:
        """Run the substitutions anywhere below a node whose own value does not matter."""
        pending = [node]
        while pending:
            current = pending.pop()
            if current.kind in SUBSTITUTIONS:
                self._run(current, scope)
            else:
                pending.extend(reversed(current.children))

    def _several(self, node: Node, scope: Scope) -> tuple[Word, ...] | None:
        """Return the words of `"$@"` or of a whole array."""
        raw = node.text.strip('"')
        found: tuple[Word, ...] | None = None
        if raw in {"$@", "${@}", "$*", "${*}"}:
            found = scope.positional
        elif raw.startswith("${") and raw.endswith(("[@]}", "[*]}")):
            found = scope.arrays.get(raw[2:-4])
        if found is None or len(found) > _MOST_WORDS:
            return None
        return tuple(replace(word, raw=node.text, spelled=HOLE) for word in found)

    def _pieces(self, node: Node, scope: Scope) -> list[_Piece]:
        kind, text = node.kind, node.text
        if kind in {"concatenation", "command_name", "translated_string"}:
            pieces = [piece for child in node.children for piece in self._pieces(child, scope)]
            pattern = is_glob(text) and not set(text) & _QUOTING
            return [replace(piece, pattern=True) for piece in pieces] if pattern else pieces
        if kind == "string":
            return self._between(node, scope, double_quoted) or [_Piece(known(""), literal=True, quoted=True)]
        if kind == "raw_string":
            return [_Piece(known(text[1:-1]), literal=True, quoted=True)]
        if kind == "ansi_c_string":
            return [_Piece(known(ansi_quoted(text[2:-1])), literal=True, quoted=True)]
        if kind in {"simple_expansion", "expansion", "arithmetic_expansion", *SUBSTITUTIONS}:
            return [_Piece(self._value(node, scope), literal=False, quoted=False)]
        if kind == "brace_expression" or any(child.children for child in node.children):
            self.substitutions(node, scope)
            return [_Piece(UNKNOWN, literal=False, quoted=False)]
        return [_Piece(known(bare(text)), literal=True, quoted=False, pattern=is_glob(text))]

    def _between(self, node: Node, scope: Scope, unquote: Callable[[str], str]) -> list[_Piece]:
        """Return the pieces of a quoted node; the text between its expansions is not always a node."""
        edge = 1 if node.kind == "string" else 0
        place, end = node.start + edge, node.end - edge
        pieces: list[_Piece] = []
        for child in node.children:
            if child.kind not in {"simple_expansion", "expansion", "arithmetic_expansion", *SUBSTITUTIONS}:
                continue
            if child.start > place:
                text = unquote(node.content[place : child.start])
                pieces.append(_Piece(known(text), literal=True, quoted=True))
            pieces.append(_Piece(self._value(child, scope), literal=False, quoted=True))
            place = child.end
        if end > place:
            pieces.append(_Piece(known(unquote(node.content[place:end])), literal=True, quoted=True))
        return pieces

    def _value(self, node: Node, scope: Scope) -> Value:
        if node.kind in SUBSTITUTIONS:
            return self._run(node, scope)
        if node.kind == "simple_expansion":
            return variable(node.text[1:], scope)
        if node.kind == "arithmetic_expansion":
            self.substitutions(node, scope)
            return _of_parts(node, scope)
        return self._parameter(node, scope)

    def _parameter(self, node: Node, scope: Scope) -> Value:
        inner = node.children[1:-1]
        if len(inner) == 1 and inner[0].kind in {"variable_name", "special_variable_name"}:
            return variable(inner[0].text, scope)
        if len(inner) == 3 and inner[0].kind == "variable_name" and inner[1].kind in _DEFAULTS:  # noqa: PLR2004 - name, sign, word
            given = scope.variables.get(inner[0].text)
            if given is not None and given.text:
                return given
            word = self.single(inner[2], scope)
            default = Value(word.options, word.text is not None, word.sampled, word.computed)
            return default if given is not None and given.text == "" else either([given or UNKNOWN, default])
        self.substitutions(node, scope)
        return _of_parts(node, scope)


def variable(name: str, scope: Scope) -> Value:
    """Return what a variable or a positional parameter holds."""
    if name in scope.variables:
        return scope.variables[name]
    if name in _DRAWN:
        return replace(UNKNOWN, sampled=scope.draws)
    if name == "PWD":
        return folder_value(scope.cwd)
    if name.isdecimal() and scope.positional is not None and 0 < int(name[:4]) <= len(scope.positional):
        word = scope.positional[int(name[:4]) - 1]
        return Value(word.options, word.text is not None, word.sampled, word.computed)
    return UNKNOWN


def folder_value(cwd: str | None) -> Value:
    """Return the current folder as a program would print it."""
    if cwd is None:
        return UNKNOWN
    if cwd.startswith(("/", "{")):
        return known(cwd)
    return known(CASE_FOLDER if cwd == "." else f"{CASE_FOLDER}/{cwd}")


def _of_parts(node: Node, scope: Scope) -> Value:
    names = [part.text for part in node.descendants() if part.kind == "variable_name"]
    values = [variable(name, scope) for name in names]
    return replace(
        UNKNOWN,
        sampled=any(value.sampled for value in values),
        computed=any(value.computed for value in values),
    )


def _literal(text: str) -> Word:
    return replace(Word.literal(text), text=None if is_glob(text) else text, pattern=is_glob(text))


def _split(raw: str, pieces: Sequence[_Piece]) -> tuple[Word, ...]:
    """Split a word at the white space that its unquoted expansions brought in."""
    fields: list[list[_Piece]] = [[]]
    for piece in pieces:
        text = piece.value.text
        if piece.literal or piece.quoted or text is None or not (text == "" or any(map(str.isspace, text))):
            fields[-1].append(piece)
            continue
        parts = text.split()
        if text[:1].isspace() and fields[-1]:
            fields.append([])
        for place, part in enumerate(parts):
            if place:
                fields.append([])
            fields[-1].append(replace(piece, value=replace(piece.value, options=(part,))))
        if text[-1:].isspace() and parts:
            fields.append([])
    return tuple(_joined(raw, field, patterns=True) for field in fields if field)


def _joined(raw: str, pieces: Sequence[_Piece], *, patterns: bool) -> Word:
    options = _combined([piece.value.options for piece in pieces])
    pattern = patterns and any(
        piece.pattern or (not piece.literal and not piece.quoted and any(map(is_glob, piece.value.options)))
        for piece in pieces
    )
    certain = not pattern and HOLE not in options[0] and all(piece.value.certain for piece in pieces)
    return Word(
        text=options[0] if certain else None,
        raw=raw,
        sampled=any(piece.value.sampled for piece in pieces),
        spelled="".join(piece.value.options[0] if piece.literal and not piece.pattern else HOLE for piece in pieces),
        options=options,
        pattern=pattern,
        computed=any(piece.value.computed for piece in pieces),
    )


def _combined(options: Iterable[Sequence[str]]) -> tuple[str, ...]:
    options = list(options)
    if sum(max(map(len, choices)) for choices in options) > _LONGEST:
        return (HOLE,)
    count = 1
    limited: list[Sequence[str]] = []
    for choices in options:
        count *= len(choices)
        limited.append(choices if count <= _MOST_OPTIONS else (HOLE,))
        count = count if count <= _MOST_OPTIONS else count // len(choices)
    return tuple("".join(parts) for parts in product(*limited))
