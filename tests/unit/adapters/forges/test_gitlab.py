"""The forge gitlab."""

from agentic_evals.adapters.forges.gitlab import FORGE


def test_it_is_usable_in_its_pipeline_with_a_token():
    """The pipeline's variable and a token make it usable; the token is named and never shown."""
    assert (True, "in a pipeline; GITLAB_TOKEN is set") == FORGE.usable(
        {"GITLAB_CI": "true", "GITLAB_TOKEN": "a-secret-value"}
    )


def test_a_pipeline_without_a_token_is_not_enough():
    """The reason names the variables that could carry one."""
    usable, why = FORGE.usable({"GITLAB_CI": "true", "GITLAB_TOKEN": ""})

    assert not usable
    assert "GITLAB_TOKEN" in why


def test_it_is_not_usable_elsewhere():
    """Outside of its pipelines a token alone changes nothing."""
    assert (False, "not one of its pipelines: GITLAB_CI is not set") == FORGE.usable({"GITLAB_TOKEN": "a-secret-value"})
