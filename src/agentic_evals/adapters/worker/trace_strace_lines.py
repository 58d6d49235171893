"""Reads the lines that `strace -f -y -xx -X raw -v -ttt` writes: one call, or one end of a process, a line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Value = bytes | int | list["Value"] | None

_OPENING, _CLOSING = "([{", ")]}"


class Line:
    """One call that has ended: who made it, with what arguments, and its result (None where nobody knows it)."""

    __slots__ = ("arguments", "errno", "name", "opened", "result", "seconds", "tid")

    def __init__(self, tid: int, seconds: float, name: str, arguments: list[str], result: str) -> None:
        """Take the line apart; `result` is what follows the equals sign."""
        self.tid = tid
        self.seconds = seconds
        self.name = name
        self.arguments = arguments
        number, _, rest = result.strip().partition(" ")
        number, _, path = number.partition("<")
        self.opened = unescaped(path[:-1]) if path else None
        self.result = int(number, 0) if number not in ("?", "") else None
        self.errno = rest.partition(" ")[0] if self.result is not None and self.result < 0 else None


class End:
    """The end of a thread: exit code or the name of the signal; `taken_over` when another thread's exec took its id."""

    __slots__ = ("code", "seconds", "signal", "tid")

    def __init__(self, tid: int, seconds: float, code: int | None, signal: str | None) -> None:
        """Keep what the line says."""
        self.tid = tid
        self.seconds = seconds
        self.code = code
        self.signal = signal


def parse(lines: Iterator[str], unfinished: dict[int, str]) -> Iterator[Line | End]:
    """Yield calls and ends in the order of their completion; `unfinished` holds what each thread is still at.

    Raises:
        ValueError: when a line is of an unknown form.
    """
    for line in lines:
        who, when, text = line.rstrip("\n").split(None, 2)
        tid, seconds = int(who), float(when)
        if text.startswith("+++ "):
            yield _end(tid, seconds, text.split())
        elif text.startswith("--- "):
            continue
        elif text.endswith("<unfinished ...>"):
            unfinished[tid] = text.removesuffix("<unfinished ...>").rstrip()
        elif text.startswith("<... "):
            yield _call(tid, seconds, unfinished.pop(tid, "") + text.partition(" resumed>")[2])
        else:
            yield _call(tid, seconds, text)


def _end(tid: int, seconds: float, words: list[str]) -> End:
    if words[1] == "exited":
        return End(tid, seconds, int(words[3]), None)
    if words[1] == "killed":
        return End(tid, seconds, None, words[3])
    return End(tid, seconds, None, None)


def _call(tid: int, seconds: float, text: str) -> Line:
    name, _, rest = text.partition("(")
    arguments, after = split(rest)
    if not after.startswith(")"):
        message = f"not a call: {text[:80]}"
        raise ValueError(message)
    return Line(tid, seconds, name, arguments, after[1:].strip().removeprefix("="))


def split(text: str) -> tuple[list[str], str]:
    """Return the parts between top-level commas and what begins with the bracket that closes the list."""
    parts: list[str] = []
    depth, start, place = 0, 0, 0
    while place < len(text):
        sign = text[place]
        if sign == '"':
            place = text.index('"', place + 1)  # in hexadecimal text no quote is escaped
        elif sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            if depth == 0:
                break
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
        place += 1
    last = text[start:place].strip()
    return ([*parts, last] if last or parts else []), text[place:]


def unescaped(text: str) -> bytes:
    """Return the bytes of a text in which every byte is written in hexadecimal, or stands for itself."""
    if text.startswith("\\x") and len(text) % 4 == 0:
        try:
            return bytes.fromhex(text.replace("\\x", ""))
        except ValueError:
            pass
    return text.encode("ascii", "replace")


def string(argument: str) -> bytes:
    """Return the bytes of a quoted argument; raises `ValueError` when it is none or was cut."""
    if not (argument.startswith('"') and argument.endswith('"')):
        message = f"not a string: {argument[:80]}"
        raise ValueError(message)
    return unescaped(argument[1:-1])


def strings(argument: str) -> list[bytes]:
    """Return the strings of a list; raises `ValueError`."""
    return [string(part) for part in split(argument[1:])[0]] if argument.startswith("[") else []


def number(argument: str) -> int:
    """Return a number, without the path or the comment that may follow it; raises `ValueError`."""
    return int(argument.partition("<")[0].partition(" ")[0], 0)


def path_of(argument: str) -> bytes | None:
    """Return the path that stands behind a descriptor."""
    _, less, rest = argument.partition("<")
    return unescaped(rest.rstrip(">")) if less else None


def fields(argument: str) -> dict[str, str]:
    """Return the fields of a structure."""
    parts = split(argument[1:])[0] if argument.startswith("{") else []
    return {name: value for name, _, value in (part.partition("=") for part in parts)}
