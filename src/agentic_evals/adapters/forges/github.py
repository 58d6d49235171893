"""GitHub, as far as it is recognised from its pipelines."""

from __future__ import annotations

from typing import Final

from agentic_evals.adapters.forges._pipeline import PipelineForge

FORGE: Final = PipelineForge("github", "GitHub", "GITHUB_ACTIONS", ("GITHUB_TOKEN", "GH_TOKEN"))
