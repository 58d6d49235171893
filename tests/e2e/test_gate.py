"""The gate is open only for READY, and says which obstacle shut it."""

import json
import os
import signal
import subprocess

import pytest

from tests.e2e.program import (
    ENVIRONMENT,
    INCONCLUSIVE,
    INTERRUPTED,
    NOT_READY,
    PROGRAM,
    READY,
    REJECTED,
    SOUND,
    USAGE,
    case,
    contents,
    living,
    make_skill,
    outcomes,
    problems,
    until,
)
from tests.house.support import CHECKOUT, copy_checkout, strangers_environment, untracked


def test_a_sound_skill_is_ready(program, sound):
    """Every required case passed every trial: READY, exit 0, and the first line says what it covers."""
    done, report = program.evaluate(sound)

    assert READY == done.returncode, done.stderr
    assert "sample: READY (cases only, nothing claimed)" == done.stdout.splitlines()[0]
    assert {"doubles": "PASS", "refuses": "PASS"} == outcomes(report)
    assert [] == program.left_over()


def test_this_skill_replaced_by_a_program_that_does_nothing_is_not_ready(program, tmp_path):
    """A clone of this checkout whose run.sh exits 0 silently gets exit 3, and the failing cases are named."""
    clone = copy_checkout(tmp_path / "clone")
    (clone / "run.sh").write_text("#!/bin/sh\nexit 0\n")
    suite = json.loads((clone / "fixtures" / "agentic_eval.json").read_text())

    done = program("run", "fixtures/agentic_eval.json", cwd=clone)

    assert NOT_READY == done.returncode, done.stderr
    assert "agentic-evals: NOT_READY" in done.stdout.splitlines()[0]
    assert [one["name"] for one in suite["cases"]] == [
        one["name"] for one in suite["cases"] if f"case-failed: {one['name']}" in done.stdout
    ]


VACUOUS = {"exit_code": 0}


def test_a_suite_that_a_no_op_passes_is_refused(program, skill, tmp_path):
    """A fixture whose only oracle cannot fail is refused with rule, pointer, line and remedy; nothing is executed."""
    witness = tmp_path / "executed"
    fixture = make_skill(skill, case("touches", f"touch {witness}", VACUOUS), sound=())
    line = next(number for number, text in enumerate(fixture.read_text().splitlines(), 1) if '"expected"' in text)

    done = program("run", fixture, cwd=skill)

    assert REJECTED == done.returncode
    assert "error[all-required-vacuous]" in done.stderr
    assert f"{fixture}:{line}:" in done.stderr
    assert ": /cases/0/expected" in done.stderr
    assert "hint: Expect what only the skill can produce" in done.stderr
    assert not witness.exists()


CLAIM = {"id": "doubles-numbers", "criticality": "critical", "description": "Doubles a number."}
SEAM = {"seam_id": "parser", "seam_type": "input", "criticality": "important", "required_evidence": ["deterministic"]}


@pytest.mark.parametrize("declared", [{"capability_claims": [CLAIM]}, {"seams": [SEAM]}], ids=["claims", "seams"])
def test_what_is_claimed_and_not_scored_keeps_the_gate_shut(program, skill, declared):
    """Declared claims or seams that nothing judges yet end in 7, `claims-unscored`, although every case passed."""
    done, report = program.evaluate(make_skill(skill, **declared))

    assert INCONCLUSIVE == done.returncode, done.stderr
    assert ["claims-unscored"] == [obstacle["rule"] for obstacle in report["obstacles"]]
    assert "claims-unscored" in done.stdout
    assert "READY" != report["readiness"]


def test_a_run_changes_nothing_in_the_workspace(program, skill):
    """Trials write, delete and create; afterwards the workspace is what it was, ignored files included."""
    text = "echo more >> SKILL.md; rm fixtures/agentic_eval.json; mkdir -p new; echo x > new/file; echo it is done"
    fixture = make_skill(skill, case("writes", text), files={".gitignore": "kept.log\n", "kept.log": "old\n"})
    before = contents(skill)

    done, report = program.evaluate(fixture)

    assert READY == done.returncode, problems(report, "writes")
    assert "!! kept.log\n" == untracked(skill)
    assert before == contents(skill)


ENDINGS = {
    "fails": ("echo something else", {}, "FAIL", "stdout does not contain 'it is done'"),
    "exits": ("echo it is done; exit 4", {}, "FAIL", "exit code 4, expected exit code 0"),
    "dies": ("echo it is done; kill -9 $$", {}, "FAIL", "exit code -9, expected exit code 0"),
    "takes-long": ("echo it is done; sleep 50", {"timeout_seconds": 0.5}, "FAIL", "timed out after 0."),
    "leaks": ("sleep 50 & echo it is done", {}, "FAIL", "leaked: still alive after the command ended: `sleep 50`"),
    "cannot-start": ("", {"command": ["./missing-program"]}, "FAIL", "could not start"),
}
BLOCKED = {
    "is-blocked": (
        "echo no licence here",
        {"blocked_when_stdout_contains": ["no licence here"]},
        "BLOCKED",
        "blocked: the output holds 'no licence here'",
    ),
    "meets-a-lost-network": (
        "echo host unreachable >&2; exit 1",
        {"infra_blocked_when": ["host unreachable"]},
        "BLOCKED",
        "infrastructure: the output holds 'host unreachable'",
    ),
    "could-not-start-by-declaration": (
        "",
        {"command": ["./missing-program"], "blocked_when_stdout_contains": ["No such file"]},
        "BLOCKED",
        "could not start",
    ),
}


@pytest.mark.parametrize(("endings", "code"), [(ENDINGS, NOT_READY), (BLOCKED, ENVIRONMENT)], ids=["FAIL", "BLOCKED"])
def test_every_ending_of_a_command_has_its_outcome(program, skill, endings, code):
    """How a command ends decides its outcome and its first problem, and leaves the other cases their results."""
    cases = [case(name, text, **more) for name, (text, more, _, _) in endings.items()]
    done, report = program.evaluate(make_skill(skill, *cases))

    assert code == done.returncode, done.stdout + done.stderr
    assert {"doubles": "PASS", "refuses": "PASS", **{name: row[2] for name, row in endings.items()}} == outcomes(report)
    assert "USABLE_WITH_GAPS" == report["readiness"]
    for name, (_, _, _, problem) in endings.items():
        assert problem in problems(report, name)[0]
        assert name in done.stdout


def test_a_leaked_child_that_holds_the_pipe_is_a_leak_and_no_timeout(program, skill, nap):
    """A daemon with our pipe open is named, and costs the leak grace, not the time limit."""
    done, report = program.evaluate(make_skill(skill, case("leaks", f"setsid sleep {nap} & echo it is done")))
    trials = next(one["trials"] for one in report["cases"] if one["name"] == "leaks")

    assert NOT_READY == done.returncode
    assert [False, False] == [trial["timed_out"] for trial in trials]
    assert [["sleep", nap]] * 2 == [leak["argv"] for trial in trials for leak in trial["leaked"]]
    assert all(trial["duration_ms"] < 5000 for trial in trials)
    assert "leaked" in done.stdout
    assert [] == living(nap)


def test_no_required_case_passed_is_not_ready(program, skill):
    """NOT_READY is said, and not USABLE_WITH_GAPS, where trials ran and no required case passed."""
    broken = [{**one, PROGRAM: ("doubles.sh", "echo nothing of the kind; exit 9")} for one in SOUND]
    done, report = program.evaluate(make_skill(skill, sound=broken))

    assert NOT_READY == done.returncode
    assert "NOT_READY" == report["readiness"]


def test_an_optional_case_may_fail(program, skill):
    """Only required cases keep the gate shut; the failure of an optional one is shown."""
    done, report = program.evaluate(make_skill(skill, case("extra", "exit 1", required=False)))

    assert READY == done.returncode
    assert "FAIL" == outcomes(report)["extra"]
    assert "extra" in done.stdout


@pytest.mark.parametrize(
    ("cases", "rule", "pointer"),
    [
        ((), "fixture-value", "/cases"),
        ([{**one, "required": False} for one in SOUND], "required-case-missing", "/cases"),
    ],
    ids=["no case", "only optional cases"],
)
def test_nothing_that_must_pass_is_refused(program, skill, cases, rule, pointer):
    """A suite without a case, or with optional cases alone, establishes nothing and is refused."""
    done = program("run", make_skill(skill, sound=cases), cwd=skill)

    assert REJECTED == done.returncode
    assert f"error[{rule}]" in done.stderr
    assert f": {pointer}" in done.stderr


@pytest.mark.parametrize(
    ("flags", "variables", "asked_by"),
    [(["--report-only"], {}, "--report-only"), ([], {"AGENTIC_EVALS_NO_GATE": "1"}, "AGENTIC_EVALS_NO_GATE")],
    ids=["flag", "variable"],
)
def test_a_bypass_is_recorded_with_who_asked(program, skill, flags, variables, asked_by):
    """`--report-only` and its variable turn 3 into 0; the report says `bypassed`, by whom, and still what is wrong."""
    done, report = program.evaluate(make_skill(skill, case("fails", "exit 1")), *flags, **variables)

    assert READY == done.returncode
    assert {"state": "bypassed", "exit_code": 0, "asked_by": asked_by} == report["gate"]
    assert "USABLE_WITH_GAPS" == report["readiness"]
    assert ["case-failed"] == [obstacle["rule"] for obstacle in report["obstacles"]]
    assert "bypass" in done.stdout


def test_a_bypass_hides_neither_a_refusal_nor_an_unfit_machine(program, skill):
    """A refused fixture stays 1, and what stopped the run before any trial stays 5."""
    refused = make_skill(skill / "refused", case("touches", "true", VACUOUS), sound=(), git=False)
    sound = make_skill(skill / "sound", git=False)

    assert REJECTED == program("run", refused, "--report-only", cwd=skill).returncode
    assert ENVIRONMENT == program("run", sound, "--report-only", "--isolation", "namespace", cwd=skill).returncode


def test_one_trial_is_refused_wherever_it_was_asked_for(program, sound):
    """AGENTIC_EVALS_TRIALS=1 breaks the contract, which is checked against the number in force."""
    done = program("run", sound, cwd=sound.parent, AGENTIC_EVALS_TRIALS="1")

    assert REJECTED == done.returncode
    assert "error[trials-too-few]" in done.stderr
    assert "AGENTIC_EVALS_TRIALS" in done.stderr
    assert [] == list(program.state.rglob("record.json"))


def test_a_flag_beats_its_variable_and_both_are_recorded(program, sound):
    """The value in force, and who set it, stand in the report."""
    _, report = program.evaluate(sound, "--trials", "3", AGENTIC_EVALS_TRIALS="4", AGENTIC_EVALS_VERBOSE="1")

    assert 3 == report["trials"]
    assert {"value": 3, "set_by": "flag"} == report["settings"]["trials"]
    assert {"value": True, "set_by": "variable"} == report["settings"]["verbose"]


@pytest.mark.parametrize(
    ("flags", "variables"),
    [
        (["--trials", "0"], {}),
        (["--trials", "2.5"], {}),
        (["--jobs", "-1"], {}),
        (["--timeout-seconds", "0"], {}),
        (["--timeout-seconds", "nan"], {}),
        (["--timeout-seconds", "inf"], {}),
        (["--max-output", "much"], {}),
        (["--copy-limit", "1,many"], {}),
        (["--require", "privacy=verified"], {}),
        (["--require", "workspace_private=perhaps"], {}),
        (["--workspace", "elsewhere"], {}),
        (["--executor", "nobody"], {}),
        (["--format", "papyrus"], {}),
        (["--case", "unknown"], {}),
        (["--only-category", "unknown"], {}),
        (["--unknown-flag"], {}),
        ([], {"AGENTIC_EVALS_TRIALS": "many"}),
        ([], {"AGENTIC_EVALS_FAIL_FAST": "perhaps"}),
        ([], {"AGENTIC_EVALS_NO_GATE": "perhaps"}),
    ],
    ids=str,
)
def test_an_invalid_value_is_a_usage_error(program, sound, flags, variables):
    """A wrong flag or variable ends with 2 and a sentence, without a traceback and before any trial."""
    done = program("run", sound, *flags, cwd=sound.parent, **variables)

    assert USAGE == done.returncode, done.stderr
    assert "rror: " in done.stderr
    assert "Traceback" not in done.stderr
    assert [] == list(program.state.rglob("record.json"))


def test_a_device_is_written_to_and_never_replaced(program, sound):
    """`--output /dev/stdout` prints the report there, and the device stays what it is."""
    done = program("run", sound, "--output", "json:/dev/stdout", "--format", "json", cwd=sound.parent)

    assert READY == done.returncode, done.stderr
    assert 2 == done.stdout.count('"schema": "agentic_evals.report.v3"')
    assert not os.path.isfile("/dev/stdout") or os.path.islink("/dev/stdout")


def test_a_part_of_the_cases_establishes_no_readiness(program, sound):
    """`--case` runs what it names; although that passes, the answer is 7."""
    done, report = program.evaluate(sound, "--case", "doubles")

    assert INCONCLUSIVE == done.returncode
    assert ("partial", "NOT_ESTABLISHED") == (report["selection"], report["readiness"])
    assert {"doubles": "PASS", "refuses": "NOT_TESTED"} == outcomes(report)
    assert ["partial-selection"] == [obstacle["rule"] for obstacle in report["obstacles"]]


def test_fail_fast_leaves_the_rest_untested(program, skill):
    """After the first FAIL nothing more is started, and what did not run is NOT_TESTED."""
    fixture = make_skill(skill, sound=(case("fails", "exit 1"), *SOUND))

    done, report = program.evaluate(fixture, "--jobs", "1", AGENTIC_EVALS_FAIL_FAST="1")

    assert NOT_READY == done.returncode
    assert {"fails": "FAIL", "doubles": "NOT_TESTED", "refuses": "NOT_TESTED"} == outcomes(report)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_what_had_finished_is_kept_when_it_is_interrupted(program, skill, tmp_path, nap, number):
    """Ctrl-C and SIGTERM end with 130; finished trials stand in the record, and no process of the others lives."""
    waits = case("waits", f"sleep {nap}; echo it is done")
    fixture = make_skill(skill, waits)
    kept = tmp_path / "kept"
    process = program.start("run", fixture, "--jobs", "4", "--output", f"{kept}/", cwd=skill)
    assert until(lambda: len(living(nap)) >= 2 and len(list(kept.rglob("record.json"))) == 4)

    process.send_signal(number)
    _, said = process.communicate(timeout=30)

    assert INTERRUPTED == process.returncode, said
    assert [] == living(nap)
    assert [] == program.left_over()
    report = json.loads((kept / "report.json").read_text())
    assert report["interrupted"]
    assert {"doubles": "PASS", "refuses": "PASS", "waits": "NOT_TESTED"} == outcomes(report)
    assert INTERRUPTED == program("regrade", kept, cwd=tmp_path).returncode


@pytest.mark.parametrize(
    "target", ["missing/report.json", "folder", "/proc/report.json", "/proc/run/", "file.txt/run/"], ids=str
)
def test_an_output_that_cannot_be_written_is_refused_before_anything_runs(program, skill, tmp_path, target):
    """The place of every output is tried first: the exit is 2 or 5 with the path in the sentence, and nothing ran."""
    witness = tmp_path / "executed"
    fixture = make_skill(skill, case("touches", f"touch {witness}; echo it is done"))
    (skill / "folder").mkdir()
    (skill / "file.txt").write_text("")

    done = program("run", fixture, "--output", target, cwd=skill)

    assert done.returncode in {USAGE, ENVIRONMENT}, done.stderr
    assert target.split("/")[-2 if target.endswith("/") else 0] in done.stderr
    assert "Traceback" not in done.stderr
    assert not witness.exists()


def test_a_run_folder_is_never_written_over(program, sound, tmp_path):
    """A second run into a folder that holds something is refused and changes nothing in it."""
    first = program("run", sound, "--output", f"{tmp_path}/kept/", cwd=sound.parent)
    before = contents(tmp_path / "kept")
    second = program("run", sound, "--output", f"{tmp_path}/kept/", cwd=sound.parent)

    assert (READY, REJECTED) == (first.returncode, second.returncode)
    assert "is not empty" in second.stderr
    assert before == contents(tmp_path / "kept")


def test_callers_settings_never_reach_a_trial(program, skill):
    """A trial sees AGENTIC_EVALS_SEED and AGENTIC_EVALS_TRAJECTORY, and no other variable of ours."""
    text = "env | grep '^AGENTIC_EVALS_' | cut -d= -f1 | sort | tr '\\n' ' '; echo end of names"
    shown = {"exit_code": 0, "stdout_contains": ["AGENTIC_EVALS_SEED AGENTIC_EVALS_TRAJECTORY end of names"]}

    done, report = program.evaluate(make_skill(skill, case("looks", text, shown)), AGENTIC_EVALS_VERBOSE="1")

    assert READY == done.returncode, problems(report, "looks")


def test_several_fixtures_end_with_the_strongest_obstacle(program, skill):
    """Each fixture is evaluated, whatever the others come to, and the exit code is that of the worst."""
    sound = make_skill(skill / "one", git=False)
    refused = make_skill(skill / "two", case("touches", "true", VACUOUS), sound=(), git=False)
    failing = make_skill(skill / "three", case("fails", "exit 1"), git=False)

    done = program("run", refused, failing, sound, cwd=skill)

    assert REJECTED == done.returncode
    assert ["sample: USABLE_WITH_GAPS", "sample: READY"] == [
        " ".join(line.split()[:2]) for line in done.stdout.splitlines() if line.startswith("sample:")
    ]


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_gate_through_run_sh(tmp_path):
    """`./run.sh run` of this checkout evaluates another skill with the same answer as the program itself."""
    fixture = make_skill(tmp_path / "sample", case("fails", "exit 1"))

    done = subprocess.run(
        [CHECKOUT / "run.sh", "run", fixture],
        cwd=tmp_path,
        env=strangers_environment(HOME=str(tmp_path), XDG_STATE_HOME=str(tmp_path / "state")),
        capture_output=True,
        text=True,
        check=False,
    )

    assert NOT_READY == done.returncode, done.stderr
    assert "case-failed: fails" in done.stdout


def test_a_reader_that_has_read_enough_changes_no_verdict(program, sound):
    """A closed pipe on standard output, as `head` leaves behind, keeps the exit code of the verdict, without noise."""
    with program.start("run", sound, "--case", "doubles", cwd=sound.parent.parent) as running:
        running.stdout.close()
        noise = running.stderr.read()

        assert INCONCLUSIVE == running.wait(100)
    assert "Traceback" not in noise
