"""The agent runtime codex."""

import pytest

from agentic_evals.adapters.runtimes.codex import RUNTIME


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "CODEX_API_KEY"])
def test_it_is_usable_where_its_program_is(variable):
    """`codex` on PATH makes it usable; the credential is named and never shown."""
    usable, why = RUNTIME.usable({"codex": "/opt/bin/codex"}.get, {variable: "a-secret-value"})

    assert usable
    assert f"/opt/bin/codex; {variable} is set" == why


def test_it_says_that_no_credential_is_set():
    """An empty variable is none."""
    assert (True, "/opt/bin/codex; no credential variable is set") == RUNTIME.usable(
        {"codex": "/opt/bin/codex"}.get, {"OPENAI_API_KEY": ""}
    )


def test_it_is_not_usable_elsewhere():
    """Without the program the reason names it, whatever variables are set."""
    assert (False, "`codex` is not on PATH") == RUNTIME.usable({}.get, {"OPENAI_API_KEY": "a-secret-value"})
