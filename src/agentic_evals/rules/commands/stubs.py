"""Stub input: what a command is fed from a `fixtures` folder of its workspace."""

import re
from collections.abc import Collection, Iterator
from fnmatch import fnmatchcase
from typing import Final

from agentic_evals.rules.commands.facts import Facts
from agentic_evals.rules.commands.inline import Source, interpreted, program_text
from agentic_evals.rules.commands.options import is_option
from agentic_evals.rules.commands.quoting import is_glob
from agentic_evals.rules.commands.runners import FLAGS, TestRun, test_run
from agentic_evals.rules.commands.shells import ShellInput, shell_call
from agentic_evals.rules.commands.values import HOLE, ParsedCommand, Reach, SimpleCommand, Word

FIXTURES: Final = "fixtures"

_OUTPUT_OPTION: Final = re.compile(r"--?(?:[\w-]+-)?(?:o|out|output)(?:[-_][\w-]+)?")
_NOT_FED: Final = frozenset({"cd", "pushd", "popd", "mkdir", "rm", "rmdir", "test", "[", "[[", "touch", "chmod", "tee"})
_COPYING: Final = frozenset({"cp", "mv", "ln", "install", "rsync"})
_SEPARATORS: Final = re.compile(r"[=@,:]")
_QUOTED_PATH: Final = re.compile(r"""(['"])([^'"\n]*\bfixtures/[^'"\n]*)\1""")


def stub_inputs(parsed: ParsedCommand, facts: Facts, case_outputs: Collection[str] = ()) -> tuple[str, ...]:
    """Return the arguments and redirections that feed a command from below a `fixtures` folder.

    Args:
        parsed: The command.
        facts: The tree around it.
        case_outputs: Paths that the case asserts as output, relative to its folder; they are not inputs.
    """
    outputs = {facts.resolve(path) for path in case_outputs}
    found = [
        text
        for command in parsed.commands
        if command.reach is not Reach.DEAD
        for text, candidate in _fed(command)
        if is_stub(candidate, facts, command.cwd, outputs)
    ]
    return tuple(dict.fromkeys(found))


def is_stub(path: str, facts: Facts, cwd: str | None = ".", outputs: Collection[str | None] = ()) -> bool:
    """Tell whether a path leads below a `fixtures` folder of the workspace.

    A path that spells the folder counts whether or not something is there; one that reaches it only through the current
    folder, or holds white space, counts when something is, since otherwise any word could be a path.
    """
    if HOLE in path:
        return _ends_like_a_stub(path, facts)
    place = facts.resolve(path, cwd)
    if place is None or place in outputs:
        return False
    if is_glob(path):
        return any(fnmatchcase(file, place) and FIXTURES in file.split("/") for file in facts.files)
    if FIXTURES not in place.split("/"):
        return False
    if FIXTURES in path.split("/") and not any(map(str.isspace, path)):
        return True
    return facts.exists(place) and not place.endswith(f"/{FIXTURES}") and place != FIXTURES


def _ends_like_a_stub(path: str, facts: Facts) -> bool:
    """Tell whether a path whose beginning is unknown ends like a file below `fixtures` that exists."""
    ending = path.rpartition(HOLE)[2].strip("/")
    if FIXTURES not in ending.split("/"):
        return False
    return any(fnmatchcase(f"/{file}", f"*/{ending}") for file in facts.files)


def _fed(command: SimpleCommand) -> Iterator[tuple[str, str]]:
    """Yield each word that may be an input, as it is written, with the paths it may hold."""
    for redirect in (*command.redirects, *command.inherited):
        if redirect.reads_file:
            yield from ((redirect.target.raw, option) for option in redirect.target.options)
    for _, word in command.assignments:
        yield from ((word.raw, option) for option in word.options)
    if command.program in _NOT_FED:
        return
    for word in _inputs(command):
        for option in word.options:
            yield from ((word.raw, candidate) for candidate in _candidates(option))
    call = interpreted(command) if command.words else None
    text = program_text(command, call) if call is not None else None
    yield from ((match[2], match[2]) for match in _QUOTED_PATH.finditer(text or ""))


def _inputs(command: SimpleCommand) -> Iterator[Word]:
    """Yield the words of a command that are neither its entry point, nor a test to run, nor an output."""
    spared = {id(word) for word in _entry_points(command)}
    operands = [word for word in command.arguments if not is_option(word)]
    if command.program in _COPYING and len(operands) > 1:
        spared.add(id(operands[-1]))
    before = ""
    for word in command.written:
        text = word.raw
        is_output = _OUTPUT_OPTION.fullmatch(before) or _OUTPUT_OPTION.fullmatch(text.partition("=")[0])
        if id(word) not in spared and not is_output and not text.startswith("of="):
            yield word
        before = text


def _entry_points(command: SimpleCommand) -> Iterator[Word]:
    yield from command.words[:1]
    if command.program in {"source", "."}:
        yield from command.words[1:2]
    run = test_run(command)
    if run is not None:
        yield from _tests(run)
    shell = shell_call(command.words)
    if shell is not None and shell.kind is ShellInput.SCRIPT and shell.source is not None:
        yield shell.source
    call = interpreted(command) if command.words else None
    if call is not None and call.program is not None and call.source in {Source.SCRIPT, Source.INLINE}:
        yield call.program


def _tests(run: TestRun) -> Iterator[Word]:
    """Yield the tests that a runner is given; what follows an option that is not known may be its value."""
    before = ""
    for word in run.arguments:
        unknown = before.startswith("--") and "=" not in before and before not in FLAGS
        if not unknown and any(word is test for test in run.tests):
            yield word
        before = word.text or ""


def _candidates(text: str) -> Iterator[str]:
    """Yield the paths that an argument may hold: itself, or what follows `=`, `@`, `,`, `:` or a short option."""
    if not text.startswith("-"):
        yield text
    elif not text.startswith("--"):
        yield text[2:]
    parts = _SEPARATORS.split(text)
    if len(parts) > 1:
        yield from (part for part in parts if part and not part.startswith("-"))
