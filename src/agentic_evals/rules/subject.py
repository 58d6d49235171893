"""What a contract rule looks at, and what a rule is."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final

from agentic_evals.model.finding import Finding, Location, Severity
from agentic_evals.model.fixture import Fixture, StdinFile
from agentic_evals.model.workspace import WorkspaceFacts
from agentic_evals.rules.commands import (
    Facts,
    Invocation,
    InvocationKind,
    ParsedCommand,
    Reach,
    Substance,
    best_substance,
    commands_from_markdown,
    invocations,
    is_stub,
    parse_command,
    stub_inputs,
)
from agentic_evals.rules.environment import merged
from agentic_evals.rules.jobs import working_directory
from agentic_evals.rules.nullcapture import any_failure_passes, is_vacuous
from agentic_evals.rules.operator import CompiledCase

_HIJACKERS: Final = frozenset(
    """
    BASH_ENV ENV LD_AUDIT LD_LIBRARY_PATH LD_PRELOAD MAKEFLAGS NODE_OPTIONS PERL5OPT PYTEST_ADDOPTS PYTEST_PLUGINS
    PYTHONHOME PYTHONSTARTUP RUBYOPT SHELLOPTS
    """.split()
)
_HANDLER: Final = "command_not_found_handle"
"""A shell function of this name answers for programs that are not there."""
_SAID: Final = 3
"""How many reasons one message gives."""


@dataclass(frozen=True)
class CaseCommand:
    """A case's command, parsed, and the entry points that it invokes."""

    case: CompiledCase
    facts: Facts
    fixture_folder: str
    """Relative to the workspace."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """What the fixture and the case set in the environment."""

    @cached_property
    def parsed(self) -> ParsedCommand:
        """Everything that the command is known to invoke."""
        stdin = self.case.case.stdin
        return parse_command(self.case.case.command, stdin if isinstance(stdin, str) else None)

    @cached_property
    def invocations(self) -> tuple[Invocation, ...]:
        """The entry points, in the order of the command's text."""
        return invocations(self.parsed, self.facts)

    @property
    def substance(self) -> Substance:
        """How much the best entry point that is surely reached is worth."""
        return Substance.NONE if self.hijackers else best_substance(self.invocations, self.facts)

    @property
    def hijackers(self) -> tuple[str, ...]:
        """Variables that the case sets and that change what its command runs."""
        handler = any(_HANDLER in word for word in self.case.case.command)
        return tuple(name for name in self.variables if name in _HIJACKERS) + ((_HANDLER,) if handler else ())

    @property
    def touches_skill(self) -> bool:
        """Whether an entry point of the skill is reached, be it under a condition."""
        best = best_substance(self.invocations, self.facts, Reach.CONDITIONAL)
        return best is Substance.SUBSTANTIVE and not self.hijackers

    @property
    def why_not_substantive(self) -> str:
        """What the command does instead of surely reaching an entry point of the skill, in words."""
        if self.hijackers:
            return f"sets {', '.join(self.hijackers)}, which changes what its command runs"
        if self.substance is Substance.WIRING:
            return "only asks for help or a version"
        if best_substance(self.invocations, self.facts, Reach.CONDITIONAL) is Substance.SUBSTANTIVE:
            return "reaches an entry point of the skill only under a condition"
        if self.parsed.problems:
            return f"cannot be parsed: {self.parsed.problems[0]}"
        if self.substance is Substance.REPOSITORY:
            return "runs a script of the repository, but none of the skill"
        if not self.invocations:
            return "runs nothing that belongs to the skill"
        reasons = dict.fromkeys(map(self._why_not_of_the_skill, self.invocations))
        return f"reaches no entry point of the skill: {'; '.join(list(reasons)[:_SAID])}"

    def _why_not_of_the_skill(self, found: Invocation) -> str:
        """Say why an invocation that is nothing of the skill is none."""
        if found.kind is InvocationKind.TEST_RUNNER:
            return f"`{found.name}` is given no test that is there"
        if found.kind is InvocationKind.URL:
            return f"SKILL.md names no such address as {found.name}"
        whole = posixpath.normpath(posixpath.join(str(self.facts.skill_root), found.name))
        if self.facts.is_file(whole):
            here = posixpath.relpath(str(self.facts.case_cwd), str(self.facts.skill_root))
            return f"`{found.name}` lies in the skill folder, and the command runs in `{here}` (see `workdir`)"
        return f"`{found.name}` is no file of it, and SKILL.md names no such command"

    @cached_property
    def stub_inputs(self) -> tuple[str, ...]:
        """Files below a `fixtures` folder that the command feeds itself."""
        outputs = [observe.path for observe in self.case.observes]
        stdin = self.case.case.stdin
        found = stub_inputs(self.parsed, self.facts, outputs)
        if isinstance(stdin, StdinFile):
            path = posixpath.join(self.facts.workspace_root, self.fixture_folder, stdin.file)
            found += (stdin.file,) if is_stub(path, self.facts) else ()
        return found + tuple(value for value in self.variables.values() if is_stub(value, self.facts))


@dataclass(frozen=True)
class Subject:
    """A readable fixture with the files around it, and the number of trials that will be used."""

    fixture: Fixture
    cases: tuple[CompiledCase, ...]
    facts: WorkspaceFacts
    trials: int
    trials_set_by: str | None = None
    """The flag or variable that replaced the fixture's own number."""

    @cached_property
    def commands(self) -> tuple[CaseCommand, ...]:
        """What each case's command invokes, in the order of the cases."""
        programs, origins = commands_from_markdown(self.facts.skill_text or "")
        around: dict[str, Facts] = {}
        found = []
        for case in self.cases:
            folder = posixpath.relpath(working_directory(case.case, self.facts), self.facts.root)
            if folder not in around:
                around[folder] = Facts(
                    skill_root=PurePosixPath(self.facts.skill),
                    case_cwd=PurePosixPath(folder),
                    workspace_root=self.facts.root,
                    files=self.facts.files,
                    programs=programs,
                    origins=origins,
                )
            spec = merged(self.fixture.env, case.case.env)
            variables = spec.set if spec is not None else {}
            found.append(CaseCommand(case, around[folder], self.facts.fixture, variables))
        return tuple(found)

    @cached_property
    def vacuous(self) -> frozenset[int]:
        """Indexes of the cases that a no-op would pass."""
        return frozenset(case.index for case in self.cases if is_vacuous(case))

    @cached_property
    def any_failure(self) -> frozenset[int]:
        """Indexes of the cases that any crash would pass."""
        return frozenset(case.index for case in self.cases if any_failure_passes(case))


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the contract; a leaf file of `rules.contract` defines it as `RULE`."""

    id: str
    summary: str
    check: Callable[[Subject], Iterator[Finding]]
    exempt_kinds: frozenset[str] = field(default=frozenset({"runner_selftest", "scaffold"}))
    """Kinds of fixture, honestly declared, to which the rule does not apply."""


EVERYWHERE: Final[frozenset[str]] = frozenset()
"""For `exempt_kinds`: the rule applies to every fixture."""


def error(rule: str, message: str, pointer: str, hint: str, fragment: str | None = None) -> Finding:
    """Make a finding that refuses the fixture."""
    return Finding(rule, Severity.ERROR, message, Location("", pointer), hint, fragment)


def warning(rule: str, message: str, pointer: str, hint: str) -> Finding:
    """Make a finding that is shown and refuses nothing."""
    return Finding(rule, Severity.WARNING, message, Location("", pointer), hint)
