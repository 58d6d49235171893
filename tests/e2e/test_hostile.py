"""Hostile input and hostile programs: a clear answer, nothing destroyed, and one bad case spoils no other."""

import json
import os
import shutil
import signal
import sys

import pytest

from tests.e2e.program import (
    ENTRY,
    INTEGRITY,
    NOT_READY,
    READY,
    REJECTED,
    SOUND,
    Program,
    case,
    contents,
    living,
    make_skill,
    outcomes,
    problems,
    until,
)
from tests.house.support import CHECKOUT

NAMESPACE = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")
PID_LIMIT = 400


def case_with(**more):
    """Return a document of one case with some of its values replaced."""
    one = {"name": "a", "type": "positive", "command": ["sh", "a.sh"], "expected": {"exit_code": 0}, **more}
    return json.dumps({"version": 2, "skill": "sample", "cases": [one]})


def assertion(path):
    """Return a document whose one case asserts an artifact at a path."""
    return case_with(expected={"exit_code": 0, "artifacts": [{"path": path, "exists": True}]})


DOCUMENTS = {
    "10,000 levels of lists": ("[" * 10_000 + "]" * 10_000, "document-too-deep"),
    "10,000 levels that never end": ("[" * 10_000, "document-too-deep"),
    "10,000 levels of objects": ('{"a":' * 10_000 + "1" + "}" * 10_000, "document-too-deep"),
    "10,000 levels inside a case": (case_with(**{"x-remark": 0}).replace(": 0}", f": {'[' * 9999}{']' * 9999}}}"), ""),
    "invalid UTF-8": (b'{"version": 2, "skill": "\xff\xfe"}', "document-not-utf8"),
    "a huge integer": (case_with().replace('"version": 2', f'"version": 2, "trials": {"9" * 5000}'), "number-too-long"),
    "a large integer": (case_with().replace('"version": 2', f'"version": 2, "trials": {10**30}'), "fixture-value"),
    "a float beyond all floats": (case_with(timeout_seconds=1).replace("1}", "1e999}"), "json-not-finite"),
    "NaN": (case_with(timeout_seconds=1).replace(": 1}", ": NaN}"), "json-not-finite"),
    "a key twice": ('{"version": 2, "version": 2}', "json-duplicate-key"),
    "half a character": (case_with(name="\ud800"), "json-lone-surrogate"),
    "a NUL in a command": (case_with(command=["sh", "a\0b"]), "fixture-value"),
    "a NUL in a path": (assertion("a\0b"), "fixture-value"),
    "a NUL in a folder": (case_with(workdir="a\0b"), "fixture-value"),
    "a path that leaves": (assertion("../../../../etc/passwd"), "path-leaves-workspace"),
    "an absolute path": (assertion("/etc/passwd"), "path-leaves-workspace"),
    "a folder that leaves": (case_with(workdir="../.."), "path-leaves-workspace"),
    "stdin from anywhere": (case_with(stdin={"file": "/etc/passwd"}), "path-leaves-workspace"),
    "a regex without end": (case_with(expected={"exit_code": 0, "stdout_matches": ["(a+)+\\1$"]}), "RE2"),
    "a NUL document": (b"\0" * 1000, "json-syntax"),
    "nothing": (b"", "json-syntax"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_hostile_document_is_refused_in_words(validated, name):
    """Whatever stands in a fixture: exit 1, its path, a rule and no traceback, for all of them in one call."""
    _, said = DOCUMENTS[name]
    findings = validated[name]

    assert findings, "it was admitted"
    assert any(said in finding["rule"] or said in finding["message"] for finding in findings), findings
    assert all(finding["severity"] in {"error", "warning"} for finding in findings)


@pytest.fixture(scope="module")
def validated(tmp_path_factory):
    """Return what `validate` says of each hostile document, by its name; one process reads them all."""
    base = tmp_path_factory.mktemp("hostile")
    program = Program(base / "home")
    paths = {}
    for number, (name, (text, _)) in enumerate(DOCUMENTS.items()):
        paths[name] = base / "sample" / f"fixtures-{number}" / "agentic_eval.json"
        paths[name].parent.mkdir(parents=True)
        paths[name].write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    done = program("validate", *paths.values(), "--format", "json", cwd=base)
    assert REJECTED == done.returncode, done.stderr
    assert "Traceback" not in done.stderr
    found = {one["path"]: one["findings"] for one in json.loads(done.stdout)["fixtures"] if not one["admitted"]}
    return {name: found.get(str(path)) for name, path in paths.items()}


def test_a_file_of_100_megabytes_is_refused_at_once(program, skill):
    """A document that is too large is not even read whole; the sentence says so."""
    fixture = make_skill(skill)
    with open(fixture, "wb") as file:
        file.write(b'{"version": 2, "skill": "')
        file.truncate(100_000_000)

    done = program("validate", fixture, cwd=skill, timeout=20)

    assert REJECTED == done.returncode
    assert "error[document-too-large]" in done.stdout


def test_links_that_lead_in_circles_or_nowhere_are_survived(program, skill):
    """A fixture that is a loop of links is refused; loops beside it change nothing."""
    fixture = make_skill(skill)
    (skill / "loop").symlink_to("loop")
    (skill / "here").symlink_to(".")
    (skill / "up").symlink_to("..")
    (skill / "nowhere").symlink_to("/nowhere/at/all")
    os.mkfifo(skill / "fifo")
    (skill / "fixtures" / "circle.json").symlink_to("circle.json")

    refused = program("validate", "fixtures/circle.json", "fixtures", "fifo", "/dev/zero", cwd=skill)

    assert REJECTED == refused.returncode
    assert 4 == refused.stdout.count("error[document-unreadable]")
    assert "Traceback" not in refused.stderr
    assert READY == program("run", fixture, cwd=skill).returncode


ESCAPES = "printf '\\033]0;owned\\007\\033[2J\\033[31mred\\r\\000\\233'; echo something else"


def test_escape_codes_are_shown_and_not_carried_out(program, skill):
    """No control character of a trial, of a name or of a path reaches the terminal."""
    name = "a \x1b[2J name\r\x07"
    odd = case(name, ESCAPES, file="odd.sh", required=False)
    fixture = make_skill(skill / "\x1b[31mred", odd, git=False)

    done = program("run", fixture, "--verbose", cwd=skill)

    assert READY == done.returncode, done.stderr
    assert "something else" in done.stdout
    for text in (done.stdout, done.stderr):
        assert not [letter for letter in text if ord(letter) < 32 and letter != "\n"]
        assert not [letter for letter in text if 127 <= ord(letter) < 160]


BAD = {
    "ignores-sigterm": ("trap '' TERM INT HUP; echo it is done; while :; do sleep 1; done", {"timeout_seconds": 0.5}),
    "daemonises": ("setsid sh -c 'trap \"\" HUP TERM; sleep {nap}' >/dev/null 2>&1 & echo it is done", {}),
    "floods": ("yes it is done", {}),
    "closes-its-streams": ("exec >&- 2>&-; sleep 0.2; exit 7", {}),
    "writes-binary": ("head -c 100000 /dev/urandom; exit 7", {}),
}


def test_bad_programs_spoil_nobody_elses_result(program, skill, nap):
    """Programs that hang, daemonise, flood, or close their streams FAIL alone; all others keep their results."""
    bad = [case(name, text.replace("{nap}", nap), **more) for name, (text, more) in BAD.items()]

    done, report = program.evaluate(make_skill(skill, *bad), "--max-output", "2MB")

    assert NOT_READY == done.returncode, done.stderr
    assert {"doubles": "PASS", "refuses": "PASS"} | dict.fromkeys(BAD, "FAIL") == outcomes(report)
    assert "timed out" in problems(report, "ignores-sigterm")[0]
    assert "leaked" in problems(report, "daemonises")[0]
    assert "output-limit" in problems(report, "floods")[0]
    assert [] == living(nap)
    assert [] == program.left_over()


def test_a_case_that_kills_its_parent_fails_alone(program, skill, nap):
    """A trial that kills the worker is run once more and then FAILs as `worker-lost`, and the others pass."""
    done, report = program.evaluate(make_skill(skill, case("kills", f"echo it is done; kill -9 $PPID; sleep {nap}")))

    assert NOT_READY == done.returncode, done.stderr
    assert {"doubles": "PASS", "refuses": "PASS", "kills": "FAIL"} == outcomes(report)
    assert "worker-lost" in problems(report, "kills")[0]
    assert [] == living(nap)
    assert [] == program.left_over()


WORKER = str(CHECKOUT / "src" / "agentic_evals" / "adapters" / "worker")


def worker_above(marker):
    """Return the worker that supervises the process with a marker in its command line; `None` where there is none."""
    known = set(living(WORKER))
    return next((above for pid in living(marker) for above in ancestors(pid) if above in known), None)


def ancestors(pid):
    """Yield a process and those above it, as far as they live."""
    while pid > 1:
        yield pid
        try:
            with open(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            return


def kill_worker(marker, but=None):
    """Kill the worker that supervises the process with a marker, as soon as it is another one than `but`."""
    assert until(lambda: worker_above(marker) not in {None, but})
    worker = worker_above(marker)
    os.kill(worker, signal.SIGKILL)
    return worker


def test_a_trial_whose_worker_is_killed_is_run_once_more(program, skill, tmp_path, nap):
    """`kill -9` of a worker in mid-trial costs nothing but time: the trial runs again and passes."""
    text = f"echo started >> {tmp_path}/starts; test -e {tmp_path}/again || sleep {nap}; echo it is done"
    process = program.start("run", make_skill(skill, case("waits", text)), "--jobs", "1", cwd=skill)
    assert until(lambda: worker_above(nap))
    (tmp_path / "again").touch()

    kill_worker(nap)
    stdout, stderr = process.communicate(timeout=60)

    assert READY == process.returncode, stdout + stderr
    assert 3 == len((tmp_path / "starts").read_text().splitlines())


def test_a_trial_whose_worker_is_killed_twice_is_lost(program, skill, nap):
    """The second time it FAILs as `worker-lost`; the other trials are run by other workers."""
    fixture = make_skill(skill, case("waits", f"sleep {nap}; echo it is done", timeout_seconds=60))
    process = program.start("run", fixture, "--jobs", "1", "--fail-fast", cwd=skill)

    kill_worker(nap, but=kill_worker(nap))
    stdout, stderr = process.communicate(timeout=60)

    assert NOT_READY == process.returncode, stdout + stderr
    assert "worker-lost" in stdout
    assert "PASS        2/2" in stdout
    assert [] == living(nap)


def test_a_runner_that_is_killed_takes_its_trials_with_it(program, skill, tmp_path, nap):
    """`kill -9` of the program: finished trials are on disk, no trial and no worker lives on."""
    fixture = make_skill(skill, case("waits", f"sleep {nap}; echo it is done", timeout_seconds=60))
    kept = tmp_path / "kept"
    process = program.start("run", fixture, "--jobs", "2", "--output", f"{kept}/", cwd=skill)
    assert until(lambda: len(living(nap)) >= 2 and len(list(kept.rglob("record.json"))) >= 4)

    process.kill()
    process.communicate(timeout=30)

    assert until(lambda: not living(nap))
    regraded = program("regrade", kept, "--output", "again.json", cwd=tmp_path)
    assert READY != regraded.returncode
    assert {"doubles": "PASS", "refuses": "PASS", "waits": "NOT_TESTED"} == outcomes(
        json.loads((tmp_path / "again.json").read_text())
    )


VANDAL = """
for place in "$XDG_STATE_HOME/agentic-evals/runs"/* "$(dirname "$TMPDIR")" "$(dirname "$(dirname "$TMPDIR")")"; do
  find "$place" -type f -exec sh -c 'echo forged > "$1"' sh {} \\;
done
echo something else
"""


def test_a_trial_that_writes_to_the_runners_own_files_gains_nothing(program, skill):
    """Whoever overwrites run folder and spool does not pass, the others do, and the forged record is noticed."""
    cases = (case("vandal", VANDAL), *SOUND)

    done, report = program.evaluate(make_skill(skill, sound=cases), "--jobs", "1")

    assert NOT_READY == done.returncode, done.stderr
    assert {"doubles": "PASS", "refuses": "PASS", "vandal": "FAIL"} == outcomes(report)
    (folder,) = (program.state / "agentic-evals" / "runs").iterdir()
    assert INTEGRITY == program("regrade", folder, cwd=skill).returncode, "the forged fixture is noticed"


WRECKER = """
rm -rf "$(dirname "$TMPDIR")" "$(dirname "$(dirname "$TMPDIR")")" "$XDG_STATE_HOME/agentic-evals/runs"/*
echo it is done
"""


def test_a_trial_that_removes_the_runners_own_files_is_never_a_pass(program, skill):
    """When the run's private folders are gone, no trial passes by it, and the end is a sentence, not a traceback."""
    fixture = make_skill(skill, sound=(case("wrecker", WRECKER), *SOUND))
    before = contents(skill)

    done = program("run", fixture, "--jobs", "1", cwd=skill)

    assert done.returncode not in {READY, 70}, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert before == contents(skill)


BOMB = """
import os, time
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.01)
"""


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="needs a pid namespace")
def test_a_program_that_forks_without_end_fails_alone(program, skill):
    """In a namespace of few pids: the bomb FAILs, everything of it is killed, and the next cases pass."""
    text = f"{sys.executable} bomb.py & sleep 0.5; echo it is done"
    fixture = make_skill(skill, sound=(case("forks", text, timeout_seconds=3), *SOUND), files={"bomb.py": BOMB})
    limited = f'echo {PID_LIMIT} > /proc/sys/kernel/pid_max && exec "$@"'
    if os.system(f"unshare --pid --fork --mount-proc sh -c 'echo {PID_LIMIT} > /proc/sys/kernel/pid_max' 2>/dev/null"):
        pytest.skip("this kernel has no limit of pids for a namespace")

    done = program(
        "run", fixture, "--jobs", "1", cwd=skill, entry=[*NAMESPACE, "sh", "-c", limited, "sh", *ENTRY], timeout=110
    )

    assert NOT_READY == done.returncode, done.stdout + done.stderr
    lines = [line.split()[:3] for line in done.stdout.splitlines()]
    assert ["forks", "positive", "FAIL"] in lines
    assert ["doubles", "positive", "PASS"] in lines
    assert ["refuses", "negative", "PASS"] in lines


@pytest.mark.long
@pytest.mark.timeout(300)
def test_three_hundred_megabytes_of_output_stay_small(program, skill):
    """A trial that prints 300 MB passes, is kept whole, and no process of ours grows over 200 MB."""
    count = 300_000_000
    fixture = make_skill(skill, case("prints", f"head -c {count} /dev/zero | tr '\\0' x; echo it is done"))
    measure = (
        "import resource, runpy, sys\n"
        "sys.argv[0] = 'agentic-evals'\n"
        "try:\n    runpy.run_module('agentic_evals', run_name='__main__')\n"
        "finally:\n    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)\n"
        "    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)\n"
    )

    done = program("run", fixture, "--trials", "2", cwd=skill, entry=[sys.executable, "-c", measure], timeout=250)
    own, childrens = map(int, done.stderr.split()[-2:])

    assert READY == done.returncode, done.stderr
    assert own < 200_000
    assert childrens < 200_000
