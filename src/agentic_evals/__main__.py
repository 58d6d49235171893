"""`python -m agentic_evals`."""

from agentic_evals.cli.main import main

main()
