"""The contract through the front door: history, the number of trials in force, and the kinds that are exempt."""

import json
import subprocess

import pytest

from agentic_evals import wiring
from tests.e2e.program import NOT_READY, READY, REJECTED
from tests.house.support import commit_all
from tests.programs.example_skill import NAME, lay_out

COUNTS = {
    "name": "counts",
    "type": "positive",
    "real_world": True,
    "workdir": "..",
    "command": ["./run.sh", "samples/poem.txt"],
    "expected": {"exit_code": 0, "stdout_contains": ["words: 14"]},
}
REFUSES = {
    "name": "refuses",
    "type": "negative",
    "workdir": "..",
    "command": ["./run.sh", "none.txt"],
    "expected": {"exit_code": 2, "stderr_contains": ["refused: "]},
}
DRAWS = {
    "name": "draws",
    "type": "adversarial",
    "workdir": "..",
    "command": ["./run.sh", "--samples", "500"],
    "expected": {"exit_code": 0, "stdout_contains": ["agreed on"]},
}
SUITE = {"version": 2, "skill": NAME, "trials": 2, "cases": [COUNTS, REFUSES, DRAWS]}
GUARDED = SUITE | {"eval_tier": "compliance"}
GONE = "error[tier-removed]"


def written(folder, document):
    """Lay out the example skill with a fixture; return the fixture's path."""
    return lay_out(folder, json.dumps(document, indent=1).encode())


def rules(path):
    """Return the rules that have something to say of a fixture."""
    return [finding.rule for finding in wiring.admit()(str(path)).findings]


def git(folder, *words):
    """Run git in a folder."""
    identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost", "-c", "core.hooksPath=/dev/null"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path):
    """Return where the skill lies."""
    return tmp_path / NAME


def test_the_tier_of_a_committed_version_stays(folder):
    """A version that declared the tier was committed: the next that does not is refused, and one that does is not."""
    written(folder, GUARDED)
    commit_all(folder)

    assert ["tier-removed"] == rules(written(folder, SUITE))
    assert [] == rules(written(folder, GUARDED))


def test_it_stays_after_the_removal_was_committed(folder):
    """Committing the removal does not make it forgotten, nor do commits after it."""
    written(folder, GUARDED)
    commit_all(folder)
    path = written(folder, SUITE)
    commit_all(folder)
    written(folder, SUITE | {"notes": "later"})
    commit_all(folder)

    assert ["tier-removed"] == rules(path)


def test_it_stays_under_another_name(folder):
    """A fixture that was renamed has the history of its old name."""
    path = written(folder, GUARDED)
    commit_all(folder)
    renamed = path.with_name("suite.json")
    git(folder, "mv", str(path), str(renamed))
    git(folder, "commit", "-m", "rename")
    renamed.write_text(json.dumps(SUITE, indent=1))
    commit_all(folder)

    assert ["tier-removed"] == rules(renamed)


def test_it_stays_when_a_branch_was_merged(folder):
    """A tier that came with a merged branch, and that the merge itself dropped, was committed all the same."""
    path = written(folder, SUITE)
    commit_all(folder)
    git(folder, "switch", "-c", "branch")
    written(folder, GUARDED)
    git(folder, "commit", "-am", "declare")
    git(folder, "switch", "main")
    git(folder, "commit", "--allow-empty", "-m", "other")
    git(folder, "merge", "--strategy=ours", "-m", "merge", "branch")

    assert ["tier-removed"] == rules(path)


@pytest.mark.parametrize(
    "words",
    [
        {"notes": '"eval_tier": "compliance" was considered'},
        {"x-eval_tier": "compliance"},
        {"_eval_tier": "compliance"},
    ],
    ids=["prose", "a remark", "another remark"],
)
def test_words_about_the_tier_declare_nothing(folder, words):
    """Prose and remarks of an earlier version are no declaration."""
    written(folder, SUITE | words)
    commit_all(folder)

    assert [] == rules(written(folder, SUITE))


def test_the_history_of_another_fixture_does_not_count(folder):
    """The tier of a neighbour is the neighbour's."""
    other = written(folder, GUARDED).with_name("other.json")
    other.write_text(json.dumps(GUARDED))
    path = written(folder, SUITE)
    commit_all(folder)

    assert [] == rules(path)
    assert [] == rules(other)


def test_without_a_checkout_there_is_no_history(folder):
    """Below no repository, nothing was committed."""
    assert [] == rules(written(folder, SUITE))


def test_a_removed_tier_is_refused_by_run_and_validate(folder, program):
    """Both commands name the rule and exit 1; nothing is executed."""
    written(folder, GUARDED)
    commit_all(folder)
    path = written(folder, SUITE)

    for command in ("run", "validate"):
        done = program(command, path, cwd=folder)

        assert REJECTED == done.returncode
        assert GONE in done.stdout + done.stderr


def test_a_sound_compliance_suite_is_ready(folder, program):
    """Most cases attack, one draws fresh inputs: it is admitted and READY."""
    done, report = program.evaluate(written(folder, GUARDED))

    assert READY == done.returncode, done.stdout + done.stderr
    assert "compliance" == report["eval_tier"]


@pytest.mark.parametrize("command", ["run", "validate"])
def test_the_trials_in_force_are_checked(folder, program, command):
    """The variable and the flag replace the number: 1 is refused by the name of who set it, and the flag beats it."""
    path = written(folder, SUITE)

    by_variable = program(command, path, cwd=folder, AGENTIC_EVALS_TRIALS="1")
    by_flag = program(command, path, "--trials", "1", cwd=folder)
    flag_wins = program("validate", path, "--trials", "2", cwd=folder, AGENTIC_EVALS_TRIALS="1")

    assert (REJECTED, REJECTED, READY) == (by_variable.returncode, by_flag.returncode, flag_wins.returncode)
    assert "1 trial (set by AGENTIC_EVALS_TRIALS)" in by_variable.stdout + by_variable.stderr
    assert "1 trial (set by --trials)" in by_flag.stdout + by_flag.stderr


def test_a_fixture_of_one_trial_may_be_run_with_two(folder, program):
    """The value in force counts in both directions."""
    path = written(folder, SUITE | {"trials": 1})

    assert REJECTED == program("validate", path, cwd=folder).returncode
    assert READY == program("validate", path, cwd=folder, AGENTIC_EVALS_TRIALS="2").returncode


@pytest.mark.parametrize("kind", ["runner_selftest", "scaffold"])
def test_an_exempt_kind_is_never_ready(folder, program, kind):
    """It is admitted without real cases, and its green is USABLE_WITH_GAPS, exit 3, and says that it is exempt."""
    plain = {key: value for key, value in COUNTS.items() if key != "real_world"}
    path = written(folder, {"version": 2, "skill": NAME, "trials": 1, "eval_kind": kind, "cases": [plain]})

    done, report = program.evaluate(path)

    assert NOT_READY == done.returncode
    assert ("USABLE_WITH_GAPS", "exempt") == (report["readiness"], report["contract"])
    assert ["contract-exempt"] == [one["rule"] for one in report["obstacles"]]
    assert f"{NAME}: USABLE_WITH_GAPS (cases only, nothing claimed; contract exempt)" == done.stdout.splitlines()[0]


def test_another_kind_is_no_kind(folder, program):
    """A kind that is made up exempts from nothing: it is an error of its own."""
    done = program("validate", written(folder, SUITE | {"eval_kind": "demo"}), cwd=folder)

    assert REJECTED == done.returncode
    assert "error[fixture-value]" in done.stdout
    assert "/eval_kind" in done.stdout


def test_validate_says_the_same_on_a_machine_without_the_programs(folder, program):
    """What is installed is decided by the trial: with an empty PATH the verdict on the same tree is the same."""
    cargo = COUNTS | {"name": "tests", "command": ["cargo", "test"]}
    path = written(
        folder, SUITE | {"cases": [COUNTS, REFUSES, cargo, COUNTS | {"name": "tool", "command": ["word-count"]}]}
    )
    (folder / "Cargo.toml").write_text('[package]\nname = "example"\n')

    here, there = (
        program("validate", path, "--format", "json", cwd=folder, **more) for more in ({}, {"PATH": "/nowhere"})
    )

    assert (READY, READY) == (here.returncode, there.returncode), here.stdout
    assert here.stdout == there.stdout


def test_a_program_that_is_not_there_is_said_by_the_trial(folder, program):
    """A test runner that is not installed is admitted, and its trials fail with the reason."""
    (folder / "tests").mkdir(parents=True)
    missing = COUNTS | {"name": "tests", "command": ["shellspec", "tests"]}

    done, report = program.evaluate(written(folder, SUITE | {"cases": [COUNTS, REFUSES, missing]}))

    assert NOT_READY == done.returncode
    (told,) = {problem for one in report["cases"] if one["name"] == "tests" for problem in one["problems"][:1]}
    assert told.startswith("could not start: ")
