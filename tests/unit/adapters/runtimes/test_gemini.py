"""The agent runtime gemini."""

import pytest

from agentic_evals.adapters.runtimes.gemini import RUNTIME


@pytest.mark.parametrize("variable", ["GEMINI_API_KEY", "GOOGLE_API_KEY"])
def test_it_is_usable_where_its_program_is(variable):
    """`gemini` on PATH makes it usable; the credential is named and never shown."""
    usable, why = RUNTIME.usable({"gemini": "/opt/bin/gemini"}.get, {variable: "a-secret-value"})

    assert usable
    assert f"/opt/bin/gemini; {variable} is set" == why


def test_it_says_that_no_credential_is_set():
    """An empty variable is none."""
    assert (True, "/opt/bin/gemini; no credential variable is set") == RUNTIME.usable(
        {"gemini": "/opt/bin/gemini"}.get, {"GEMINI_API_KEY": ""}
    )


def test_it_is_not_usable_elsewhere():
    """Without the program the reason names it, whatever variables are set."""
    assert (False, "`gemini` is not on PATH") == RUNTIME.usable({}.get, {"GEMINI_API_KEY": "a-secret-value"})
