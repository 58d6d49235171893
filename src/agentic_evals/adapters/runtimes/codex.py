"""Codex, as far as it is recognised on this machine."""

from __future__ import annotations

from typing import Final

from agentic_evals.adapters.runtimes._program import ProgramRuntime

RUNTIME: Final = ProgramRuntime("codex", "Codex", "codex", ("OPENAI_API_KEY", "CODEX_API_KEY"))
