"""Which variables a trial sees."""

import pytest

from agentic_evals.model.fixture import Environment
from agentic_evals.rules.environment import merged, trial_environment

CALLER = {
    "PATH": "/venv/bin:/usr/bin",
    "VIRTUAL_ENV": "/venv",
    "LANG": "C",
    "API_TOKEN": "value-of-a-token",
    "MONEY_PATH": "/x",
    "AGENTIC_EVALS_TRIALS": "1",
}


def seen(spec=None, credentials=(), own_prefix="/venv", caller=CALLER):
    """Return the variables and what was hidden."""
    made = trial_environment(caller, spec, credentials, own_prefix)
    return dict(made.variables), made.hidden


def test_by_default_all_but_our_own_and_credentials_is_inherited():
    """The program's own virtual environment, its own variables and what looks like a credential are taken away."""
    assert ({"PATH": "/usr/bin", "LANG": "C", "MONEY_PATH": "/x"}, ("API_TOKEN",)) == seen()


def test_a_declared_credential_is_seen():
    """The fixture names what its commands need."""
    variables, hidden = seen(credentials=["API_TOKEN"])

    assert "value-of-a-token" == variables["API_TOKEN"]
    assert () == hidden


def test_a_foreign_virtual_environment_stays():
    """Only the one that this program runs from is left."""
    variables, _ = seen(own_prefix="/other")

    assert ("/venv", "/venv/bin:/usr/bin") == (variables["VIRTUAL_ENV"], variables["PATH"])


def test_nothing_is_inherited_where_the_fixture_says_none():
    """`inherit: none` leaves only what is set."""
    assert ({"A": "1"}, ()) == seen(Environment(inherit="none", set={"A": "1"}))


def test_only_named_variables_are_inherited_where_they_are_listed():
    """A listed name that looks like a credential is still hidden unless it is declared as one."""
    assert ({"LANG": "C"}, ("API_TOKEN",)) == seen(Environment(inherit=["LANG", "API_TOKEN"]))


def test_what_is_set_wins():
    """`set` replaces what is inherited."""
    assert "de_DE" == seen(Environment(set={"LANG": "de_DE"}))[0]["LANG"]


def test_our_own_variables_never_reach_a_trial():
    """Not even by name."""
    assert "AGENTIC_EVALS_TRIALS" not in seen(Environment(inherit=["AGENTIC_EVALS_TRIALS"]))[0]


@pytest.mark.parametrize(
    ("name", "value", "hidden"),
    [
        ("GITHUB_TOKEN", "x", True),
        ("DB_PASSWORD", "x", True),
        ("MY_API_KEY", "x", True),
        ("PLAIN", "ghp_" + "a" * 36, True),
        ("TOKENIZER", "x", False),
        ("PATHS", "x", False),
        ("KEYBOARD", "x", False),
    ],
)
def test_what_looks_like_a_credential(name, value, hidden):
    """By a word of its name, or by the shape of its value."""
    assert hidden is bool(seen(caller={name: value})[1])


def test_a_cases_environment_is_laid_over_the_fixtures():
    """The case's `inherit` wins where it is given; its `set` is added."""
    outer = Environment(inherit="none", set={"A": "1", "B": "1"})

    assert Environment(inherit="none", set={"A": "1", "B": "2"}) == merged(outer, Environment(set={"B": "2"}))
    assert Environment(inherit="all", set={"A": "1", "B": "1"}) == merged(outer, Environment(inherit="all"))
    assert outer == merged(outer, None) == merged(None, outer)
