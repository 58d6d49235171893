"""What an expectation operator is: how its value is read, what it wants observed, and how it judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from agentic_evals.model.canonical import JsonValue
from agentic_evals.model.fixture import Case
from agentic_evals.model.trial import Capture, Observe
from agentic_evals.model.verdict import Decision

Problem: TypeAlias = tuple[str, str]
"""A JSON pointer below the operator's value, and what is wrong there."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an operator may look at: the case as written and what was captured of one trial."""

    case: Case
    capture: Capture


def _nothing_to_observe(_spec: Any, _case: Case) -> tuple[Observe, ...]:  # noqa: ANN401 - each leaf has its own spec
    return ()


def _no_problems(_spec: Any) -> tuple[Problem, ...]:  # noqa: ANN401 - each leaf has its own spec
    return ()


@dataclass(frozen=True, slots=True)
class Example:
    """A value of the operator, a capture that it must accept and one that it must refuse."""

    value: JsonValue
    passes: Capture
    fails: Capture
    case: Mapping[str, JsonValue] = field(default_factory=dict)
    """Further keys of the case that the example needs, such as `reuses`."""


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """One key below `expected`; a leaf file of `rules.expectations` defines it as `OPERATOR`."""

    key: str
    summary: str
    spec: Any
    """The type of the value: anything that pydantic can validate strictly and describe as JSON Schema."""
    judge: Callable[[Any, Evidence], tuple[Decision, ...]]
    """Decide each part of the value; pointers are relative to the operator's key."""
    examples: tuple[Example, ...]
    check: Callable[[Any], tuple[Problem, ...]] = _no_problems
    """What is wrong with a value of the right type, such as a regex that does not compile."""
    observe: Callable[[Any, Case], tuple[Observe, ...]] = _nothing_to_observe
    """The files to read after the trial; paths as the case writes them."""
    looks_at: frozenset[str] = frozenset()
    """Which captured bytes decide: `stdout`, `stderr`, `files`, `trajectory`, `argv`."""
    needles: Callable[[Any], tuple[str, ...]] = field(default=lambda _spec: ())
    """Words that the value asks for, shown where a rule names what a no-op would print."""
    repeats: Callable[[Any, str], tuple[str, ...]] | None = None
    """What a no-op would take from the words of its own command to please the value; without it, the needles there."""

    def echo(self, spec: Any, words: str) -> str:  # noqa: ANN401 - each leaf has its own spec
        """Return what a no-op would print that repeats of `words` only what the value asks for."""
        if self.repeats is not None:
            return "\n".join(self.repeats(spec, words))
        return "\n".join(needle for needle in self.needles(spec) if needle in words)


Operators: TypeAlias = Mapping[str, Operator]

REQUIRED_KEY: Final = "exit_code"
"""The one expectation that every case must state."""


@dataclass(frozen=True, slots=True)
class Check:
    """An operator with the value that a case gives it."""

    operator: Operator
    spec: Any

    @property
    def pointer(self) -> str:
        """Where the value stands below `expected`."""
        return f"/{self.operator.key}"


@dataclass(frozen=True, slots=True)
class CompiledCase:
    """A case whose expectations were all read; what the judge works on."""

    index: int
    case: Case
    checks: tuple[Check, ...]

    @property
    def observes(self) -> tuple[Observe, ...]:
        """Every file that some operator wants read after the trial, each path once."""
        wanted: dict[str, Observe] = {}
        for check in self.checks:
            for observe in check.operator.observe(check.spec, self.case):
                known = wanted.get(observe.path, observe)
                wanted[observe.path] = replace(observe, reread=observe.reread or known.reread)
        return tuple(wanted.values())
