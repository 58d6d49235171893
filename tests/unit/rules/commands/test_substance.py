"""Substance: what an entry point is worth."""

from pathlib import PurePosixPath

import pytest

from agentic_evals.rules.commands import (
    Facts,
    Reach,
    Substance,
    best_substance,
    invocations,
    is_substantive,
    parse_command,
)

FACTS = Facts(
    PurePosixPath("skills/a"),
    PurePosixPath("skills/a"),
    "/work/repo",
    frozenset({"skills/a/run.sh", "skills/a/m.py", "skills/a/tests/test_x.py", "scripts/other.sh", "tests/test_y.py"}),
    programs=frozenset({"mytool", "python -m installed"}),
    origins=frozenset({"https://api.example"}),
)


@pytest.mark.parametrize(
    ("command", "worth"),
    [
        ("./run.sh", Substance.SUBSTANTIVE),
        ("python -m m", Substance.SUBSTANTIVE),
        ("python -m installed", Substance.SUBSTANTIVE),
        ("mytool x", Substance.SUBSTANTIVE),
        ("curl https://api.example/v1", Substance.SUBSTANTIVE),
        ("pytest tests", Substance.SUBSTANTIVE),
        ("pytest ../../tests/test_y.py", Substance.SUBSTANTIVE),
        ("./run.sh --help", Substance.WIRING),
        ("mytool --version", Substance.WIRING),
        ("../../scripts/other.sh", Substance.REPOSITORY),
        ("./missing.sh", Substance.NONE),
        ("python -m unknown", Substance.NONE),
        ("other x", Substance.NONE),
        ("curl https://elsewhere.example/v1", Substance.NONE),
        ("pytest missing", Substance.NONE),
        ("pytest /tmp/test_z.py", Substance.NONE),
        ("/tmp/run.sh", Substance.NONE),
    ],
)
def test_the_skill_counts_and_the_rest_does_not(command, worth):
    """What lies in its folder, its tests, and what `SKILL.md` names."""
    found = invocations(parse_command(["bash", "-c", command]), FACTS)

    assert worth is max((is_substantive(each, FACTS) for each in found), default=Substance.NONE)


def test_only_what_is_reached_counts():
    """Unless less is asked for."""
    found = invocations(parse_command(["bash", "-c", "x || ./run.sh"]), FACTS)

    assert Substance.NONE is best_substance(found, FACTS)
    assert Substance.SUBSTANTIVE is best_substance(found, FACTS, Reach.CONDITIONAL)
