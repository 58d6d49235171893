"""The agent runtime claude_code."""

import pytest

from agentic_evals.adapters.runtimes.claude_code import RUNTIME


@pytest.mark.parametrize("variable", ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"])
def test_it_is_usable_where_its_program_is(variable):
    """`claude` on PATH makes it usable; the credential is named and never shown."""
    usable, why = RUNTIME.usable({"claude": "/opt/bin/claude"}.get, {variable: "a-secret-value"})

    assert usable
    assert f"/opt/bin/claude; {variable} is set" == why


def test_it_says_that_no_credential_is_set():
    """An empty variable is none."""
    assert (True, "/opt/bin/claude; no credential variable is set") == RUNTIME.usable(
        {"claude": "/opt/bin/claude"}.get, {"ANTHROPIC_API_KEY": ""}
    )


def test_it_is_not_usable_elsewhere():
    """Without the program the reason names it, whatever variables are set."""
    assert (False, "`claude` is not on PATH") == RUNTIME.usable({}.get, {"ANTHROPIC_API_KEY": "a-secret-value"})
