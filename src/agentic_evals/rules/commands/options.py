"""How options are told from operands: one reading of a command line, used for every program."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agentic_evals.rules.commands.values import Word

_HELP: Final = frozenset({"-h", "-help", "--version", "-version", "-V", "-?"})
_HELP_COMMANDS: Final = frozenset({"help", "version"})


@dataclass(frozen=True, slots=True)
class Syntax:
    """The options of a program that take a value in the next word."""

    valued: frozenset[str] = frozenset()
    """Such as `-n` or `--signal`."""

    @classmethod
    def of(cls, names: str = "") -> "Syntax":
        """Make a syntax from a list of options."""
        return cls(frozenset(names.split()))

    def width(self, text: str) -> int:
        """Return how many words an option occupies."""
        if text.startswith("--"):
            return 2 if "=" not in text and text in self.valued else 1
        if text in self.valued:
            return 2
        for place, letter in enumerate(text[1:], start=1):
            if f"-{letter}" in self.valued:
                return 2 if place == len(text) - 1 else 1
        return 1


def is_option(word: Word) -> bool:
    """Tell whether a word is an option by its looks."""
    return word.text is not None and len(word.text) > 1 and word.text.startswith("-")


def leading_options(words: Sequence[Word], syntax: Syntax) -> int:
    """Return how many words at the front are options, with their values and a closing `--`."""
    place = 0
    while place < len(words) and is_option(words[place]):
        text = words[place].text or ""
        if text == "--":
            return place + 1
        place += syntax.width(text)
    return min(place, len(words))


def option_value(words: Sequence[Word], names: frozenset[str]) -> Word | None:
    """Return the value of the last of these options, joined by `=` or in the next word."""
    found: Word | None = None
    for place, word in enumerate(words):
        text = word.text or ""
        name, equals, value = text.partition("=")
        if text in names and place + 1 < len(words):
            found = words[place + 1]
        elif equals and name in names:
            found = Word(text=value, raw=word.raw.partition("=")[2], spelled=value, options=(value,))
    return found


def only_help(arguments: Sequence[Word]) -> bool:
    """Tell whether a program is asked for nothing but its help or its version.

    `--help` counts wherever it stands; the shorter ones, which may also be options with a value, only at the end of
    words that are none.
    """
    texts = [word.text or "" for word in arguments]
    if "--" in texts:
        texts = texts[: texts.index("--")]
    if not texts:
        return False
    if "--help" in texts or "--usage" in texts:
        return True
    *before, last = texts
    return last in (_HELP if before else _HELP | _HELP_COMMANDS) and not any(text.startswith("-") for text in before)
