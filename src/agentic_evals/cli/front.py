"""The front page: the commands there are, and what `--help` and `--version` answer without importing anything."""

from __future__ import annotations

from agentic_evals import __version__

COMMANDS = {
    "run": "Evaluate fixtures: check the contract, run, judge, report, gate.",
    "validate": "Check the contract of fixtures; nothing is executed.",
    "explain": "Show the documentation of a rule.",
    "schema": "Print the JSON Schema of a public document.",
    "doctor": "Show what this machine can enforce and record.",
    "regrade": "Judge a recorded run again, offline.",
    "exec-trial": "Run one TrialJob from stdin; for remote workers.",
}
HIDDEN = frozenset({"exec-trial"})
HELP_OPTIONS = ("-h", "--help")
VERSION_OPTION = "--version"
VERSION_LINE = f"agentic-evals, version {__version__}\n"

_PAGE = """\
Usage: agentic-evals [OPTIONS] COMMAND [ARGS]...

  Say truthfully whether an agent skill works.

  A no-op must not pass, an unknown must not pass, and nothing unobserved
  counts as evidence.

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.

Commands:
{commands}

  Example: agentic-evals run fixtures/agentic_eval.json
"""


def visible_commands() -> list[str]:
    """Return the names that `--help` lists, in the order of use."""
    return [name for name in COMMANDS if name not in HIDDEN]


def help_page() -> str:
    """Return the program's own help, at most 80 columns wide."""
    names = visible_commands()
    width = max(map(len, names))
    return _PAGE.format(commands="\n".join(f"  {name.ljust(width)}  {COMMANDS[name]}" for name in names))


def answer(arguments: list[str]) -> str | None:
    """Return what a command line asks for that needs nothing else of the program; `None` where it asks for more."""
    if arguments == [VERSION_OPTION]:
        return VERSION_LINE
    return help_page() if len(arguments) == 1 and arguments[0] in HELP_OPTIONS else None
