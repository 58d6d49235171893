"""What the recorder misses is counted and lowers the grade; where it cannot work, another one or none is said."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.worker.client import FOLDER, make_job, text

PROGRAMS = Path(__file__).resolve().parents[1] / "programs"
LOSSY = PROGRAMS / "lossy_worker.py"
DOCKERLIKE = PROGRAMS / "dockerlike.py"
COMMAND = ["sh", "-c", "true | cat; : >made; mv made moved; cat moved; :"]


@pytest.fixture
def lossy(monkeypatch, start_worker):
    """Return a function that starts a worker in which one thing fails."""

    def start(fault):
        monkeypatch.setenv("LOSSY", fault)
        return start_worker(folder=LOSSY)

    return start


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("memory", "arguments that could not be read"),
        ("result", "ptrace"),
        ("vanish", "vanished without a report"),
        ("full", "the log is full"),
    ],
)
def test_a_loss_is_counted_named_and_lowers_the_grade(lossy, shared, fault, reason):
    """A record that misses something is no longer `recorded`, and the trial itself goes on undisturbed."""
    capture = lossy(fault).trial(make_job(shared, *COMMAND, recorder="trace"))
    record = capture["record"]
    assert capture["termination"] == {"kind": "exited", "code": 0}
    assert capture["no_survivors"] == "verified"
    assert record["lost"] > 0
    assert record["grade"] == "observed"
    assert reason in record["why"]


def test_nothing_is_lost_without_a_fault(worker, shared):
    """The same command, all being well, has a full record."""
    record = worker.trial(make_job(shared, *COMMAND, recorder="trace"))["record"]
    assert (record["grade"], record["lost"]) == ("recorded", 0)


def test_a_process_that_was_not_traced_is_a_loss(worker, shared):
    """clone3 hides its flags from the filter: such a child can open nothing, and its end gives it away."""
    code = """
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
arguments = (ctypes.c_uint64 * 8)(0x00800000, 0, 0, 0, 17)
if libc.syscall(435, ctypes.byref(arguments), 64) == 0:
    try: os.open('made', os.O_CREAT | os.O_WRONLY)
    except OSError as error: print(error.errno, flush=True)
    time.sleep(0.05); os._exit(0)
"""
    command = [sys.executable, "-S", "-E", "-c", code]
    capture = worker.trial(make_job(shared, *command, recorder="trace", leak_grace_ms=5000))
    assert text(capture["streams"]["stdout"]) == "38\n", text(capture["streams"]["stderr"])
    assert capture["record"]["grade"] == "observed"
    assert "a process ended that was not traced" in capture["record"]["why"]


def test_where_tracing_is_refused_strace_is_tried(lossy, shared, monkeypatch):
    """Without ptrace of our own the record comes from strace, else there is none, with the reason."""
    worker = lossy("seize")
    record = worker.trial(make_job(shared, *COMMAND, recorder="trace"))["record"]
    assert record["recorder"] in ("strace", "off")
    assert record["grade"] in ("observed", "none")
    assert "no ptrace" in record["why"]
    assert "seize" in record["why"]
    monkeypatch.setenv("PATH", "/nonexistent")
    capture = lossy("seize").trial(make_job(shared, *COMMAND, recorder="trace"))
    assert capture["termination"] == {"kind": "exited", "code": 0}
    assert (capture["record"]["recorder"], capture["record"]["grade"]) == ("off", "none")
    assert "strace is not installed" in capture["record"]["why"]


def test_probe_says_what_works_here(worker):
    """The probe records a program and tells grade and mechanism."""
    found = worker.ask(op="probe-recorder")["recorder"]
    assert (found["grade"], found["mechanism"], found["errno"]) == ("recorded", "ptrace", None)
    assert found["attempts"] == [{"mechanism": "ptrace", "ok": True, "errno": None, "at": None, "message": None}]


def test_probe_says_why_it_does_not_work(lossy, monkeypatch):
    """A refusal shows with errno and the step at which it came."""
    monkeypatch.setenv("PATH", "/nonexistent")
    found = lossy("seize").ask(op="probe-recorder")["recorder"]
    assert (found["grade"], found["mechanism"], found["errno"], found["at"]) == ("none", None, 1, "seize")


def test_it_works_under_what_docker_allows(start_worker, shared):
    """With Docker's default filter and capabilities commands are recorded in full."""
    worker = start_worker(prefix=[sys.executable, str(DOCKERLIKE)])
    assert worker.ask(op="probe-recorder")["recorder"]["grade"] == "recorded"
    record = worker.trial(make_job(shared, *COMMAND, recorder="trace"))["record"]
    assert (record["grade"], record["lost"]) == ("recorded", 0)
    assert any(event["kind"] == "file.rename" for event in record["events"])


@pytest.mark.parametrize(
    "command", ["sleep 1000; :", "setsid sh -c 'trap \"\" TERM HUP; sleep 1000; :' & sleep 1000; :"]
)
def test_when_the_worker_is_killed_nothing_of_the_trial_lives(start_worker, shared, command):
    """The kernel kills what is traced together with its tracer."""
    worker = start_worker()
    marker = f"{os.getpid()}.{os.urandom(3).hex()}"
    job = make_job(shared, "sh", "-c", command, env={"PATH": "/usr/bin:/bin", "MARKER": marker}, recorder="trace")
    worker.send({"op": "trial", "job": job})
    wait_until(lambda: len(marked(marker)) >= 2)
    worker.process.send_signal(signal.SIGKILL)
    worker.process.wait()
    wait_until(lambda: not marked(marker))


def test_hang_up_in_the_middle_of_a_traced_trial_leaves_nothing(start_worker, shared):
    """When the asking side is gone, the trial ends and no file of the record stays."""
    worker = start_worker()
    marker = f"{os.getpid()}.{os.urandom(3).hex()}"
    command = "n=0; while :; do : >f; done"
    job = make_job(shared, "sh", "-c", command, env={"PATH": "/usr/bin:/bin", "MARKER": marker}, recorder="trace")
    worker.send({"op": "trial", "job": job})
    spool = Path(shared["scratch"]) / "spool"
    wait_until(lambda: os.listdir(spool))
    assert worker.close() == 0
    assert marked(marker) == []
    assert os.listdir(spool) == []


def test_a_bad_recorder_is_a_bad_request(worker, shared):
    """The reply names the field."""
    reply = worker.ask(op="trial", job=make_job(shared, "true", recorder="fanotify"))
    assert reply["error"]["kind"] == "bad-request"
    assert "recorder" in reply["error"]["message"]


def test_an_untraced_worker_never_loads_the_recorder(shared):
    """Trials without a recorder do not pay for it."""
    code = (
        f"import sys; sys.path.insert(0, {os.path.abspath(FOLDER)!r})\n"
        "import runpy\n"
        "sys.argv[1:] = ['--once']\n"
        f"try: runpy.run_path({os.path.abspath(FOLDER)!r} + '/__main__.py', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "print([name for name in sys.modules if name.startswith('trace_')], file=sys.stderr)\n"
    )
    job = json.dumps(make_job(shared, "true"))
    command = [sys.executable, "-S", "-E", "-c", code]
    done = subprocess.run(command, input=job, capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == "[]\n"


def wait_until(condition):
    """Wait until something holds, for some seconds."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def marked(marker):
    """Return the pids of the living processes that have `MARKER=marker` in their environment."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if b"MARKER=" + marker.encode() in file.read().split(b"\0"):
                    found.append(int(name))
        except OSError:
            continue
    return found
