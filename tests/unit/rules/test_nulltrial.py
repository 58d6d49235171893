"""Taking the skill away: which cases are due, what is replaced for each, and what the result says."""

import pytest

from agentic_evals.model.verdict import Decision, Outcome, TrialVerdict
from agentic_evals.rules.nulltrial import NullPlan, due, keeps_the_gate_shut, plan, says, together
from tests.unit.rules.contract.subjects import (
    ATTACK,
    CLAIM,
    HONEST,
    ROOT,
    SEAM,
    case,
    facts,
    shell,
    subject,
)

RUN = f"{ROOT}/run.sh"
IDLE = {"exit_code": 0}


def planned(one, *, private=True, **around):
    """Return the plan of a case in a workspace."""
    return plan(subject(one, around=facts(**around)).commands[0], private=private)


EXIT_0 = {
    "a script": (case("./run.sh", "samples/poem.txt"), [RUN]),
    "a decoy, then echo": (shell("./run.sh x; echo 'words: 14'"), [RUN]),
    "a decoy, then a copy": (shell("./run.sh x; cp expected out"), [RUN]),
    "through wrappers": (case("env", "A=1", "timeout", "5", "bash", "-lc", "./run.sh x"), [RUN]),
    "under a condition": (shell("test -f x && ./run.sh x"), [RUN]),
}
BY_INTERPRETER = {
    "by an interpreter": (case("python3", "scripts/count.py", "x"), [f"{ROOT}/scripts/count.py"]),
    "in another folder": (shell("cd scripts; python3 count.py x"), [f"{ROOT}/scripts/count.py"]),
}


@pytest.mark.parametrize(("one", "paths"), EXIT_0.values(), ids=EXIT_0.keys())
def test_every_script_that_is_reached_exits_0(one, paths):
    """Each entry point inside the workspace that the command may reach is replaced by a program that exits 0."""
    assert NullPlan(dict.fromkeys(paths, "exit0")) == planned(one)


@pytest.mark.parametrize(("one", "paths"), BY_INTERPRETER.values(), ids=BY_INTERPRETER.keys())
def test_what_an_interpreter_runs_becomes_empty(one, paths):
    """An empty file is silent in every language, whatever the file's name or first line promise."""
    assert NullPlan(dict.fromkeys(paths, "empty")) == planned(one)


def test_a_script_that_is_not_reached_stays():
    """What is behind an exit is not taken away: it does not run with the skill either."""
    assert {RUN: "exit0"} == planned(shell("./run.sh x; exit 0; python3 scripts/count.py x")).replace


def test_a_module_becomes_empty():
    """A module cannot be replaced by a program; it becomes an empty file."""
    expected = {f"{ROOT}/scripts/count.py": "empty"}

    assert expected == planned(case("python3", "-m", "scripts.count")).replace
    assert expected == planned(case("python3", "-c", "from scripts.count import count; print(count('a'))")).replace


def test_a_test_file_becomes_empty():
    """A test that is named is emptied; of a folder, the files that are named as tests."""
    named = planned(case("pytest", "tests/test_count.py"))
    found = planned(case("python3", "-m", "pytest", "tests/"))

    assert {f"{ROOT}/tests/test_count.py": "empty"} == named.replace == found.replace


def test_tests_without_the_usual_names_become_empty():
    """Where no file is named as a test, the sources in folders of tests are, and their data stay."""
    files = {"test/counting.js", "test/data.json", "lib/count.js"}
    around = facts(*files, without={"tests/test_count.py"})

    found = plan(subject(case("npm", "test"), around=around).commands[0], private=True)

    assert {f"{ROOT}/test/counting.js": "empty"} == found.replace


def test_a_program_of_skill_md_is_shadowed():
    """A program that SKILL.md names lies outside the workspace: another one comes before it on PATH."""
    assert NullPlan(shadow=("word-count",)) == planned(case("word-count", "samples/poem.txt"))
    assert NullPlan(shadow=("word-count",)) == planned(shell("timeout 5 word-count a; word-count b"))


UNKNOWN = {
    "an address": (case("curl", "http://localhost:8080/count"), "the address http://localhost:8080/count"),
    "nothing of the skill": (case("git", "log"), "nothing that could be taken away"),
    "a program by its path": (case("/opt/tools/word-count", "x"), "word-count is started by its path"),
    "a program of a project": (case("uv", "run", "word-count", "x"), "uv looks for word-count elsewhere"),
    "a login shell": (case("bash", "-lc", "word-count x"), "a PATH of its own"),
    "a PATH of its own": (shell("export PATH=/opt/tools; word-count x"), "sets PATH itself"),
    "an environment of its own": (case("env", "-i", "word-count", "x"), "a PATH of its own"),
}


@pytest.mark.parametrize(("one", "why"), UNKNOWN.values(), ids=UNKNOWN.keys())
def test_what_cannot_be_taken_away_is_unknown(one, why):
    """Where something would still be there, nothing is replaced, and the plan says why."""
    found = planned(one)

    assert ({}, ()) == (found.replace, found.shadow)
    assert why in (found.unknown or "")


def test_without_a_private_view_it_is_unknown():
    """In the user's own tree nothing is ever replaced."""
    found = planned(HONEST, private=False)

    assert ({}, ()) == (found.replace, found.shadow)
    assert "no private view" in (found.unknown or "")


def test_a_case_that_carries_something_is_due():
    """A claim, a seam and the real world each make a case due; it may be optional."""
    plain = HONEST | {"real_world": False, "required": False}
    about = subject(
        HONEST | {"required": False},
        plain | {"supports_claims": ["counts"]},
        plain | {"seams": ["reading"]},
        plain,
        capability_claims=[CLAIM],
        seams=[SEAM],
    )

    assert {0, 1, 2} == due(about)


def test_the_attack_that_carries_the_contract_is_due():
    """Where no attack is named, the first required one that counts is due, not one that any crash passes."""
    crashes = ATTACK | {"expected": {"exit_code": 2}}
    optional = ATTACK | {"required": False}

    assert {0, 3} == due(subject(HONEST, crashes, optional, ATTACK, ATTACK))


def test_the_positive_case_that_carries_the_contract_is_due():
    """Where the real-world case is an attack, the first required positive case that can fail is due too."""
    plain = HONEST | {"real_world": False}

    assert {0, 2} == due(subject(ATTACK | {"real_world": True}, plain | {"expected": IDLE}, plain, plain))


def test_no_case_is_added_where_both_kinds_are_named():
    """A real-world attack and a real-world success are enough."""
    assert {0, 1} == due(subject(HONEST, ATTACK | {"real_world": True}, ATTACK, HONEST | {"real_world": False}))


def test_an_exempt_kind_adds_no_case():
    """The contract does not count the cases of an exempt fixture, so none is added for it."""
    assert {0} == due(subject(HONEST, ATTACK, eval_kind="scaffold"))


HELD, MISSED = Decision("/exit_code", holds=True, observation=""), Decision("/exit_code", holds=False, observation="")


@pytest.mark.parametrize(
    ("outcome", "ended", "decision", "said"),
    [
        (Outcome.PASS, "exited", HELD, "passes-without-skill"),
        (Outcome.FAIL, "exited", MISSED, "depends-on-skill"),
        (Outcome.FAIL, "timed_out", MISSED, "depends-on-skill"),
        (Outcome.BLOCKED, "exited", MISSED, "unknown"),
        (Outcome.BLOCKED, "exited", HELD, "passes-without-skill"),
        (Outcome.FAIL, "worker_lost", MISSED, "unknown"),
    ],
)
def test_a_result_says_what_it_shows(outcome, ended, decision, said):
    """A marker excuses no case whose expectations all hold without the skill, and a lost trial shows nothing."""
    assert said == says(TrialVerdict(outcome, (), (decision,)), ended)


def test_one_trial_that_passes_is_enough():
    """Of the two trials without the skill, the one that says the worst is believed."""
    assert "passes-without-skill" == together(["depends-on-skill", "passes-without-skill"])
    assert "unknown" == together(["unknown", "depends-on-skill"])
    assert "depends-on-skill" == together(["depends-on-skill", "depends-on-skill"])


@pytest.mark.parametrize(
    ("one", "shut"),
    [
        (shell("export PATH=/opt/tools; word-count x"), True),
        (case("perl", "-e", "use POSIX; print 6*7"), True),
        (case("curl", "http://localhost:8080/count"), False),
    ],
    ids=["its own PATH", "nothing of the skill", "an address"],
)
def test_doubt_that_is_the_cases_own_doing_keeps_the_gate_shut(one, shut):
    """What the case makes unknown by itself must not pass; what the machine cannot do is only said."""
    assert shut is keeps_the_gate_shut(planned(one).unknown or "")
