"""GitLab, as far as it is recognised from its pipelines."""

from __future__ import annotations

from typing import Final

from agentic_evals.adapters.forges._pipeline import PipelineForge

FORGE: Final = PipelineForge("gitlab", "GitLab", "GITLAB_CI", ("GITLAB_TOKEN", "GITLAB_API_TOKEN"))
