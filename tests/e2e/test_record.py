"""A recorded run gives the same verdict again, and notices when it is not what it was."""

import hashlib
import json
import shutil

import pytest

from agentic_evals import wiring
from agentic_evals.model.errors import IntegrityBroken
from tests.e2e.program import (
    INTEGRITY,
    NOT_READY,
    READY,
    REJECTED,
    Program,
    case,
    contents,
    make_skill,
    outcomes,
    problems,
)

WRITES = case(
    "writes",
    "echo '{\"n\": 1}' > result.json; head -c 300000 /dev/zero | tr '\\0' x; echo it is done",
    {
        "exit_code": 0,
        "stdout_contains": ["it is done"],
        "artifacts": [{"path": "result.json", "json_pointer": "/n", "equals": 1, "readback": True}],
    },
)
FAILS = case("fails", "echo a; echo b >&2; exit 3", required=False)
BLOCKED = case("is-blocked", "echo no licence here", required=False, blocked_when_stdout_contains=["no licence here"])
LATE = case("takes-long", "sleep 50", required=False, timeout_seconds=0.2)
VERDICTS = ("report.json", "grading.json", "SEAL.json")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Return a kept run whose cases end in every way, and the report that was written beside it."""
    base = tmp_path_factory.mktemp("recorded")
    program = Program(base / "home")
    fixture = make_skill(base / "sample", WRITES, FAILS, BLOCKED, LATE)
    done = program("run", fixture, "--output", f"{base}/kept/", "--output", base / "report.json", cwd=base / "sample")
    assert READY == done.returncode, done.stderr
    shutil.rmtree(base / "sample")
    return base


@pytest.fixture
def kept(recorded, tmp_path):
    """Return a copy of the kept run, at another place."""
    shutil.copytree(recorded / "kept", tmp_path / "moved")
    return tmp_path / "moved"


def stored(kept, address):
    """Return the file that holds some stored bytes."""
    return kept / "store" / "sha256" / address[:2] / address


def change_record(kept, name, change):
    """Change the records of all trials of a case."""
    for path in (kept / "trials" / name).rglob("record.json"):
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))


def test_judging_again_gives_the_same_report(program, recorded, kept, tmp_path):
    """Without any verdict file, from another folder and with the skill gone, `regrade` writes the same bytes."""
    for name in VERDICTS:
        (kept / name).unlink(missing_ok=True)
    before = contents(kept)
    (tmp_path / "elsewhere").mkdir()

    done = program("regrade", "../moved", "--output", "again.json", cwd=tmp_path / "elsewhere")

    assert READY == done.returncode, done.stderr
    assert (recorded / "report.json").read_bytes() == (tmp_path / "elsewhere" / "again.json").read_bytes()
    assert (recorded / "report.json").read_bytes() == (recorded / "kept" / "report.json").read_bytes()
    assert before == contents(kept)


def test_a_changed_exit_code_changes_the_verdict(program, kept, tmp_path):
    """The verdict comes from the recorded facts: another exit code in a record is another outcome."""

    def exits_with_4(document):
        document["termination"] = {"kind": "exited", "code": 4}

    change_record(kept, "doubles", exits_with_4)
    done = program("regrade", kept, "--output", "again.json", cwd=tmp_path)
    report = json.loads((tmp_path / "again.json").read_text())

    assert NOT_READY == done.returncode, done.stderr
    assert "FAIL" == outcomes(report)["doubles"]
    assert ["expected/exit_code: exit code 4, expected exit code 0"] == problems(report, "doubles")


def test_a_trial_taken_away_is_a_trial_that_did_not_run(program, kept, tmp_path):
    """A missing record never counts as a pass."""
    shutil.rmtree(kept / "trials" / "doubles" / "2")

    done = program("regrade", kept, "--output", "again.json", cwd=tmp_path)

    assert NOT_READY == done.returncode, done.stderr
    assert "NOT_TESTED" == outcomes(json.loads((tmp_path / "again.json").read_text()))["doubles"]


def records(kept, name):
    """Return the records of a case."""
    return [json.loads(path.read_text()) for path in sorted((kept / "trials" / name).rglob("record.json"))]


def test_changed_bytes_are_noticed(program, kept, tmp_path):
    """Stored output that is not what its address says ends with 6."""
    stored(kept, records(kept, "doubles")[0]["stdout"]["stored"]).write_bytes(b"twice that is 42, honestly\n")

    done = program("regrade", kept, cwd=tmp_path)

    assert INTEGRITY == done.returncode
    assert "were changed" in done.stderr


def test_missing_bytes_are_noticed(program, kept, tmp_path):
    """Stored output that is gone ends with 6."""
    stored(kept, records(kept, "writes")[0]["observed"][0]["content"]["stored"]).unlink()

    done = program("regrade", kept, cwd=tmp_path)

    assert INTEGRITY == done.returncode
    assert "are missing" in done.stderr


def change_manifest(kept, **changes):
    """Write the manifest anew with other values."""
    document = json.loads((kept / "manifest.json").read_text())
    (kept / "manifest.json").write_text(json.dumps(document | changes))


def softer(kept):
    """Take the expectation of a case away from the recorded fixture; return its new digest."""
    path = kept / "input" / "fixture.json"
    document = json.loads(path.read_text())
    document["cases"][0]["expected"] = {"exit_code": 0}
    path.write_text(json.dumps(document))
    return hashlib.sha256(path.read_bytes()).hexdigest()


TAMPERING = {
    "another fixture": softer,
    "no fixture": lambda kept: (kept / "input" / "fixture.json").unlink(),
    "no manifest keys": lambda kept: (kept / "manifest.json").write_text('{"schema": "agentic_evals.run_manifest.v1"}'),
    "a manifest that is no JSON": lambda kept: (kept / "manifest.json").write_text("{"),
    "a manifest that is a list": lambda kept: (kept / "manifest.json").write_text("[]"),
    "another manifest": lambda kept: (kept / "manifest.json").write_text('{"schema": "other"}'),
    "a manifest with a text for the trials": lambda kept: change_manifest(kept, trials="many"),
    "a manifest with null for the isolation": lambda kept: change_manifest(kept, isolation=None),
    "a manifest with findings that are none": lambda kept: change_manifest(kept, findings=[{"rule": 1}]),
    "a record that is no JSON": lambda kept: (kept / "trials" / "doubles" / "1" / "record.json").write_text("{"),
    "a record of an unknown schema": lambda kept: change_record(kept, "doubles", lambda one: one.update(schema="v9")),
    "a record of an unknown case": lambda kept: change_record(kept, "doubles", lambda one: one.update(case="other")),
    "a record of a case index out of range": lambda kept: change_record(
        kept, "doubles", lambda one: one.update(case_index=99)
    ),
    "a record of a negative case index": lambda kept: change_record(
        kept, "doubles", lambda one: one.update(case_index=-6)
    ),
    "a record of an unknown ending": lambda kept: change_record(
        kept, "doubles", lambda one: one.update(termination={"kind": "vanished"})
    ),
    "a record whose ending lacks its code": lambda kept: change_record(
        kept, "doubles", lambda one: one.update(termination={"kind": "exited"})
    ),
    "a record whose ending is a text": lambda kept: change_record(
        kept, "doubles", lambda one: one.update(termination={"kind": "exited", "code": "zero"})
    ),
    "an address that leads elsewhere": lambda kept: change_record(
        kept, "doubles", lambda one: one["stdout"].update(stored="../../../../etc/passwd")
    ),
    "a leak without a pid": lambda kept: change_record(kept, "doubles", lambda one: one.update(leaked=[{}])),
    "a room that is none": lambda kept: change_record(kept, "doubles", lambda one: one.update(room={"walls": 4})),
    "a decision that is none": lambda kept: change_record(
        kept, "doubles", lambda one: one.update(carried=[{"pointer": "/exit_code"}])
    ),
    "one trial recorded twice": lambda kept: change_record(kept, "doubles", lambda one: one.update(trial=1)),
}


@pytest.mark.parametrize("tampering", TAMPERING)
def test_tampering_is_noticed(kept, tampering):
    """No verdict is made of a run folder that contradicts itself: its error carries the exit code 6."""
    TAMPERING[tampering](kept)

    with pytest.raises(IntegrityBroken) as caught:
        wiring.regrade()(str(kept))

    assert INTEGRITY == caught.value.exit_code


def test_tampering_is_said_in_a_sentence(program, kept, tmp_path):
    """The command ends with 6, without a traceback and without a report."""
    softer(kept)

    done = program("regrade", kept, "--output", "again.json", cwd=tmp_path)

    assert INTEGRITY == done.returncode, done.stdout + done.stderr
    assert "error: the recorded fixture is not the one that was run" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "again.json").exists()


def test_what_is_no_run_folder_is_refused(program, tmp_path):
    """A folder without a manifest, or no folder at all, is 1 with a sentence."""
    for path in (tmp_path, tmp_path / "missing"):
        done = program("regrade", path, cwd=tmp_path)

        assert REJECTED == done.returncode
        assert "is no run folder" in done.stderr


SECRET = "correct-horse-battery"


def test_secrets_are_judged_true_and_kept_redacted(program, skill, tmp_path):
    """Expectations are judged on the true bytes, no file of the run holds them, and `regrade` carries the decision."""
    text = 'echo "the pass is $SHOP_TOKEN"; echo "{\\"t\\": \\"$SHOP_TOKEN\\"}" > out.json; echo it is done'
    expected = {
        "exit_code": 0,
        "stdout_contains": [f"pass is {SECRET}"],
        "artifacts": [{"path": "out.json", "json_pointer": "/t", "equals": SECRET}],
    }
    fixture = make_skill(skill, case("tells", text, expected), credentials=["SHOP_TOKEN"])
    hidden = fixture.read_text().replace(SECRET, "{}")

    done = program("run", fixture, "--output", f"{tmp_path}/kept/", cwd=skill, SHOP_TOKEN=SECRET)
    again = program("regrade", "kept", "--output", "again.json", cwd=tmp_path)

    assert (READY, READY) == (done.returncode, again.returncode), done.stderr + again.stderr
    assert SECRET not in done.stdout + done.stderr + again.stdout + hidden
    found = [name for name, data in contents(tmp_path / "kept").items() if SECRET.encode() in data]
    assert ["input/fixture.json"] == found, "the fixture names the secret itself; nothing else may"
    assert (tmp_path / "kept" / "report.json").read_bytes() == (tmp_path / "again.json").read_bytes()
