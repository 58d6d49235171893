"""Gemini CLI, as far as it is recognised on this machine."""

from __future__ import annotations

from typing import Final

from agentic_evals.adapters.runtimes._program import ProgramRuntime

RUNTIME: Final = ProgramRuntime("gemini", "Gemini CLI", "gemini", ("GEMINI_API_KEY", "GOOGLE_API_KEY"))
