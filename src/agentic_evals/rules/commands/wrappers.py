"""The programs that only start another program, and how each is looked through."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from agentic_evals.rules.commands.options import Syntax, is_option, leading_options, option_value
from agentic_evals.rules.commands.values import Word

Words = tuple[Word, ...]

_PYTHON: Final = Word.literal("python")


@dataclass(frozen=True, slots=True)
class Started:
    """What is left when the wrappers are taken off."""

    words: Words
    assignments: tuple[tuple[str, Word], ...] = ()
    folders: Words = ()
    """The folders that the wrappers change into, in order."""
    conditional: bool = False
    """Whether the program is started once for each input, and so perhaps never."""
    external: bool = False
    """Whether a new process is made, in which functions and builtins do not exist."""
    searched: Words = ()
    """Project folders in which modules are looked for."""

    def then(self, inner: "Started") -> "Started":
        """Return what two wrappers, one inside the other, leave."""
        return Started(
            inner.words,
            self.assignments + inner.assignments,
            self.folders + inner.folders,
            self.conditional or inner.conditional,
            self.external or inner.external,
            self.searched + inner.searched,
        )


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A program that takes options, then operands of its own, then the words of another program."""

    syntax: Syntax = field(default_factory=Syntax)
    operands: int = 0
    folder: frozenset[str] = frozenset()
    assigns: bool = False
    conditional: bool = False
    inert: frozenset[str] = frozenset()
    """Options with which nothing is started."""

    def start(self, arguments: Words) -> Started | None:
        """Return what is started, or None where nothing is."""
        place = leading_options(arguments, self.syntax)
        options, rest = arguments[:place], arguments[place:]
        if any(word.text in self.inert for word in options):
            return None
        folder = option_value(options, self.folder)
        assignments, rest = _assignments(rest) if self.assigns else ((), rest)
        if len(rest) <= self.operands:
            return None
        return Started(
            rest[self.operands :],
            assignments,
            () if folder is None else (folder,),
            conditional=self.conditional,
            external=True,
        )


def _assignments(words: Words) -> tuple[tuple[tuple[str, Word], ...], Words]:
    found: list[tuple[str, Word]] = []
    for place, word in enumerate(words):
        name, equals, value = (word.text or "").partition("=")
        if not equals:
            return tuple(found), words[place:]
        found.append((name, replace(word, text=value, options=(value,), spelled=word.spelled.partition("=")[2])))
    return tuple(found), ()


def _plain(valued: str = "", operands: int = 0, *, conditional: bool = False, inert: str = "") -> Wrapper:
    return Wrapper(Syntax.of(valued), operands, conditional=conditional, inert=frozenset(inert.split()))


_ENV: Final = Wrapper(Syntax.of("-u --unset -C --chdir"), folder=frozenset({"-C", "--chdir"}), assigns=True)
_SUDO: Final = Wrapper(
    Syntax.of("-u --user -g --group -p --prompt -C --close-from -D --chdir -h --host -R --chroot -r -t -T -U"),
    folder=frozenset({"-D", "--chdir"}),
    assigns=True,
    inert=frozenset({"-l", "--list", "-v", "--validate", "-k", "-K", "-V", "--version"}),
)
_VERSIONS: Final = "--version --help"

_PLAIN: Final[Mapping[str, Wrapper]] = {
    "nice": _plain("-n --adjustment", inert=_VERSIONS),
    "timeout": _plain("-k --kill-after -s --signal", 1, inert=_VERSIONS),
    "gtimeout": _plain("-k --kill-after -s --signal", 1, inert=_VERSIONS),
    "nohup": _plain(inert=_VERSIONS),
    "stdbuf": _plain("-i --input -o --output -e --error", inert=_VERSIONS),
    "setsid": _plain(inert=f"-V -h {_VERSIONS}"),
    "ionice": _plain("-c --class -n --classdata -p --pid -P --pgid -u --uid", inert=f"-p --pid -V -h {_VERSIONS}"),
    "chrt": _plain("-T -P -D", 1, inert=f"-m --max -p --pid -V -h {_VERSIONS}"),
    "taskset": _plain("", 1, inert=f"-p --pid -V -h {_VERSIONS}"),
    "prlimit": _plain("-p --pid", inert=f"-p --pid -V -h {_VERSIONS}"),
    "time": _plain("-f --format -o --output", inert="-V --version --help"),
    "strace": _plain("-e -o -s -p -u -E -a -b -O -P -S", inert="-p -V -h --version --help"),
    "unbuffer": _plain(),
    "chronic": _plain(),
    "xvfb-run": _plain("-n --server-num -s --server-args -f --auth-file -e --error-file -w --wait -p -l -c"),
    "flock": _plain("-w --wait --timeout -E --conflict-exit-code -c --command", 1, inert="-c --command -h -V"),
    "faketime": _plain("-f", 1),
    "sudo": _SUDO,
    "doas": _plain("-u -C"),
    "env": _ENV,
    "xargs": _plain(
        "-a --arg-file -d --delimiter -E -I -L -n -P -s --max-args --max-procs --max-lines --max-chars --replace",
        conditional=True,
        inert=_VERSIONS,
    ),
    "parallel": _plain("-j --jobs -a --arg-file -I --results --joblog --delay", conditional=True, inert=_VERSIONS),
    "busybox": _plain(inert="--list --install --help"),
    "npx": _plain("-p --package -w --workspace", inert="-v --version --help -c --call"),
    "bunx": _plain("-p --package", inert="--version --help"),
    "uvx": _plain("--from --with -w -p --python --with-editable --with-requirements --index --default-index"),
    "dotenv": _plain("-f --file -e -c"),
    "doppler": _plain("-p --project -c --config"),
    "caffeinate": _plain("-t -w"),
    "direnv": _plain("", 1),
}

_UV_VALUED: Final = (
    "--project --directory --with --with-editable --with-requirements --extra --group --only-group --no-group"
    " --no-extra -p --python --env-file --index --default-index -i --index-url --extra-index-url -f --find-links"
    " --package"
    " --index-strategy --keyring-provider -P --upgrade-package --resolution --prerelease --exclude-newer --link-mode"
    " -C --config-setting --no-build-package --no-binary-package --refresh-package --reinstall-package --cache-dir"
    " --python-preference --config-file --color --allow-insecure-host --python-platform -w"
)


@dataclass(frozen=True, slots=True)
class Runner:
    """A project manager: `NAME [options] SUBCOMMAND [options] PROGRAM …`."""

    subcommands: frozenset[tuple[str, ...]]
    syntax: Syntax
    folder: frozenset[str] = frozenset()
    project: frozenset[str] = frozenset()
    python_files: bool = False

    def start(self, arguments: Words) -> Started | None:
        """Return what is started, or None where the subcommand starts nothing of ours."""
        outer = leading_options(arguments, self.syntax)
        rest = arguments[outer:]
        subcommand = next((name for name in self.subcommands if _begins_with(rest, name)), None)
        if subcommand is None:
            return None
        rest = rest[len(subcommand) :]
        inner = leading_options(rest, self.syntax)
        options = arguments[:outer] + rest[:inner]
        words = self._program(rest[:inner], rest[inner:])
        if not words:
            return None
        folder, project = option_value(options, self.folder), option_value(options, self.project)
        return Started(
            words,
            folders=() if folder is None else (folder,),
            searched=() if project is None else (project,),
            external=True,
        )

    def _program(self, options: Words, words: Words) -> Words:
        if not self.python_files or not words:
            return words
        flags = {word.text for word in options}
        if flags & {"-m", "--module"}:
            return (_PYTHON, Word.literal("-m"), *words)
        if flags & {"-s", "--script", "--gui-script"} or (words[0].text or "").endswith((".py", ".pyw")):
            return (_PYTHON, *words)
        return (_PYTHON, *words) if words[0].text == "-" else words


def _begins_with(words: Sequence[Word], names: Sequence[str]) -> bool:
    return [word.text for word in words[: len(names)]] == list(names)


def _runner(subcommands: str, valued: str = "", folder: str = "") -> Runner:
    names = frozenset((name,) for name in subcommands.split())
    return Runner(names, Syntax.of(valued), frozenset(folder.split()))


_UV: Final = Runner(
    frozenset({("run",), ("tool", "run")}),
    Syntax.of(_UV_VALUED),
    folder=frozenset({"--directory"}),
    project=frozenset({"--project", "--directory"}),
    python_files=True,
)

_RUNNERS: Final[Mapping[str, Runner]] = {
    "uv": _UV,
    "poetry": _runner("run", "-C --directory -P --project", folder="-C --directory"),
    "pdm": _runner("run", "-p --project"),
    "rye": _runner("run", "--pyproject"),
    "hatch": _runner("run", "-e --env -p --project"),
    "pipenv": _runner("run", "--python"),
    "pixi": _runner("run", "-e --environment --manifest-path"),
    "conda": _runner("run", "-n --name -p --prefix --cwd", folder="--cwd"),
    "mamba": _runner("run", "-n --name -p --prefix --cwd", folder="--cwd"),
    "micromamba": _runner("run", "-n --name -p --prefix --cwd", folder="--cwd"),
    "mise": _runner("exec x", "-C --cd", folder="-C --cd"),
    "asdf": _runner("exec"),
    "bundle": _runner("exec", "--gemfile"),
    "pnpm": _runner("exec dlx", "-C --dir -F --filter", folder="-C --dir"),
    "yarn": _runner("exec dlx", "--cwd", folder="--cwd"),
    "npm": _runner("exec x", "-w --workspace --prefix -p --package"),
    "bun": _runner("x", "--cwd", folder="--cwd"),
    "pipx": _runner("run", "--spec --python"),
}


def _split_string(arguments: Words) -> Words | None:
    """Undo `env -S TEXT`, which splits its text into words."""
    for place, word in enumerate(arguments):
        text = word.text or ""
        if not is_option(word):
            return None
        for name in ("--split-string=", "-S", "-vS", "-iS"):
            if not text.startswith(name):
                continue
            attached = text[len(name) :]
            following = place + (1 if attached else 2)
            value = attached or (arguments[place + 1].text if place + 1 < len(arguments) else None)
            try:
                pieces = shlex.split(value or "")
            except ValueError:
                return None
            return (*arguments[:place], *map(Word.literal, pieces), *arguments[following:])
        if text in {"-u", "-C", "--unset", "--chdir"}:
            return None
    return None


def _env(arguments: Words) -> Started | None:
    return _ENV.start(_split_string(arguments) or arguments)


def _find(arguments: Words) -> Started | None:
    for place, word in enumerate(arguments):
        if word.text in {"-exec", "-execdir", "-ok", "-okdir"}:
            words = []
            for following in arguments[place + 1 :]:
                if following.text in {";", "+"}:
                    break
                words.append(following)
            return Started(tuple(words), conditional=True, external=True) if words else None
    return None


_SPECIAL: Final[Mapping[str, Callable[[Words], Started | None]]] = {"env": _env, "find": _find}


def take_off(words: Words) -> Started | None:
    """Take the outermost wrapper off, or return None where there is none."""
    if not words or not words[0].names_a_program:
        return None
    name = (words[0].text or "").rpartition("/")[2]
    if name in _SPECIAL:
        return _SPECIAL[name](words[1:])
    runner = _RUNNERS.get(name)
    if runner is not None:
        return runner.start(words[1:])
    wrapper = _PLAIN.get(name)
    return None if wrapper is None else wrapper.start(words[1:])


def unwrap(words: Words) -> Started:
    """Take all wrappers off."""
    started = Started(words)
    inner: Started | None = started
    while inner is not None:
        started = started.then(inner) if inner is not started else started
        inner = take_off(started.words)
    return started
