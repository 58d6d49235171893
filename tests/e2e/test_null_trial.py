"""A case that carries something is run once more without the skill, and must fail then."""

import json

import pytest

from tests.e2e.program import INCONCLUSIVE, NOT_READY, READY, REJECTED
from tests.programs.example_skill import NAME, lay_out

COUNTS = {"exit_code": 0, "stdout_contains": ["14"]}
WRITES = {"exit_code": 0, "artifacts": [{"path": "out.json", "json_pointer": "/words", "equals": 14}]}
REFUSES = {"exit_code": 2, "stderr_contains": ["refused: "]}


def case(*command, expected=COUNTS, **more):
    """Return a real-world case that runs a command in the skill folder."""
    return {
        "name": "counts",
        "type": "positive",
        "real_world": True,
        "workdir": "..",
        "command": list(command),
        "expected": expected,
        **more,
    }


def shell(text, **more):
    """Return a real-world case whose command is a text for bash."""
    return case("bash", "-c", text, **more)


ATTACK = case("./run.sh", "none.txt", expected=REFUSES, name="refuses", type="negative", real_world=False)


@pytest.fixture
def write(tmp_path):
    """Return a function that lays out the example skill with a fixture of cases, and returns its path."""

    def written(*cases, **manifest):
        document = {"version": 2, "skill": NAME, "trials": 2, **manifest, "cases": list(cases)}
        folder = tmp_path / NAME
        path = lay_out(folder, json.dumps(document).encode())
        (folder / "samples" / "expected.json").write_text('{"words": 14}')
        return path

    return written


def shown(report, name="counts"):
    """Return what the null trial of a case says."""
    return next(one["null_trial"] for one in report["cases"] if one["name"] == name)


def obstacles(report):
    """Return the rule and the case of each obstacle."""
    return [(one["rule"], one["case"]) for one in report["obstacles"]]


HONEST = {
    "the skill prints it": case("./run.sh", "samples/poem.txt"),
    "the skill writes it": case("./run.sh", "samples/poem.txt", "--json", "out.json", expected=WRITES),
    "a pipeline": shell("./run.sh samples/poem.txt | tr a-z A-Z | cat"),
    "a module": case("python3", "-c", "from scripts.count import count; print(count('a b ' * 7))"),
    "an interpreter": case("python3", "scripts/count.py", "samples/poem.txt"),
    "its tests": case(
        "python3", "-m", "unittest", "tests/test_count.py", expected={"exit_code": 0, "stderr_contains": ["Ran 1"]}
    ),
}  # fmt: skip


@pytest.mark.parametrize("one", HONEST.values(), ids=HONEST.keys())
def test_an_honest_case_depends_on_the_skill(program, write, one):
    """Without the skill its expectations do not hold: that is said, and the gate is open."""
    done, report = program.evaluate(write(one, ATTACK))

    assert READY == done.returncode, done.stdout
    assert "depends-on-skill" == shown(report)["says"]


DECOYS = {
    "a decoy, then echo": shell("./run.sh samples/poem.txt >/dev/null; echo $((7 * 2))"),
    "a decoy, then another program": shell("./run.sh samples/poem.txt >/dev/null; wc -w < samples/poem.txt"),
    "a decoy, then a copy": shell(
        "./run.sh samples/poem.txt; tar -cf - samples | tar -xOf - samples/expected.json > out.json",
        expected=WRITES,
    ),
    "a script that ignores the skill": shell("./run.sh none.txt; python3 - <<'END'\nprint(7 + 7)\nEND"),
    "a decoy whose failure is swallowed": shell("python3 scripts/count.py none || true; expr 7 + 7"),
    "a test run beside it": shell("python3 -m unittest tests/test_count.py; expr 7 + 7"),
    "a pipeline that reads nothing": shell("./run.sh samples/poem.txt | wc -w samples/poem.txt"),
}


@pytest.mark.parametrize("one", DECOYS.values(), ids=DECOYS.keys())
def test_a_decoy_keeps_the_gate_shut(program, write, one):
    """A case that passes its trials and still passes without the skill is an obstacle by its name."""
    done, report = program.evaluate(write(one, ATTACK))

    assert NOT_READY == done.returncode, done.stderr
    assert [("passes-without-skill", "counts")] == obstacles(report)
    assert {"PASS"} == {one["outcome"] for one in report["cases"]}
    assert "passes-without-skill: counts:" in done.stdout


STATIC = {
    "echo of the needle": (shell("./run.sh samples/poem.txt >/dev/null; echo 14"), "real-world-case-missing"),
    "cp of the asserted file": (
        shell("./run.sh samples/poem.txt; cp samples/expected.json out.json", expected=WRITES),
        "trivial-write",
    ),
    "touch of the asserted file": (
        shell(
            "./run.sh samples/poem.txt; touch out.json",
            expected={"exit_code": 0, "artifacts": [{"path": "out.json", "exists": True}]},
        ),
        "trivial-write",
    ),
}


@pytest.mark.parametrize(("one", "rule"), STATIC.values(), ids=STATIC.keys())
def test_a_decoy_that_shows_itself_is_refused_at_load(program, write, tmp_path, one, rule):
    """What the command itself shows is refused before anything runs."""
    done = program("run", write(one, ATTACK), cwd=tmp_path)

    assert REJECTED == done.returncode
    assert f"error[{rule}]" in done.stderr


def test_an_attack_that_carries_the_contract_cannot_be_a_decoy(program, write):
    """The only negative case is run without the skill too, although nothing else is said of it."""
    decoy = shell("./run.sh none.txt; echo refused: $((1)) >&2; exit 2", real_world=False, type="negative")
    decoy |= {"name": "refuses", "expected": {"exit_code": 2, "stderr_contains": ["refused: 1"]}}

    done, report = program.evaluate(write(case("./run.sh", "samples/poem.txt"), decoy))

    assert NOT_READY == done.returncode
    assert [("passes-without-skill", "refuses")] == obstacles(report)


def test_a_program_of_skill_md_is_shadowed(program, write, tmp_path):
    """A program that SKILL.md names lies outside the workspace: a silent one comes before it on PATH."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "word-count").write_text('#!/bin/sh\nwc -w <"$1"\n')
    (tools / "word-count").chmod(0o755)
    path = {"PATH": f"{tools}:/usr/local/bin:/usr/bin:/bin"}

    done, report = program.evaluate(write(case("word-count", "samples/poem.txt"), ATTACK), **path)
    assert READY == done.returncode, done.stdout
    assert "depends-on-skill" == shown(report)["says"]

    decoy = shell("word-count samples/poem.txt >/dev/null; expr 7 + 7")
    done, report = program.evaluate(write(decoy, ATTACK), **path)
    assert NOT_READY == done.returncode
    assert [("passes-without-skill", "counts")] == obstacles(report)


def test_a_shared_workspace_does_not_switch_it_off(program, write):
    """A case that asks for the workspace in place is run without its skill in a private view all the same."""
    done, report = program.evaluate(write(case("./run.sh", "samples/poem.txt"), ATTACK), "--workspace", "shared")

    assert READY == done.returncode, done.stdout
    assert ["depends-on-skill"] * 2 == [shown(report, name)["says"] for name in ("counts", "refuses")]


def test_a_fallback_that_prints_the_answer_is_no_skill(program, write):
    """Stand-ins that fail bring out what stands right of `||`: the case passes without the skill."""
    decoy = case("bash", "-c", "./run.sh samples/none.txt || echo MTQ= | base64 -d")

    done, report = program.evaluate(write(decoy, ATTACK))

    assert NOT_READY == done.returncode, done.stdout
    assert "passes-without-skill" == shown(report, "counts")["says"]


def test_the_workspace_keeps_the_skill(program, write):
    """Taking the skill away happens in the view: the files of the workspace are what they were."""
    fixture = write(case("./run.sh", "samples/poem.txt"), ATTACK)
    before = (fixture.parent.parent / "run.sh").read_bytes()

    program.evaluate(fixture)

    assert before == (fixture.parent.parent / "run.sh").read_bytes()


def test_a_null_trial_is_no_trial(program, write):
    """It is kept apart: neither the trials nor the outcomes of the case contain it."""
    _, report = program.evaluate(write(case("./run.sh", "samples/poem.txt"), ATTACK))
    counts = report["cases"][0]

    assert (2, 2, ["PASS", "PASS"]) == (
        counts["passed_trials"],
        counts["total_trials"],
        [trial["outcome"] for trial in counts["trials"]],
    )
    assert [] != shown(report)["problems"]


def test_a_case_that_carries_nothing_is_not_run_without_its_skill(program, write):
    """A further case costs no further trial."""
    further = case("python3", "scripts/count.py", "samples/poem.txt", name="further", real_world=False)
    _, report = program.evaluate(write(case("./run.sh", "samples/poem.txt"), ATTACK, further))

    assert shown(report, "further") is None


def test_an_optional_decoy_is_said_and_keeps_nothing_shut(program, write):
    """What is optional does not enter the gate; that it proves nothing is in the report all the same."""
    decoy = DECOYS["a decoy, then echo"] | {"name": "optional decoy", "required": False}
    done, report = program.evaluate(write(case("./run.sh", "samples/poem.txt"), ATTACK, decoy))

    assert READY == done.returncode, done.stdout
    assert "passes-without-skill" == shown(report, "optional decoy")["says"]
    assert next(one["vacuous"] for one in report["cases"] if one["name"] == "optional decoy")


@pytest.mark.parametrize("name", ["an honest suite", "a decoy"])
def test_a_recorded_null_trial_is_judged_again(program, write, tmp_path, name):
    """`regrade` reads the null trial from the run folder and comes to the same answer."""
    one = HONEST["the skill prints it"] if name == "an honest suite" else DECOYS["a decoy, then echo"]
    folder = tmp_path / "run"
    fixture = write(one, ATTACK)
    ran = program("run", fixture, "--output", f"{folder}/", cwd=tmp_path)

    again = program("regrade", folder, "--format", "json", cwd=tmp_path)

    first, second = json.loads((folder / "report.json").read_text()), json.loads(again.stdout)
    assert ran.returncode == again.returncode == (READY if name == "an honest suite" else NOT_READY)
    assert shown(first) == shown(second)
    assert obstacles(first) == obstacles(second)


def test_a_part_takes_the_skill_from_its_own_cases_only(program, write):
    """With `--case` only the selected cases are run, with their skill and without it."""
    fixture = write(case("./run.sh", "samples/poem.txt"), ATTACK)

    done, report = program.evaluate(fixture, "--case", "refuses")

    assert INCONCLUSIVE == done.returncode
    assert shown(report) is None
    assert "depends-on-skill" == shown(report, "refuses")["says"]
