"""Entry points: which script, module, test runner, program or address each command invokes."""

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from agentic_evals.rules.commands import python_source
from agentic_evals.rules.commands.facts import Facts, origin
from agentic_evals.rules.commands.inline import Interpreted, Source, interpreted, program_text
from agentic_evals.rules.commands.options import only_help
from agentic_evals.rules.commands.programs import TRIVIAL
from agentic_evals.rules.commands.runners import TestRun, test_run
from agentic_evals.rules.commands.shells import ShellCall, ShellInput, shell_call
from agentic_evals.rules.commands.values import ParsedCommand, Reach, SimpleCommand, Word

_CLIENTS: Final = frozenset({"curl", "wget", "http", "https", "xh", "xhs", "httpie", "curlie", "hurl"})
_SOURCING: Final = frozenset({"source", "."})


class InvocationKind(enum.Enum):
    """What kind of entry point is invoked."""

    SCRIPT = "script"
    MODULE = "module"
    TEST_RUNNER = "test_runner"
    PROGRAM = "program"
    URL = "url"


@dataclass(frozen=True, slots=True)
class Invocation:
    """One entry point, as one command invokes it."""

    kind: InvocationKind
    name: str
    """The program, module or address as it is given."""
    paths: tuple[str, ...]
    """The files it stands for, relative to the workspace; those that exist where the kind leaves a choice."""
    arguments: tuple[Word, ...]
    only_help: bool
    """Whether it is asked for nothing but its help or its version, or runs nothing for another reason."""
    reach: Reach
    command: SimpleCommand


def invocations(parsed: ParsedCommand, facts: Facts) -> tuple[Invocation, ...]:
    """Return the entry points that a command invokes, in the order of its text."""
    return tuple(found for command in parsed.commands for found in invoked(command, facts))


def invoked(command: SimpleCommand, facts: Facts) -> Iterator[Invocation]:
    """Yield the entry points that one simple command invokes."""
    if not command.words or not command.words[0].names_a_program:
        return
    run = test_run(command)
    if run is not None:
        yield _tests(command, run, facts)
        return
    shell, call = shell_call(command.words), interpreted(command)
    if shell is not None:
        yield from _shell_script(command, shell, facts)
    elif call is not None:
        yield from _interpreted(command, call, facts)
    elif command.program in _CLIENTS:
        yield from _addresses(command)
    else:
        yield from _direct(command, facts)


def _make(
    kind: InvocationKind, command: SimpleCommand, name: str, paths: tuple[str, ...], arguments: tuple[Word, ...],
    *, wiring: bool = False,
) -> Invocation:  # fmt: skip
    return Invocation(kind, name, paths, arguments, wiring or only_help(arguments), command.reach, command)


def _tests(command: SimpleCommand, run: TestRun, facts: Facts) -> Invocation:
    """Return the run of a test runner, with the tests it names, or the folder it finds them in."""
    folder = "." if run.folder is None else run.folder.text
    paths = [_test_path(word, facts, command.cwd) for word in run.tests]
    found = [path for path in paths if path is not None]
    if not run.tests:
        place = None if folder is None else facts.resolve(folder, command.cwd)
        found = [] if place is None else [place]
    return _make(
        InvocationKind.TEST_RUNNER, command, run.runner, tuple(found), run.arguments, wiring=not run.runs
    )  # fmt: skip


def _test_path(word: Word, facts: Facts, cwd: str | None) -> str | None:
    """Return the file or folder of a test that is named by path, or by module as unittest allows."""
    text = (word.text or "").partition("::")[0].removesuffix("/...")
    path = facts.resolve(text or ".", cwd)
    if path is not None and (facts.exists(path) or "/" in text):
        return path
    dotted = facts.resolve(f"{text.replace('.', '/')}.py", cwd)
    return dotted if dotted is not None and facts.is_file(dotted) else path


def _shell_script(command: SimpleCommand, shell: ShellCall, facts: Facts) -> Iterator[Invocation]:
    if shell.kind is ShellInput.SCRIPT and shell.source is not None:
        yield from _script(command, shell.source, shell.arguments, facts, wiring=not shell.executes)
    elif shell.kind is ShellInput.STDIN:
        for redirect in command.redirects:
            if redirect.reads_file and redirect.fd in {None, 0}:
                yield from _script(command, redirect.target, shell.arguments, facts, wiring=not shell.executes)


def _script(
    command: SimpleCommand, script: Word, arguments: tuple[Word, ...], facts: Facts, *, wiring: bool = False
) -> Iterator[Invocation]:
    if script.text is None:
        return
    path = facts.resolve(script.text, command.cwd)
    paths = () if path is None else (_main_file(path, facts),)
    yield _make(InvocationKind.SCRIPT, command, script.text, paths, arguments, wiring=wiring)


def _main_file(path: str, facts: Facts) -> str:
    """Return the file that is run where a folder is given to an interpreter."""
    main = f"{path}/__main__.py"
    return main if facts.is_folder(path) and facts.is_file(main) else path


def _interpreted(command: SimpleCommand, call: Interpreted, facts: Facts) -> Iterator[Invocation]:
    if call.source is Source.SCRIPT and call.program is not None and call.family != "awk":
        yield from _script(command, call.program, call.arguments, facts)
    elif call.source is Source.MODULE and call.program is not None and call.program.text is not None:
        yield _module(command, call.program.text, call.arguments, facts, ())
    elif call.source is Source.STDIN and call.family != "awk":
        for redirect in command.redirects:
            if redirect.reads_file and redirect.fd in {None, 0}:
                yield from _script(command, redirect.target, call.arguments, facts)
    text = program_text(command, call)
    if call.family == "python" and text is not None:
        roots = python_source.added_paths(text)
        for module in python_source.imported_modules(text):
            found = _module(command, module, (), facts, roots)
            if found.paths:
                yield found


def _module(
    command: SimpleCommand, module: str, arguments: tuple[Word, ...], facts: Facts, roots: tuple[str, ...]
) -> Invocation:
    path = next(_module_files(command, module, facts, roots), None)
    return _make(InvocationKind.MODULE, command, module, () if path is None else (path,), arguments)


def _module_files(command: SimpleCommand, module: str, facts: Facts, roots: tuple[str, ...]) -> Iterator[str]:
    """Yield the files of the workspace that a module name can stand for, in the order of the search."""
    relative = module.replace(".", "/")
    for root in _module_roots(command, facts, roots):
        for ending in ("/__main__.py", ".py", "/__init__.py"):
            path = str(PurePosixPath(root) / f"{relative}{ending}")
            if facts.is_file(path):
                yield path


def _module_roots(command: SimpleCommand, facts: Facts, added: tuple[str, ...]) -> Iterator[str]:
    given = [(path, command.cwd) for path in added] + [(".", command.cwd)]
    for name, word in command.assignments:
        if name == "PYTHONPATH" and word.text is not None:
            given.extend((path, command.cwd) for path in word.text.split(":") if path)
    given.extend((path, ".") for path in command.projects)
    places = [place for path, cwd in given if (place := facts.resolve(path, cwd)) is not None]
    for place in [*places, str(facts.skill_root)]:
        yield from (place, str(PurePosixPath(place) / "src"))


def _addresses(command: SimpleCommand) -> Iterator[Invocation]:
    for word in command.arguments:
        address = word.text if word.text is not None else (word.options or ("",))[0]
        if origin(address) is not None:
            yield Invocation(
                InvocationKind.URL,
                address,
                (),
                command.arguments,
                only_help=False,
                reach=command.reach,
                command=command,
            )


def _direct(command: SimpleCommand, facts: Facts) -> Iterator[Invocation]:
    program = command.program_path or ""
    if program in _SOURCING and command.arguments:
        yield from _script(command, command.arguments[0], command.arguments[1:], facts)
    elif "/" in program:
        path = facts.resolve(program, command.cwd)
        if path is not None and (facts.is_file(path) or command.program not in facts.programs):
            yield from _script(command, command.words[0], command.arguments, facts)
        elif command.program not in TRIVIAL:
            yield _make(InvocationKind.PROGRAM, command, command.program or "", (), command.arguments)
    elif program not in TRIVIAL:
        yield _make(InvocationKind.PROGRAM, command, program, (), command.arguments)
