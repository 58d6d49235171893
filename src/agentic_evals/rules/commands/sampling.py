"""Sampling: whether a command draws fresh inputs at each run, and how many."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agentic_evals.rules.commands.trivial import is_trivial
from agentic_evals.rules.commands.values import ParsedCommand, Reach, SimpleCommand, Word

SEED_PLACEHOLDER: Final = "{seed}"

_COUNT: Final = re.compile(r"\d{1,12}")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a command samples."""

    named: bool = False
    """Whether a reached command has `--samples`."""
    samples: int | None = None
    """The number of samples in force, the smallest of several; None where it is no literal number."""
    fresh_seed: bool = False
    """Whether a reached command has a `--seed` that differs from run to run."""
    random: bool = False
    """Whether a `$RANDOM` is really evaluated in a word of a command that proves something."""

    @property
    def non_deterministic(self) -> bool:
        """Whether each run of the case sees other inputs."""
        return self.named or self.fresh_seed or self.random


def samples(parsed: ParsedCommand) -> Sampling:
    """Return how the commands that are surely reached sample."""
    commands = [command for command in parsed.at_least(Reach.REACHED) if not is_trivial(command)]
    counts = [found for command in commands for found in [_last(command, "--samples")] if found is not None]
    seeds = [word for command in commands for word in [_last(command, "--seed")] if word is not None]
    numbers = [_number(word) for word in counts]
    whole = [number for number in numbers if number is not None]
    return Sampling(
        named=bool(counts),
        samples=min(whole) if whole and len(whole) == len(numbers) else None,
        fresh_seed=any(word.sampled or SEED_PLACEHOLDER in (word.text or "") for word in seeds),
        random=any(word.sampled for command in commands for word in _evaluated(command)),
    )


def _evaluated(command: SimpleCommand) -> Iterator[Word]:
    yield from command.words
    yield from (word for _, word in command.assignments)
    yield from (redirect.target for redirect in command.redirects if redirect.operator.startswith("<"))


def _last(command: SimpleCommand, option: str) -> Word | None:
    """Return the value of the last of an option in a command: the one in force."""
    found: Word | None = None
    for place, word in enumerate(command.words):
        shape = word.text if word.text is not None else (word.options or ("",))[0]
        if shape == option:
            found = command.words[place + 1] if place + 1 < len(command.words) else Word.literal("")
        elif shape.startswith(f"{option}="):
            value = shape[len(option) + 1 :]
            found = Word(None if word.text is None else value, word.raw, sampled=word.sampled)
    return found


def _number(word: Word) -> int | None:
    return int(word.text) if word.text is not None and _COUNT.fullmatch(word.text) else None
