"""Which commands prove nothing about a skill, whatever they print."""

from agentic_evals.rules.commands.inline import is_constant
from agentic_evals.rules.commands.options import only_help
from agentic_evals.rules.commands.programs import SHELLS, TRIVIAL
from agentic_evals.rules.commands.shells import ShellInput, shell_call
from agentic_evals.rules.commands.values import ParsedCommand, Reach, SimpleCommand


def is_trivial(command: SimpleCommand) -> bool:
    """Tell whether a command only repeats, counts, looks or waits, or interprets a constant program."""
    if not command.words:
        return True
    program = command.program
    if program is None:
        return False
    if program in SHELLS:
        return _runs_nothing(command)
    return program in TRIVIAL or is_constant(command)


def _runs_nothing(command: SimpleCommand) -> bool:
    call = shell_call(command.words)
    if call is None or not call.executes or call.kind is ShellInput.NOTHING:
        return call is not None
    fed = command.piped or any(redirect.reads_file for redirect in command.redirects)
    return call.kind is ShellInput.STDIN and not fed


def only_trivial(parsed: ParsedCommand) -> bool:
    """Tell whether every reached command is trivial; one that cannot be parsed shows nothing else."""
    return all(is_trivial(command) for command in parsed.at_least(Reach.REACHED))


def asks_for_help(command: SimpleCommand) -> bool:
    """Tell whether a program is asked for nothing but its help or its version."""
    return only_help(command.arguments)
