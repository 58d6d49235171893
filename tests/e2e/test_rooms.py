"""Trials are kept apart from each other and from the workspace, and the report says how well."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.e2e.program import (
    ENVIRONMENT,
    NOT_READY,
    READY,
    Program,
    case,
    contents,
    make_skill,
    outcomes,
    problems,
)
from tests.house.support import CHECKOUT, strangers_environment

NOBODY = 65534
IDENTITY = "-c user.name=nobody -c user.email=nobody@localhost"


def graded(report, name="workspace_private"):
    """Return the grade of a guarantee."""
    return report["isolation"]["guarantees"][name]["grade"]


def needs_overlay(report):
    """Skip where this machine gives no overlay."""
    if report["isolation"]["workspace"] != "overlay":
        pytest.skip(f"no overlay here: {report['isolation']['reason']}")


def streams(report, name):
    """Return what each trial of a case printed."""
    return [trial["stdout"] for one in report["cases"] if one["name"] == name for trial in one["trials"]]


@pytest.mark.parametrize("mode", ["auto", "copy"])
def test_twenty_trials_at_once_do_not_see_each_other(program, skill, mode):
    """Twenty trials, eight at a time, write one path, wait, and each finds only what it wrote itself."""
    text = """
echo "$AGENTIC_EVALS_SEED" >> shared.txt
mkdir new && echo "$AGENTIC_EVALS_SEED" >> old.txt
sleep 0.05
test "$(cat shared.txt)" = "$AGENTIC_EVALS_SEED" && test "$(wc -l < old.txt)" -eq 2 && echo it is done; pwd -P
"""
    fixture = make_skill(skill, case("writes", text), files={"old.txt": "old\n"}, trials=20)

    done, report = program.evaluate(fixture, "--jobs", "8", "--workspace", mode, "--case", "writes")

    assert {"writes": "PASS", "doubles": "NOT_TESTED", "refuses": "NOT_TESTED"} == outcomes(report), done.stdout
    assert 20 == len(streams(report, "writes"))
    if report["isolation"]["workspace"] == "overlay":
        assert {f"it is done\n{os.path.realpath(skill)}\n"} == set(streams(report, "writes"))
        assert "verified" == graded(report)
    assert "old\n" == (skill / "old.txt").read_text()
    assert not (skill / "shared.txt").exists()


def git(folder, *words):
    """Return what git prints."""
    command = ["git", *IDENTITY.split(), "-c", "core.hooksPath=/dev/null", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("mode", ["auto", "copy"])
def test_a_commit_in_a_linked_worktree_does_not_reach_the_repository(program, tmp_path, mode):
    """A trial commits and tags in a linked worktree; the real repository has neither the commit nor the tag."""
    main, linked = tmp_path / "main", tmp_path / "linked"
    text = f"date > new && git add new && git {IDENTITY} commit -qm second && git tag left && echo it is done"
    make_skill(main, case("commits", text))
    git(main, "worktree", "add", "-q", "-b", "other", str(linked))
    before = git(main, "for-each-ref"), git(main, "count-objects", "-v")

    _, report = program.evaluate(linked / "fixtures" / "agentic_eval.json", "--workspace", mode)

    assert "PASS" == outcomes(report)["commits"], problems(report, "commits")
    assert before == (git(main, "for-each-ref"), git(main, "count-objects", "-v"))
    assert "" == git(linked, "status", "--porcelain")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_what_root_does_to_its_view_does_not_reach_the_host(program, skill):
    """A trial of root unmounts its view in every way it knows, and the workspace stays what it was."""
    text = """
here=$(pwd -P)
cd /
umount "$here"; umount -l "$here"; umount -a
unshare -m umount "$here"
nsenter -t 1 -m sh -c "echo escaped > '$here/escaped'"
echo escaped > "/proc/1/root$here/escaped"
for name in "$here"/*; do echo escaped > "$name/escaped"; done
echo escaped > "$here/SKILL.md"; echo escaped > "$here/escaped"
echo it is done
"""
    fixture = make_skill(skill, case("unmounts", text))
    before = contents(skill)

    _, report = program.evaluate(fixture)
    needs_overlay(report)

    assert "PASS" == outcomes(report)["unmounts"], problems(report, "unmounts")
    assert before == contents(skill)


@pytest.mark.parametrize("asked", ["overlay", "copy", "shared"])
def test_a_view_asked_for_by_name_is_the_view_in_force(program, skill, asked):
    """`--workspace NAME` is what the report says, with its grade; `auto` is never taken instead."""
    text = 'test -e left && echo a file was left; touch left; echo "it is done"'
    expected = {"exit_code": 0, "stdout_contains": ["it is done"]}
    fixture = make_skill(skill, case("touches", text, expected))
    if asked == "overlay":
        needs_overlay(program.evaluate(fixture)[1])

    done, report = program.evaluate(fixture, "--workspace", asked)

    assert READY == done.returncode, done.stderr
    assert (asked, asked) == (report["isolation"]["workspace_asked"], report["isolation"]["workspace"])
    assert {"overlay": "verified", "copy": "observed", "shared": "none"}[asked] == graded(report)
    assert (asked == "shared") == (skill / "left").exists()
    assert (asked == "shared") == any("a file was left" in text for text in streams(report, "touches"))
    assert (asked == "shared") == any("shared the workspace in place" in limit for limit in report["limits"])


def test_a_copy_over_the_limit_is_refused_by_name_and_is_a_reason_in_auto(program, skill):
    """`--workspace copy` that exceeds `--copy-limit` stops the run with 5 before any trial."""
    fixture = make_skill(skill, files={f"file-{number}": "x" for number in range(30)})

    done = program("run", fixture, "--workspace", "copy", "--copy-limit", "1MB,10", cwd=skill)

    assert ENVIRONMENT == done.returncode
    assert "copy" in done.stderr
    assert [] == list(program.state.rglob("record.json"))


def test_a_trial_in_the_shared_workspace_finds_its_own_files_not_fresh(program, skill):
    """In `shared` a file that the trial before left is no evidence of this one: the second trial fails."""
    text = "test -e result.json || echo '{\"n\": 1}' > result.json; echo it is done"
    expected = {
        "exit_code": 0,
        "stdout_contains": ["it is done"],
        "artifacts": [{"path": "result.json", "json_pointer": "/n", "equals": 1}],
    }

    done, report = program.evaluate(make_skill(skill, case("writes", text, expected)), "--workspace", "shared")

    assert NOT_READY == done.returncode
    trials = next(one["trials"] for one in report["cases"] if one["name"] == "writes")
    assert ["PASS", "FAIL"] == [trial["outcome"] for trial in trials]
    assert "was not written during this trial" in trials[1]["problems"][0]


def test_paths_may_hold_anything(program, tmp_path):
    """Spaces, quotes, letters of any script and a line break in the workspace's path change nothing."""
    skill = tmp_path / "a b\t'\"$HOME ßе中 \\ , : \n=" / "sample"
    text = 'pwd -P > "where is it.txt"; cat "where is it.txt"; echo it is done'
    expected = {
        "exit_code": 0,
        "stdout_contains": [f"{os.path.realpath(skill)}\nit is done"],
        "artifacts": [{"path": "where is it.txt", "contains": "ßе中"}],
    }

    done, report = program.evaluate(make_skill(skill, case("looks", text, expected)))

    assert READY == done.returncode, problems(report, "looks")
    assert report["isolation"]["workspace"] in {"overlay", "copy"}, report["isolation"]["reason"]
    assert not (skill / "where is it.txt").exists()


def test_a_bare_folder_needs_no_repository(program, skill):
    """Without git the skill's folder is the workspace, and is kept apart all the same."""
    fixture = make_skill(skill, case("writes", "echo x > new; echo it is done"), git=False)
    before = contents(skill)

    done, report = program.evaluate(fixture)

    assert READY == done.returncode, done.stderr
    assert {"sha": None, "ref": None, "dirty": None} == report["repo"]
    assert before == contents(skill)


def test_a_guarantee_that_is_not_in_force_blocks_its_case_alone(program, skill):
    """A case whose `require` is not met never starts and is BLOCKED with the reason; the others run."""
    witness = skill.parent / "executed"
    needs = {"require": {"network_denied": "enforced"}}
    fixture = make_skill(skill, case("alone", f"touch {witness}; echo it is done", isolation=needs))

    done, report = program.evaluate(fixture)

    assert ENVIRONMENT == done.returncode
    assert {"doubles": "PASS", "refuses": "PASS", "alone": "BLOCKED"} == outcomes(report)
    assert "network_denied must be enforced and is none" in problems(report, "alone")[0]
    assert not witness.exists()


@pytest.fixture
def everybodys():
    """Return a folder that every user can reach, with the program's source in it."""
    folder = Path(tempfile.mkdtemp(prefix="agentic-evals-everybody-", dir="/tmp"))
    folder.chmod(0o755)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(CHECKOUT / "src" / "agentic_evals", folder / "src" / "agentic_evals", ignore=ignore)
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=False)


def python_for_nobody(folder):
    """Return a Python that uid 65534 may execute, and the folders of packages it needs."""
    packages = [entry for entry in sys.path if entry.endswith("site-packages")]
    seen = ":".join([str(folder / "src"), *packages])
    question = "import agentic_evals.cli.program, os, pydantic, re2, sys; sys.exit(not os.access(sys.executable, 1))"
    for candidate in (os.path.realpath(sys.executable), "/usr/bin/python3", "/usr/local/bin/python3"):
        done = subprocess.run(
            [*become_nobody(), candidate, "-c", question],
            cwd="/",
            env=strangers_environment(PYTHONPATH=seen, PYTHONDONTWRITEBYTECODE="1"),
            capture_output=True,
            check=False,
        )
        if done.returncode == 0:
            return candidate, seen
    pytest.skip("no Python with our packages that every user may execute")
    return None


def become_nobody():
    """Return the words that run a command as uid 65534."""
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root to become somebody else")
def test_a_user_without_privileges_has_the_same_verdict(everybodys):
    """As uid 65534 the skill is READY, nothing is written to the workspace, and nothing is left over."""
    python, packages = python_for_nobody(everybodys)
    program = Program(everybodys / "home", packages)
    fixture = make_skill(everybodys / "sample", case("writes", "echo x >> SKILL.md; id -u; echo it is done"), git=False)
    subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", everybodys / "home", everybodys / "sample"], check=True)
    before = contents(everybodys / "sample")
    entry = [*become_nobody(), python, "-m", "agentic_evals"]

    done = program(
        "run", fixture, "--format", "json", cwd=everybodys, entry=entry, PYTHONPYCACHEPREFIX=str(everybodys / "home")
    )

    assert READY == done.returncode, done.stderr
    assert '"stdout": "65534\\nit is done\\n"' in done.stdout
    assert before == contents(everybodys / "sample")
    assert [] == program.left_over()
