"""The main program's side of the worker reads records into values."""

import os

import pytest

from agentic_evals.adapters.worker_client import Worker, capture, spooled_files, trial_request
from agentic_evals.model.event import Record, RecordedEvent
from tests.worker.client import make_job


@pytest.fixture
def run(shared):
    """Return a function that runs a job by the main program's own client and returns the capture."""
    workers = []

    def run(*argv, **more):
        workers.append(Worker())
        reply = workers[-1].ask(trial_request(make_job(shared, *argv, **more)))
        return capture(reply["capture"], argv, [])

    yield run
    for worker in workers:
        worker.close()


def test_a_short_record_is_in_memory(run, workspace):
    """Grade and events arrive as values; what is of the kind alone is in the body."""
    seen = run("sh", "-c", ": >made", recorder="trace")
    record = seen.record
    assert isinstance(record, Record)
    assert (record.recorder, record.grade, record.lost) == ("ptrace", "recorded", 0)
    begun, opened, ended = record.events
    assert isinstance(begun, RecordedEvent)
    assert (begun.kind, begun.number, begun.parent) == ("proc.exec", 1, None)
    assert (opened.kind, opened.parent, opened.pid) == ("file.open", 1, begun.pid)
    assert opened.body["path"] == f"{workspace}/made"
    assert "pid" not in opened.body
    assert ended.body["code"] == 0
    assert spooled_files(seen) == []


def test_a_long_record_is_read_from_its_file_again_and_again(run):
    """The file counts among the spooled ones."""
    seen = run("sh", "-c", "n=0; while [ $n -lt 1200 ]; do : >f; n=$((n+1)); done", recorder="trace")
    assert seen.record.count == 1202
    assert [len(list(seen.record.events)) for _ in range(2)] == [1202, 1202]
    (file,) = spooled_files(seen)
    assert os.path.exists(file)


def test_without_a_recorder_there_is_no_record(run):
    """Not asked for is not the same as asked for and refused."""
    assert run("true").record is None


def test_a_record_that_could_not_be_had_says_why(run, monkeypatch):
    """It has the grade `none` and a reason."""
    monkeypatch.setenv("PATH", "/nonexistent")
    record = run("true", recorder="strace").record
    assert (record.recorder, record.grade, tuple(record.events)) == ("off", "none", ())
    assert "not installed" in record.why
