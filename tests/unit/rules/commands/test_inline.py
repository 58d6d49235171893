"""Interpreters: where they take their program from."""

import pytest

from agentic_evals.rules.commands.inline import Source, interpreted
from agentic_evals.rules.commands.values import SimpleCommand, Word


@pytest.mark.parametrize(
    ("argv", "source", "program"),
    [
        (["python", "-c", "T", "a"], Source.INLINE, "T"),
        (["python3.12", "-Ic", "T"], Source.INLINE, "T"),
        (["python", "-cT"], Source.INLINE, "T"),
        (["python", "-m", "mod", "a"], Source.MODULE, "mod"),
        (["python", "-W", "error", "x.py"], Source.SCRIPT, "x.py"),
        (["python", "-"], Source.STDIN, None),
        (["python"], Source.STDIN, None),
        (["python", "-c"], Source.NOTHING, None),
        (["node", "-e", "T"], Source.INLINE, "T"),
        (["node", "--eval=T"], Source.INLINE, "T"),
        (["node", "-r", "m", "x.js"], Source.SCRIPT, "x.js"),
        (["deno", "eval", "T"], Source.INLINE, "T"),
        (["deno", "run", "-A", "x.ts"], Source.SCRIPT, "x.ts"),
        (["perl", "-ne", "T"], Source.INLINE, "T"),
        (["ruby", "-I", "lib", "x.rb"], Source.SCRIPT, "x.rb"),
        (["awk", "T", "file"], Source.INLINE, "T"),
        (["awk", "-F:", "-f", "x.awk", "file"], Source.SCRIPT, "x.awk"),
    ],
)
def test_the_program_is_found(argv, source, program):
    """In an argument, a module, a script, or on the standard input."""
    call = interpreted(SimpleCommand(tuple(map(Word.literal, argv))))

    assert (source, program) == (call.source, call.program.text if call.program else None)


@pytest.mark.parametrize("argv", [["bash", "-c", "x"], ["./python.sh"], ["pythonista"], []])
def test_other_programs_interpret_nothing(argv):
    """The name decides."""
    command = SimpleCommand(tuple(map(Word.literal, argv)))

    assert (interpreted(command) if argv else None) is None
