"""A suite whose required cases would all pass without the skill proves nothing."""

import pytest

from agentic_evals.rules.contract.all_required_vacuous import RULE
from tests.unit.rules.contract.subjects import ATTACK, HONEST, case, said, shell, subject

BARE = {"exit_code": 0}


def test_one_case_that_can_fail_is_enough():
    """A required case that a no-op does not pass keeps the rule."""
    assert [] == said(RULE, subject(HONEST | {"expected": BARE}, HONEST))


IDLE = {
    "a bare exit code": case("./run.sh", "samples/poem.txt", expected=BARE),
    "a needle from the command": case("./run.sh", "--say", "words: 14"),
    "a needle from a shell text": shell("./run.sh samples/poem.txt; echo 'words: 14'"),
    "a needle in two pieces": shell("./run.sh; printf 'words'; printf ': 14'; echo words: 14"),
    "a needle from a comment": shell("./run.sh samples/poem.txt # words: 14"),
    "a needle from a here-document": shell("./run.sh x; cat <<'END'\nwords: 14\nEND"),
    "a needle from standard input": case("./run.sh", "-", stdin="words: 14\n"),
    "what must not be printed": case("./run.sh", expected={"exit_code": 0, "stdout_excludes": ["error"]}),
    "a file that must not be there": case(
        "./run.sh", expected={"exit_code": 0, "artifacts": [{"path": "out.txt", "absent": True}]}
    ),
    "excluding a word of the command": case(
        "./run.sh", "--say", "words: 14", expected={"exit_code": 0, "stdout_excludes": ["--say"]}
    ),
}


@pytest.mark.parametrize("one", IDLE.values(), ids=IDLE.keys())
def test_what_a_no_op_passes_is_refused(one):
    """A suite that a program that does nothing passes breaks the rule, at the expectations of the case."""
    assert [("error", "/cases/0/expected")] == said(RULE, subject(one))


def test_every_required_case_is_named():
    """Each required case gets its finding; an optional one that could fail changes nothing."""
    idle = HONEST | {"expected": BARE}

    assert [("error", "/cases/0/expected"), ("error", "/cases/1/expected")] == said(
        RULE, subject(idle, idle, ATTACK | {"required": False})
    )


def test_an_exempt_kind_does_not_excuse_it():
    """The rule holds for every kind of fixture, and a suite without required cases is another rule's matter."""
    assert frozenset() == RULE.exempt_kinds
    assert [] == said(RULE, subject(HONEST | {"required": False}))
