"""The way in: answers `--help` and `--version` at once, and imports the program only for everything else."""

from __future__ import annotations

import os
import signal
import sys

from agentic_evals.cli import front

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def _end_at_once_when_interrupted() -> None:
    """Let Ctrl-C end the program without a traceback until a command takes it into its own hands."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> NoReturn:
    """Run the program and exit with a code of `ExitCode`."""
    _end_at_once_when_interrupted()
    arguments = sys.argv[1:]
    page = front.answer(arguments)
    if page is not None and sys.stdout is not None:
        try:
            os.write(sys.stdout.fileno(), page.encode("ascii"))  # at once, so that nothing is left over if it fails
        except OSError:
            pass  # the program says the same, and answers for what is wrong with the other end
        else:
            sys.exit(0)
    from agentic_evals.cli.program import guarded

    sys.exit(guarded(arguments))
