"""What every executor must do: those that are found, and the fake that the tests of flows use."""

import pytest

from agentic_evals import wiring
from agentic_evals.model.trial import Blob, Capture, Exited, FailedToStart, Signalled, TimedOut, TrialJob
from tests.fakes.executor import FakeExecutor
from tests.worker.client import make_job, make_room

ENDINGS = {
    "exit 0": Exited(0),
    "exit 3": Exited(3),
    "kill -9 $$": Signalled(9),
    "sleep 60": TimedOut(),
    "echo out; exit 1": Exited(1),
}


@pytest.fixture(params=[*wiring.executors(), "fake"])
def executor(request):
    """Return a function that makes each executor for a number of jobs at once."""
    if request.param != "fake":
        return wiring.executors()[request.param].build

    def answer(job):
        if job.argv[0] != "sh":
            return Capture(FailedToStart(2, "No such file or directory"), argv=job.argv)
        return Capture(ENDINGS[job.argv[2]], stdout=Blob.of(b"out\n" if "out" in job.argv[2] else b""), argv=job.argv)

    return lambda jobs: FakeExecutor(jobs, answer)


@pytest.fixture
def job(tmp_path):
    """Return a function that makes a job of a number and its argv."""
    (tmp_path / "workspace").mkdir()
    room = make_room(tmp_path / "workspace", str(tmp_path / "scratch"))

    def make(number, *argv):
        return TrialJob(number, 1, argv, make_job(room, *argv, timeout_ms=300, term_grace_ms=50))

    return make


@pytest.mark.parametrize("at_once", [1, 2, 9])
def test_every_job_comes_back_once_with_its_own_capture(executor, job, at_once):
    """Whatever the others come to, each job has one capture, of its own ending and its own argv."""
    jobs = [job(number, "sh", "-c", text) for number, text in enumerate(ENDINGS)]

    found = {done.case: capture for done, capture in executor(at_once).run(jobs)}

    assert list(ENDINGS.values()) == [found[number].termination for number in range(len(jobs))]
    assert [job.argv for job in jobs] == [found[number].argv for number in range(len(jobs))]
    assert b"out\n" == found[4].stdout.complete


def test_a_command_that_cannot_start_is_a_capture(executor, job):
    """What cannot be executed is an ending like any other, and the next job runs."""
    jobs = [job(0, "/missing/program"), job(1, "sh", "-c", "exit 0")]

    found = {done.case: capture.termination for done, capture in executor(1).run(jobs)}

    assert isinstance(found[0], FailedToStart)
    assert Exited(0) == found[1]


def test_jobs_are_drawn_only_when_they_can_start(executor, job):
    """With two at once, no more than three jobs were drawn when the first comes back."""
    drawn = []

    def supply():
        for number in range(9):
            drawn.append(number)
            yield job(number, "sh", "-c", "exit 0")

    results = executor(2).run(supply())
    next(results)
    results.close()

    assert len(drawn) <= 3


def test_whoever_supplies_jobs_can_stop(executor, job):
    """An iterator of jobs that ends early ends the run, with a capture for each job that was drawn."""
    seen = []

    def supply():
        for number in range(9):
            if len(seen) >= 2:
                return
            yield job(number, "sh", "-c", "exit 0")

    for done, _ in executor(1).run(supply()):
        seen.append(done.case)

    assert [0, 1] == seen


def test_closing_ends_everything(executor, job):
    """A run that is closed half-way draws no further job and does not wait for those that run."""
    drawn = []

    def supply():
        for number, text in enumerate(("exit 0", "sleep 60", "sleep 60", "exit 0", "exit 0")):
            drawn.append(number)
            yield job(number, "sh", "-c", text)

    results = executor(2).run(supply())
    next(results)
    before = len(drawn)
    results.close()

    assert before == len(drawn)
    assert [] == list(results)


def test_no_jobs_are_no_captures(executor):
    """Nothing to do is done at once."""
    assert [] == list(executor(2).run([]))
