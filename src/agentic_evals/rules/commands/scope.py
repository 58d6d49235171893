"""The state of a shell while its text is walked: variables, folder, functions, and how surely the next command runs."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from agentic_evals.rules.commands.grammar import Node
from agentic_evals.rules.commands.values import HOLE, Reach, Redirect, Word

_MOST_OPTIONS: Final = 16


class Ending(enum.Enum):
    """Why no further command of a sequence runs."""

    EXIT = "exit"
    GUARD = "guard"
    """It left with a failure, as the right of `&&` would have."""
    RETURN = "return"
    LOOP = "loop"


@dataclass(frozen=True, slots=True)
class Value:
    """What a variable may hold."""

    options: tuple[str, ...]
    certain: bool
    sampled: bool = False
    computed: bool = False

    @property
    def text(self) -> str | None:
        """The one value that it surely has."""
        return self.options[0] if self.certain else None


UNKNOWN: Final = Value((HOLE,), certain=False)


def known(text: str, *, sampled: bool = False, computed: bool = False) -> Value:
    """Make the value of a literal text."""
    return Value((text,), certain=HOLE not in text, sampled=sampled, computed=computed)


def either(values: Sequence[Value]) -> Value:
    """Return a value that may be any of these."""
    first = values[0]
    if all(value == first for value in values):
        return first
    options = tuple(dict.fromkeys(option for value in values for option in value.options))
    return Value(
        options[:_MOST_OPTIONS],
        certain=False,
        sampled=all(value.sampled for value in values),
        computed=any(value.computed for value in values),
    )


def _either_items(arrays: Sequence[tuple[Word, ...]]) -> tuple[Word, ...]:
    if all(items == arrays[0] for items in arrays):
        return arrays[0]
    items = dict.fromkeys(word for array in arrays for word in array)
    return tuple(replace(word, text=None) for word in items)


@dataclass(frozen=True, slots=True)
class Function:
    """A function that the shell text defines."""

    body: Node
    reach: Reach


@dataclass(frozen=True, slots=True)
class Stdin:
    """What commands find on their standard input."""

    text: str | None = None
    piped: bool = False
    sources: tuple[int, ...] = ()


@dataclass(slots=True)
class Scope:
    """One shell, at one point of its text."""

    variables: dict[str, Value] = field(default_factory=dict)
    arrays: dict[str, tuple[Word, ...]] = field(default_factory=dict)
    local_names: set[str] = field(default_factory=set)
    exported: set[str] = field(default_factory=set)
    functions: dict[str, Function] = field(default_factory=dict)
    aliases: set[str] = field(default_factory=set)
    positional: tuple[Word, ...] | None = None
    cwd: str | None = "."
    folders: tuple[str | None, ...] = ()
    """The folders that `popd` and `cd -` go back to, the last one last."""
    reach: Reach = Reach.REACHED
    ended: Ending | None = None
    doubts: frozenset[Ending] = frozenset()
    """The ways in which an earlier branch may have left this sequence."""
    status: bool | None = None
    """Whether the last command surely succeeded (True), surely failed (False), or neither is known."""
    suspect: bool = False
    """Whether a branch of the last command surely failed, so that what follows its success may well not run."""
    after_failure: bool = False
    """Whether the next command runs only because the one before it failed."""
    stops_at_failure: bool = False
    """Whether `set -e` is in force."""
    draws: bool = True
    """Whether this shell has a `$RANDOM`."""
    stdin: Stdin = Stdin()
    redirects: tuple[Redirect, ...] = ()
    captured: bool = False
    pipeline_position: int = 0
    scripts: tuple[str, ...] = ()
    loops: int = 0
    """How many loops of the current function are being gone through."""
    calls: frozenset[int] = frozenset()
    """The bodies of the functions that are being called."""

    def fork(self, reach: Reach = Reach.REACHED) -> "Scope":
        """Return a copy, as a subshell or a branch has, reached at most as surely as this."""
        return replace(
            self,
            variables=dict(self.variables),
            arrays=dict(self.arrays),
            local_names=set(self.local_names),
            exported=set(self.exported),
            functions=dict(self.functions),
            aliases=set(self.aliases),
            reach=self.reach.weakened_by(reach),
        )

    def child(self) -> "Scope":
        """Return the state of a new shell process that this one starts."""
        return Scope(
            variables={name: value for name, value in self.variables.items() if name in self.exported},
            exported=set(self.exported),
            functions=dict(self.functions) if "-f" in self.exported else {},
            positional=(),
            cwd=self.cwd,
            reach=self.reach,
            stdin=self.stdin,
            redirects=self.redirects,
            captured=self.captured,
            pipeline_position=self.pipeline_position,
            scripts=self.scripts,
        )

    def assign(self, name: str, value: Value) -> None:
        """Set a variable."""
        self.variables[name] = value
        self.arrays.pop(name, None)

    def forget(self, name: str) -> None:
        """Make the value of a variable unknown, but for what it may still be."""
        if name in self.variables:
            self.variables[name] = either([self.variables[name], UNKNOWN])
        self.arrays.pop(name, None)

    def end(self, ending: Ending, *, status: bool | None = None) -> None:
        """Let nothing further run in this sequence; what is dead already does not end again."""
        if self.ended is not None:
            return
        self.ended = ending
        self.status = status
        self.reach = Reach.DEAD

    def resume(self, before: "Scope", ending: Ending) -> None:
        """Go on after a function or a loop, which one ending leaves and no other does."""
        if before.ended is not None:
            self.ended, self.reach = before.ended, before.reach
            return
        doubts = self.doubts - {ending} - before.doubts
        self.doubts = before.doubts | doubts
        if self.ended is ending:
            self.ended = None
        if self.ended is None:
            self.reach = before.reach.weakened_by(Reach.CONDITIONAL) if doubts else before.reach

    def join(self, branches: Sequence["Scope"], *, guards: bool = False) -> None:
        """Become what is known when one of several branches was taken.

        Args:
            branches: The states after each.
            guards: Whether a branch that leaves with a failure is one that an honest run does not take.
        """
        live = [branch for branch in branches if branch.ended is None] or branches
        self._join_variables(live)
        for branch in live:
            self._adopt_functions(branch)
            self.aliases |= branch.aliases
            self.exported |= branch.exported
            self.local_names |= branch.local_names
        places = {branch.cwd for branch in live}
        self.cwd = places.pop() if len(places) == 1 else None
        self.folders = live[0].folders if all(branch.folders == live[0].folders for branch in live) else ()
        self.suspect = any(branch.suspect or branch.status is False for branch in live)
        statuses = {branch.status for branch in live}
        self.status = statuses.pop() if len(statuses) == 1 else None
        self._join_endings(branches, guards=guards)

    def _join_variables(self, live: Sequence["Scope"]) -> None:
        for name in {name for branch in live for name in branch.variables}:
            self.variables[name] = either([branch.variables.get(name, UNKNOWN) for branch in live])
        for name in {name for branch in live for name in branch.arrays}:
            self.arrays[name] = _either_items([branch.arrays.get(name, ()) for branch in live])

    def _adopt_functions(self, branch: "Scope") -> None:
        for name, function in branch.functions.items():
            if self.functions.get(name) != function:
                self.functions[name] = replace(function, reach=function.reach.weakened_by(Reach.CONDITIONAL))

    def _join_endings(self, branches: Sequence["Scope"], *, guards: bool) -> None:
        endings = [branch.ended for branch in branches if branch.ended is not None]
        if len(endings) == len(branches):
            self.end(endings[0], status=self.status)
            return
        leaving = frozenset(endings) - ({Ending.GUARD} if guards else set())
        self.doubts = self.doubts.union(leaving, *(branch.doubts for branch in branches))
        if self.doubts:
            self.reach = self.reach.weakened_by(Reach.CONDITIONAL)
