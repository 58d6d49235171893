"""Very much output, and very many trials: everything is kept, and memory stays bounded."""

import contextlib
import json
import os
import re
import subprocess
import threading
from pathlib import Path

import pytest

from tests.e2e.program import ENTRY, INTERRUPTED, READY, case, living, make_skill, until

MEGABYTE = 1_000_000
LIMIT = 200 * MEGABYTE
LAST = "the end of the flood"


def flood(size):
    """Return a case that prints `size` bytes and a last line."""
    text = f"head -c {size} /dev/zero\necho '{LAST}'\n"
    return case("flood", text, {"exit_code": 0, "stdout_contains": [LAST]}, timeout_seconds=900)


class Peaks(threading.Thread):
    """The largest resident set of the program and of each of its workers, in bytes, while they live."""

    def __init__(self, pid):
        """Watch the program with this pid."""
        super().__init__()
        self.largest = {"program": 0, "workers": 0}
        self._pid = pid
        self._over = threading.Event()

    def run(self):
        """Look, again and again: each process keeps its own high-water mark, so that only its last moment is missed."""
        while not self._over.wait(0.02):
            self._look("program", self._pid)
            for pid in self._children():
                self._look("workers", pid)

    def stop(self):
        """Stop looking and return what was seen."""
        self._over.set()
        self.join()
        return self.largest

    def _children(self):
        with contextlib.suppress(OSError):
            tasks = Path(f"/proc/{self._pid}/task").iterdir()
            return [pid for task in tasks for pid in (task / "children").read_text().split()]
        return []

    def _look(self, kind, pid):
        with contextlib.suppress(OSError):
            if "agentic_evals" in Path(f"/proc/{pid}/cmdline").read_text(errors="replace"):
                status = Path(f"/proc/{pid}/status").read_text(errors="replace")
                found = re.search(r"VmHWM:\s*(\d+) kB", status)
                self.largest[kind] = max(self.largest[kind], int(found[1]) * 1024 if found else 0)


def run_measured(program, fixture, *arguments):
    """Run a fixture; return the exit code, the report and the peaks of the program and of its workers."""
    target = program.base / "report.json"
    with (program.base / "said").open("w+b") as said:
        process = subprocess.Popen(
            [*ENTRY, "run", str(fixture), "--output", f"{program.base}/kept/", "--output", str(target), *arguments],
            cwd=fixture.parent.parent,
            env=program.environment(),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )
        peaks = Peaks(process.pid)
        peaks.start()
        try:
            code = process.wait()
        finally:
            largest = peaks.stop()
        said.seek(0)
        assert target.exists(), said.read().decode("utf-8", "replace")
    return code, json.loads(target.read_text()), largest


def small(peaks):
    """Tell whether both kinds of process were seen, and stayed below the limit."""
    return all(0 < peak <= LIMIT for peak in peaks.values())


def check_flood(program, skill, size):
    """Evaluate a flood: it is judged to its last line, kept whole, and held in memory by nobody."""
    code, report, peaks = run_measured(program, make_skill(skill, flood(size)), "--jobs", "2")
    found = next(one for one in report["cases"] if one["name"] == "flood")
    stream = found["trials"][0]["streams"]["stdout"]
    kept = program.base / "kept" / "store" / "sha256" / stream["sha256"][:2] / stream["sha256"]

    assert READY == code
    assert size + len(LAST) + 1 == stream["bytes"]
    assert size + len(LAST) + 1 == kept.stat().st_size
    assert LAST in found["trials"][0]["stdout"]
    assert small(peaks), peaks
    assert [] == program.left_over()


def test_64_megabytes_of_one_trial_stay_out_of_memory(program, skill):
    """A stream far over what is kept in memory is judged whole, in less than 200 MB for any process."""
    check_flood(program, skill, 64 * MEGABYTE)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_gigabyte_of_one_trial_stays_out_of_memory(program, skill):
    """No process of ours grows over 200 MB while one trial prints 1 GB."""
    check_flood(program, skill, 1000 * MEGABYTE)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_ten_thousand_trials_are_all_kept_in_little_memory(program, sound):
    """Each of 10,000 trials is run, judged, recorded and reported, in less than 200 MB."""
    code, report, peaks = run_measured(program, sound, "--trials", "5000", "--jobs", "2")
    records = sum("record.json" in names for _, _, names in os.walk(program.base / "kept" / "trials"))

    assert READY == code
    assert [5000, 5000] == [one["passed_trials"] for one in report["cases"]]
    assert [5000, 5000] == [len(one["trials"]) for one in report["cases"]]
    assert 10_000 == records
    assert small(peaks), peaks


def test_ctrl_c_in_the_middle_of_very_many_trials_ends_them(program, skill):
    """A run of 100,000 trials that is interrupted ends soon, leaves nothing alive, and has kept what had finished."""
    marker = f"volume-{os.getpid()}"
    text = f": {marker}\necho 'it is done'\n"
    fixture = make_skill(skill, case("many", text, command=["sh", "many.sh", marker]))
    kept = program.base / "kept"
    process = program.start("run", fixture, "--trials", "33000", "--output", f"{kept}/", cwd=skill)
    first = kept / "trials" / "doubles" / "20" / "record.json"

    assert until(first.exists)
    process.send_signal(2)
    assert INTERRUPTED == process.wait(20)
    process.communicate()
    assert [] == living(marker)
    assert [] == program.left_over()
    assert json.loads((kept / "report.json").read_text())["interrupted"]
