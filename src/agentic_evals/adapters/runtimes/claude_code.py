"""Claude Code, as far as it is recognised on this machine."""

from __future__ import annotations

from typing import Final

from agentic_evals.adapters.runtimes._program import ProgramRuntime

RUNTIME: Final = ProgramRuntime(
    "claude_code", "Claude Code", "claude", ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN")
)
