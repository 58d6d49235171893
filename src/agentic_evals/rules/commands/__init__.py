"""What a case's command really invokes: argv and shell text to simple commands, and what each is evidence of."""

from agentic_evals.rules.commands.exercise import must_exercise
from agentic_evals.rules.commands.facts import Facts, origin
from agentic_evals.rules.commands.invocations import Invocation, InvocationKind, invocations
from agentic_evals.rules.commands.markdown import commands_from_markdown
from agentic_evals.rules.commands.parse import literal_words, parse_command
from agentic_evals.rules.commands.sampling import Sampling, samples
from agentic_evals.rules.commands.stubs import is_stub, stub_inputs
from agentic_evals.rules.commands.substance import Substance, best_substance, is_substantive
from agentic_evals.rules.commands.trivial import is_trivial, only_trivial
from agentic_evals.rules.commands.values import ParsedCommand, Reach, Redirect, SimpleCommand, Word
from agentic_evals.rules.commands.writes import writes_by_trivial_program

__all__ = [
    "Facts",
    "Invocation",
    "InvocationKind",
    "ParsedCommand",
    "Reach",
    "Redirect",
    "Sampling",
    "SimpleCommand",
    "Substance",
    "Word",
    "best_substance",
    "commands_from_markdown",
    "invocations",
    "is_stub",
    "is_substantive",
    "is_trivial",
    "literal_words",
    "must_exercise",
    "only_trivial",
    "origin",
    "parse_command",
    "samples",
    "stub_inputs",
    "writes_by_trivial_program",
]
