"""`exec-trial`: one TrialJob on standard input, one Capture on standard output; what a remote worker runs."""

from __future__ import annotations

import os
from typing import Final

import click


@click.command(hidden=True, epilog="Example: agentic-evals exec-trial < job.json")
def exec_trial() -> int:
    """Run one TrialJob document from standard input, and print its Capture document.

    This process becomes the supervising worker itself, so nothing of the program stands between.
    """
    from agentic_evals import wiring

    argv = [*wiring.worker_command(), "--once"]
    os.execv(argv[0], argv)  # noqa: S606 - our own program, no shell


COMMAND: Final = exec_trial
