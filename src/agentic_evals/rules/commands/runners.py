"""Test runners: which commands run tests, and which tests they are given."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from agentic_evals.rules.commands.options import Syntax, is_option, option_value
from agentic_evals.rules.commands.values import SimpleCommand, Word

_LISTING: Final = frozenset(
    {"--collect-only", "--co", "--no-run", "--listTests", "--list-tests", "--list", "-list", "-N", "--fixtures"}
    | {"--setup-plan", "--setup-only", "--markers", "--dry-run"}
)


FLAGS: Final = frozenset(
    """
    -- --bail --cache-clear --ci --coverage --disable-warnings --exitfirst --failed-first --ff --last-failed --lf
    --no-header --no-summary --parallel --passWithNoTests --quiet --recursive --run --runInBand --silent --stepwise
    --strict-config --strict-markers --sw --tap --test --verbose --watch
    """.split()
)
"""Long options of test runners that take no value, so that what follows is a test."""


@dataclass(frozen=True, slots=True)
class Runner:
    """How a test runner is called."""

    subcommands: tuple[tuple[str, ...], ...] = ((),)
    syntax: Syntax = field(default_factory=Syntax)
    folder: frozenset[str] = frozenset()
    """Options that name the folder it runs in."""
    names_paths: bool = True
    """Whether its operands are paths of tests."""
    inert: frozenset[str] = _LISTING
    """Options with which it runs no test."""


@dataclass(frozen=True, slots=True)
class TestRun:
    """The call of a test runner."""

    __test__ = False

    runner: str
    tests: tuple[Word, ...]
    """The operands that name tests by path."""
    folder: Word | None
    arguments: tuple[Word, ...]
    runs: bool


def _runner(
    subcommands: str = "", valued: str = "", folder: str = "", *, paths: bool = True, inert: str | None = None
) -> Runner:
    names = tuple(tuple(name.split("+")) for name in subcommands.split()) or ((),)
    return Runner(
        names,
        Syntax.of(valued),
        frozenset(folder.split()),
        paths,
        _LISTING if inert is None else frozenset(inert.split()),
    )


_PYTEST: Final = _runner(
    "",
    "-k -m -c -p -o -W -n -r --maxfail --tb --rootdir --basetemp --junitxml --junit-xml --confcutdir --ignore"
    " --deselect --log-level --log-file --durations --timeout --dist --cov"
    " --cov-report --color --capture --import-mode --seed",
    "--rootdir",
)
_NODE_TESTS: Final = "-t --testNamePattern --config -c --reporter -r --project --environment --maxWorkers --testTimeout"

_RUNNERS: Final[Mapping[str, Runner]] = {
    "pytest": _PYTEST,
    "py.test": _PYTEST,
    "unittest": _runner("", "-k -s -p -t", "-s --start-directory"),
    "bats": _runner("", "-f --filter -j --jobs --formatter -F -T -o --output --report-formatter", inert="-c --count"),
    "cargo": _runner(
        "test nextest+run t",
        "--manifest-path -p --package --test --bin --example --features -F -j --target --profile",
        paths=False,
    ),
    "go": _runner("test", "-run -count -timeout -coverprofile -tags -C -bench -p -parallel", "-C"),
    "npm": _runner("test t tst run+test run-script+test", "-w --workspace --prefix -C", "--prefix -C", paths=False),
    "pnpm": _runner("test t run+test", "-C --dir -F --filter", "-C --dir", paths=False),
    "yarn": _runner("test run+test jest vitest mocha", "--cwd", "--cwd", paths=False),
    "bun": _runner("test run+test", "--cwd -t", "--cwd"),
    "deno": _runner("test", "--filter -c --config"),
    "node": _runner("--test", "--test-name-pattern --test-reporter --import --require -r"),
    "jest": _runner("", _NODE_TESTS, "--rootDir"),
    "vitest": _runner("run watch", _NODE_TESTS, "--root --dir"),
    "mocha": _runner("", "-g --grep -f -r --require --reporter -R -t --timeout --config"),
    "ava": _runner("", "-m --match -T --timeout"),
    "playwright": _runner("test", "-g --grep -c --config --project --reporter --workers"),
    "rspec": _runner("", "-e --example -f --format -o --out -t --tag -r -I -P --seed"),
    "mvn": _runner("test verify", "-f --file -pl -P -s", "-f --file", paths=False),
    "mvnw": _runner("test verify", "-f --file -pl -P -s", "-f --file", paths=False),
    "gradle": _runner("test check", "-p --project-dir --tests", "-p --project-dir", paths=False),
    "gradlew": _runner("test check", "-p --project-dir --tests", "-p --project-dir", paths=False),
    "ctest": _runner("", "--test-dir -R -E -L -j --timeout -C", "--test-dir", paths=False, inert="-N --show-only"),
    "make": _runner(
        "test tests check", "-C --directory -f --file -j", "-C --directory", paths=False, inert="-n --dry-run -q"
    ),
    "just": _runner(
        "test tests check", "-f --justfile -d --working-directory", "-d", paths=False, inert="-n --dry-run"
    ),
    "tox": _runner("", "-e -c -r -f", "-c", paths=False, inert="-l --listenvs --notest"),
    "nox": _runner("", "-s -e --session -f --noxfile -t -k -p", "", paths=False, inert="-l --list"),
    "prove": _runner("", "-I -j --jobs -e --exec -s"),
    "phpunit": _runner("", "-c --configuration --filter --testsuite --bootstrap --group"),
    "dotnet": _runner("test", "--filter -c --configuration -f --framework --logger -v", inert="--list-tests -t"),
    "shellspec": _runner("", "-s -e -f"),
    "swift": _runner("test", "--filter --package-path", "--package-path", paths=False),
    "mix": _runner("test", "--only --exclude"),
}


def test_run(command: SimpleCommand) -> TestRun | None:
    """Read a command as the call of a test runner; None where it is none."""
    words = _without_python(command.words)
    name = (words[0].text or "").rpartition("/")[2] if words and words[0].names_a_program else ""
    runner = _RUNNERS.get(name)
    if runner is None:
        return None
    rest = words[1:]
    for subcommand in runner.subcommands:
        after = _after(rest, subcommand, runner)
        if after is not None:
            return _run(name, runner, rest, after)
    return _run(name, runner, rest, rest) if name == "vitest" else None


test_run.__test__ = False  # type: ignore[attr-defined]  # pytest would take it for a test


def _run(name: str, runner: Runner, arguments: tuple[Word, ...], after: tuple[Word, ...]) -> TestRun:
    tests = _operands(after, runner) if runner.names_paths else ()
    runs = not any(word.text in runner.inert for word in arguments)
    return TestRun(name, tests, option_value(arguments, runner.folder), arguments, runs)


def _without_python(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Undo `python [options] -m RUNNER`."""
    from agentic_evals.rules.commands.inline import Source, interpreted

    call = interpreted(SimpleCommand(words))
    if call is not None and call.family == "python" and call.source is Source.MODULE and call.program is not None:
        return (call.program, *call.arguments)
    return words


def _after(words: tuple[Word, ...], subcommand: tuple[str, ...], runner: Runner) -> tuple[Word, ...] | None:
    """Return what follows a subcommand, with or without options before it."""
    if not subcommand:
        return words
    place = 0
    while place < len(words) and is_option(words[place]) and words[place].text != subcommand[0]:
        place += runner.syntax.width(words[place].text or "")
    end = place + len(subcommand)
    found = tuple(word.text for word in words[place:end])
    return words[end:] if found == subcommand else None


def _operands(words: tuple[Word, ...], runner: Runner) -> tuple[Word, ...]:
    found: list[Word] = []
    place = 0
    while place < len(words):
        word = words[place]
        if is_option(word):
            place += runner.syntax.width(word.text or "")
        else:
            found.append(word)
            place += 1
    return tuple(found)
