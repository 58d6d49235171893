"""Removing secrets from everything that is kept: exact values first, then well-known token shapes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from agentic_evals.rules import token_shapes
from agentic_evals.rules.secret_forms import literal_forms, quotable_forms, wrapped_forms

MASK: Final = b"[redacted]"
SHORTEST: Final = 6
"""Values of fewer characters are too common to be replaced."""
_CUT: Final = 4
"""From how many bytes on the beginning of a secret is replaced where a quotation was cut."""
_WINDOW: Final = 262_144
_LARGE: Final = 32_768
"""From this size on it pays to ask first whether anything is to be replaced."""
_SHORT: Final = 256
_MOST_SEEN: Final = 4096
_ANCHOR: Final = 6
_MARK: Final = "…".encode()
"""What stands where a quotation was cut."""
_BLANKS: Final = b" \t\r\n"
_BLANK_RUN: Final = re.compile(rb"[ \t\r\n]+")

_CREDENTIAL_NAME: Final = re.compile(
    r"(?i)(?:^|_)(?:token|secret|passwd|password|passphrase|api_?key|access_?key|private_?key|credentials?|pat)(?:$|_)"
)

Span = tuple[int, int]


@lru_cache(maxsize=1024)
def looks_like_credential(name: str, value: str) -> bool:
    """Return whether an environment variable is one that a trial should not see unasked."""
    shaped = token_shapes.SHAPES.search(value.encode("utf-8", "replace"))
    return _CREDENTIAL_NAME.search(name) is not None or shaped is not None


class Redactor:
    """Replaces known secret values, in every form that a program would print them in, and token shapes."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Work out every form of the secrets; values under six characters are too common to be replaced."""
        known = [secret for secret in dict.fromkeys(secrets) if len(secret) >= SHORTEST]
        self._literal = sorted({form for secret in known for form in literal_forms(secret) if _maskable(form)})
        self._wrapped = sorted({form for secret in known for form in wrapped_forms(secret)})
        self._quotable = [form for secret in known for form in quotable_forms(secret)]
        longest = max((*map(len, self._literal), *(2 * len(form) for form in self._wrapped)), default=0)
        self._longest = max(longest, token_shapes.LONGEST) + 1
        self._search: Callable[[bytes], Any] | None = None
        self._seen: dict[str, str] = {}

    def clean(self, data: bytes) -> tuple[bytes, int]:
        """Return the data without secrets, and how many were replaced; what overlaps is replaced as one."""
        if not data:
            return data, 0
        cleaner = _Cleaner(self._spans)
        kept = cleaner.take(data, len(data), maybe=len(data) < _LARGE or self._may_hold_a_secret(data))
        return kept, cleaner.replaced

    def text(self, text: str) -> str:
        """Return the text without secrets, and without the beginning of one where `…` says that it was cut.

        Trials say the same again and again: a short text is looked through once, and every record shares it.
        """
        known = self._seen.get(text)
        if known is None:
            known = self._cleaned(text)
            if len(text) <= _SHORT and len(self._seen) < _MOST_SEEN:
                self._seen[text] = known
        return known

    def _cleaned(self, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        kept, replaced = self.clean(data)
        if _MARK in kept:
            *cut, last = kept.split(_MARK)
            kept = token_shapes.CUT.sub(MASK, _MARK.join([*map(self._without_beginning, cut), last]))
        if not replaced and kept == data and text.isascii():
            return text
        return kept.decode("utf-8", "surrogatepass").encode("utf-8", "backslashreplace").decode()

    def value(self, value: Any) -> Any:  # noqa: ANN401 - any JSON
        """Return a JSON value with every text in it, keys too, without secrets."""
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return {self.text(str(key)): self.value(item) for key, item in value.items()}
            case list() | tuple():
                return type(value)(map(self.value, value))
            case _:
                return value

    def stream(self, chunks: Iterable[bytes], counted: list[int]) -> Iterator[bytes]:
        """Yield what `clean` would return for the whole, in bounded memory; append how many were replaced to `counted`.

        What begins further from the end of what was read so far than the longest secret is long is
        decided; the rest waits for the next chunk.
        """
        cleaner = _Cleaner(self._spans)
        pending = bytearray()
        for chunk in chunks:
            pending += chunk
            if len(pending) < self._longest + _WINDOW:
                continue
            data, decided = bytes(pending), len(pending) - self._longest
            del pending[:decided]
            yield cleaner.take(data, decided, maybe=self._may_hold_a_secret(data))
        data = bytes(pending)
        yield cleaner.take(data, len(data))
        counted.append(cleaner.replaced)

    def _spans(self, data: bytes, shapes_from: int) -> tuple[list[Span], list[Span]]:
        """Return where exact values stand, and where shapes stand from a place on."""
        exact = [span for form in self._literal for span in _occurrences(data, form)]
        folded = data.translate(None, _BLANKS)
        hits = [span for form in self._wrapped for span in _occurrences(folded, form)]
        if hits:
            exact += _unfolded(data, hits)
        return exact, [match.span() for match in token_shapes.SHAPES.finditer(data, shapes_from)]

    def _may_hold_a_secret(self, data: bytes) -> bool:
        """Tell at once, and in most cases with no, whether anything is to be replaced in many bytes."""
        if self._search is None:
            beginnings = {_BLANK_RUN.sub(b"", form)[:_ANCHOR] for form in (*self._literal, *self._wrapped)}
            self._search = _searcher(b"|".join([*map(re.escape, sorted(beginnings)), token_shapes.ANCHORS]))
        return bool(self._search(data.translate(None, _BLANKS)))

    def _without_beginning(self, piece: bytes) -> bytes:
        cut = max((_overlap(piece, form) for form in self._quotable), default=0)
        return piece[: len(piece) - cut] + MASK if cut else piece


class _Cleaner:
    """Replaces spans in data that comes piece by piece, and remembers what reaches into the next piece."""

    def __init__(self, spans: Callable[[bytes, int], tuple[list[Span], list[Span]]]) -> None:
        self._spans = spans
        self._masked = 0
        """How far into the next piece the last replaced span reaches."""
        self._shaped = 0
        """How far into the next piece the last shape reaches."""
        self.replaced = 0

    def take(self, data: bytes, decided: int, *, maybe: bool = True) -> bytes:
        """Return the first `decided` bytes without secrets; spans that begin later are for the next piece."""
        exact, shapes = self._spans(data, self._shaped) if maybe else ([], [])
        shapes = [span for span in shapes if span[0] < decided]
        kept: list[bytes] = []
        end = self._masked
        for start, stop in sorted([*(span for span in exact if span[0] < decided), *shapes]):
            if start >= end:
                kept += (data[end:start], MASK)
                self.replaced += 1
            end = max(end, stop)
        kept.append(data[end:decided])
        self._masked = max(0, end - decided)
        self._shaped = max(0, max((stop for _, stop in shapes), default=self._shaped) - decided)
        return b"".join(kept)


def _occurrences(data: bytes, form: bytes) -> Iterator[Span]:
    start = data.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = data.find(form, start + 1)


def _unfolded(data: bytes, spans: Iterable[Span]) -> Iterator[Span]:
    """Return the places, in data with blanks, of spans found without them; what blanks make twice as long is none."""
    kept_before = 0
    runs: list[tuple[int, int]] = [(0, 0)]
    at = 0
    for run in _BLANK_RUN.finditer(data):
        kept_before += run.start() - at
        at = run.end()
        runs.append((kept_before, at))
    positions = [kept for kept, _ in runs]
    for start, stop in spans:
        first = _original(positions, runs, start)
        last = _original(positions, runs, stop - 1)
        if last + 1 - first <= 2 * (stop - start):
            yield first, last + 1


def _original(positions: list[int], runs: list[tuple[int, int]], place: int) -> int:
    kept, at = runs[bisect_right(positions, place) - 1]
    return at + place - kept


def _maskable(form: bytes) -> bool:
    """Return whether replacing a form removes it: a part of the mask itself cannot be masked."""
    return len(form) >= SHORTEST and form not in MASK


def _overlap(text: bytes, secret: bytes) -> int:
    """Return how many bytes at the end of the text are the beginning of the secret."""
    longest = min(len(text), len(secret))
    return next((length for length in range(longest, _CUT - 1, -1) if text.endswith(secret[:length])), 0)


def _searcher(pattern: bytes) -> Callable[[bytes], Any]:
    """Return a search in linear time, several times as fast as the standard library's."""
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    search: Callable[[bytes], Any] = re2.compile(pattern, options).search
    return search


def secrets_in(environment: Mapping[str, str], credentials: Iterable[str]) -> tuple[str, ...]:
    """Return the values to remove: of the named credentials and of every variable that looks like one."""
    named = set(credentials)
    return tuple(
        value for name, value in environment.items() if value and (name in named or looks_like_credential(name, value))
    )
