"""The programs and addresses that a `SKILL.md` names in a command."""

import re
from collections.abc import Iterator
from typing import Final

from agentic_evals.rules.commands.facts import origin
from agentic_evals.rules.commands.inline import Source, interpreted
from agentic_evals.rules.commands.parse import parse_command
from agentic_evals.rules.commands.programs import HOUSEKEEPING, SHELLS, interpreter_family
from agentic_evals.rules.commands.values import HOLE, SimpleCommand

_SHELL_TAGS: Final = frozenset({"sh", "bash", "shell", "zsh", "console", "shell-session", "shellsession", "terminal"})
_FENCE: Final = re.compile(r"[ \t>]*(?P<mark>`{3,}|~{3,})[ \t]*\{?\.?(?P<tag>[\w+-]*)(?P<rest>[^`\n]*)")
_INLINE: Final = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_PROMPT: Final = re.compile(r"[ \t]*[$%>][ \t]+(.*)")
_NAME: Final = re.compile(r"[A-Za-z][\w.+-]*")
_COMMAND: Final = re.compile(r"[a-z][\w.+-]*(?:[ \t]+[^\s:.,]\S*)+")
_CLIENTS: Final = frozenset({"curl", "wget", "http", "https", "xh", "xhs", "httpie", "curlie", "hurl"})
_BUILDERS: Final = frozenset(
    """
    bun bundle cargo cmake composer conda dotnet go gradle gradlew hatch just make mvn mvnw ninja node npm nox pdm
    pipenv pnpm poetry pytest rye tox yarn
    """.split()
)
_FETCHING: Final = frozenset({"clone", "pull", "fetch", "submodule", "login", "install", "add", "upgrade", "update"})
_FETCHERS: Final = frozenset({"git", "docker", "podman", "gh", "glab", "helm", "claude", "code"})


def commands_from_markdown(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the programs, and the origins of the addresses, that a text names in a command.

    Commands stand in fenced blocks of shell and in inline code that starts like one. Programs of every machine,
    installers and bare interpreters are left out; a module that an interpreter is given is kept as `python -m NAME`.
    """
    programs: set[str] = set()
    origins: set[str] = set()
    for source in _sources(text):
        for command in _parsed(source):
            programs.update(_programs(command))
            origins.update(_origins(command))
    return frozenset(programs), frozenset(origins)


def _sources(text: str) -> Iterator[str]:
    prose: list[str] = []
    block: list[str] = []
    fence: re.Match[str] | None = None
    for line in text.splitlines():
        match = _FENCE.match(line)
        if fence is None:
            if match is None:
                prose.append(line)
            else:
                fence, block = match, []
        elif match is not None and match["mark"].startswith(fence["mark"]) and not match["tag"]:
            yield from _block(fence["tag"].lower(), block)
            fence = None
        else:
            block.append(line.removeprefix("> ") if fence[0].lstrip().startswith(">") else line)
    if fence is not None:
        yield from _block(fence["tag"].lower(), block)
    for match in _INLINE.finditer("\n".join(prose)):
        code = match[2].strip().removeprefix("$ ")
        if _COMMAND.fullmatch(code):
            yield code


def _block(tag: str, lines: list[str]) -> Iterator[str]:
    """Yield the commands of a fenced block: those after a prompt where it has prompts."""
    if tag and tag not in _SHELL_TAGS:
        return
    if any(_PROMPT.match(line) and line.lstrip().startswith("$") for line in lines):
        yield from _prompted(lines)
    elif tag:
        yield "\n".join(lines)
    else:
        yield from (line for line in lines if _COMMAND.fullmatch(line.strip()))


def _prompted(lines: list[str]) -> Iterator[str]:
    command = ""
    for line in lines:
        match = _PROMPT.match(line)
        if command.endswith("\\"):
            command = f"{command}\n{match[1] if match and line.lstrip().startswith('>') else line}"
            continue
        if command:
            yield command
        command = match[1] if match and line.lstrip()[0] in "$%" else ""
    if command:
        yield command


def _parsed(source: str) -> tuple[SimpleCommand, ...]:
    """Return the commands of a text, line by line where the whole is no shell text."""
    parsed = parse_command(["bash", "-c", source])
    if not parsed.problems or "\n" not in source:
        return parsed.commands
    return tuple(command for line in source.splitlines() for command in parse_command(["bash", "-c", line]).commands)


def _programs(command: SimpleCommand) -> Iterator[str]:
    call = interpreted(command) if command.words else None
    if call is not None:
        if call.source is Source.MODULE and call.program is not None and call.program.text:
            yield f"python -m {call.program.text}"
        return
    path = command.program_path or ""
    if not command.words or not command.words[0].names_a_program or ("/" in path and not path.startswith("/")):
        return
    name = command.program or ""
    if name in HOUSEKEEPING | SHELLS | _CLIENTS | _BUILDERS or not _NAME.fullmatch(name) or interpreter_family(name):
        return
    if not (name in _FETCHERS and command.arguments and command.arguments[0].text in _FETCHING):
        yield name


def _origins(command: SimpleCommand) -> Iterator[str]:
    if command.program in HOUSEKEEPING | _BUILDERS | {"git"}:
        return
    for word in command.arguments:
        for option in word.options:
            found = origin(option)
            if found is not None and HOLE not in found:
                yield found
