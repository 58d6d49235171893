"""Output of any size is captured whole, in little memory, or the trial says that it was not."""

import base64
import hashlib
import os
import subprocess
import sys
import time

import pytest

from tests.worker.client import make_job

EDGE = 64 * 1024


def peak_rss_kb(pid):
    """Return the largest resident set that a process has had."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


@pytest.mark.parametrize("size", [0, 1, EDGE - 1, EDGE, EDGE + 1, 2 * EDGE, 2 * EDGE + 1, 5 * EDGE + 7, 1_000_003])
def test_head_tail_hash_and_file_agree_with_the_bytes(worker, shared, workspace, size):
    """Head and tail never overlap and hold everything exactly when there is no file."""
    data = os.urandom(size)
    (workspace / "data").write_bytes(data)
    blob = worker.trial(make_job(shared, "cat", "data"))["streams"]["stdout"]
    head, tail = base64.b64decode(blob["head"]), base64.b64decode(blob["tail"])
    assert blob["size"] == size
    assert blob["sha256"] == hashlib.sha256(data).hexdigest()
    assert head == data[:EDGE]
    assert tail == (data[EDGE:] if size <= 2 * EDGE else data[-EDGE:])
    if size <= 2 * EDGE:
        assert blob["file"] is None
    else:
        with open(blob["file"], "rb") as file:
            assert file.read() == data
        assert os.stat(blob["file"]).st_mode & 0o777 == 0o600


def test_three_hundred_megabytes_leave_the_worker_small(worker, shared):
    """300 MB on standard output are hashed and kept, and the worker's peak stays below 60 MB."""
    size = 300 * 1024 * 1024
    blob = worker.trial(make_job(shared, "head", "-c", str(size), "/dev/zero"))["streams"]["stdout"]
    assert blob["size"] == size
    assert os.stat(blob["file"]).st_size == size
    assert peak_rss_kb(worker.pid) < 60_000


def test_over_the_limit_the_trial_is_ended(worker, shared):
    """The stream is cut exactly at the limit, and the termination names it."""
    began = time.monotonic()
    capture = worker.trial(make_job(shared, "sh", "-c", "yes >&2", max_output=1_000_000))
    assert capture["termination"] == {"kind": "output_limit", "stream": "stderr"}
    assert capture["streams"]["stderr"]["size"] == 1_000_000
    assert capture["no_survivors"] == "verified"
    assert time.monotonic() - began < 10


def test_a_flood_from_a_leaked_process_hits_the_limit_too(worker, shared):
    """What floods after the command ended is cut as well, and said to be."""
    capture = worker.trial(make_job(shared, "sh", "-c", "yes & exit 0", max_output=300_000, leak_grace_ms=5000))
    assert capture["termination"] == {"kind": "output_limit", "stream": "stdout"}
    assert capture["no_survivors"] == "verified"


def test_a_full_disk_is_an_error_and_never_a_short_stream(start_worker, workspace, tmp_path):
    """When the spool cannot take the stream, the reply is an error of kind `spool`, and the worker goes on."""
    limit = ["prlimit", "--fsize=500000"]
    if subprocess.run([*limit, "true"], check=False).returncode != 0:
        pytest.skip("no prlimit")
    from tests.worker.client import make_room

    worker = start_worker(prefix=limit)
    room = make_room(workspace, tmp_path / "scratch")
    reply = worker.ask(op="trial", job=make_job(room, sys.executable, "-c", "print('x' * 2_000_000)"))
    assert reply["ok"] is False
    assert reply["error"]["kind"] == "spool"
    assert reply["error"]["errno"] == 27
    assert os.listdir(tmp_path / "scratch" / "spool") == []
    assert worker.trial(make_job(room, "echo", "on"))["termination"] == {"kind": "exited", "code": 0}


def test_a_missing_spool_is_an_error_too(worker, shared):
    """The stream is not dropped in silence when its folder is gone."""
    job = make_job(shared, "head", "-c", "200000", "/dev/zero", spool=shared["scratch"] + "/gone")
    assert worker.ask(op="trial", job=job)["error"]["kind"] == "spool"
    job["argv"] = ["head", "-c", "100000", "/dev/zero"]
    assert worker.trial(job)["streams"]["stdout"]["size"] == 100_000


@pytest.mark.long
def test_a_gigabyte_on_both_streams(worker, shared):
    """1 GB in all changes nothing about the worker's size."""
    size = 500 * 1024 * 1024
    command = f"head -c {size} /dev/zero & head -c {size} /dev/zero >&2; wait"
    capture = worker.trial(make_job(shared, "sh", "-c", command, timeout_ms=90_000))
    assert [capture["streams"][name]["size"] for name in ("stdout", "stderr")] == [size, size]
    assert peak_rss_kb(worker.pid) < 60_000
