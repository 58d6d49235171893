"""The second recorder, strace, tells the same story as the first one."""

import os
import shutil
import sys

import pytest

from tests.worker.client import make_job, text

PYTHON = os.path.realpath(sys.executable)
STORY = f"""
mkdir d; echo a >d/a; cp d/a "d/b c"; mv d/a d/z; ln -s z d/l; ln d/z d/h; cat d/l; chmod 600 d/h; rm d/h
"{PYTHON}" -S -E -c 'import os, threading
t = threading.Thread(target=lambda: open("d/from-thread", "w").close()); t.start(); t.join()
os.rename("d/from-thread", "d/renamed")
try: open("/no/such/file", "w")
except OSError: pass
import socket
try: socket.socket().connect(("127.0.0.1", 1))
except OSError: pass'
(cd d && touch in-subshell; exec /bin/echo done) &
wait
sh -c 'kill -TERM $$'
exit 5
"""
COMPARED = {
    "proc.exec": ("argv", "exe", "sha256", "cwd"),
    "proc.exit": ("code", "signal"),
    "file.open": ("path", "mode", "errno"),
    "file.rename": ("from", "path", "errno"),
    "file.delete": ("path", "folder", "errno"),
    "file.link": ("path", "target", "symbolic", "errno"),
    "file.chmod": ("path", "mode", "errno"),
    "file.make": ("path", "folder", "errno"),
    "net.connect": ("family", "address", "port", "errno"),
}


@pytest.fixture(autouse=True)
def _strace():
    """Do without these tests where there is no strace."""
    if shutil.which("strace") is None:
        pytest.skip("no strace here")


def facts_of(record):
    """Return what both recorders must agree on, without order and without process ids."""
    found = []
    for event in record["events"]:
        names = COMPARED.get(event["kind"])
        if names is not None:
            found.append((event["kind"], *(str(event.get(name)) for name in names)))
    return sorted(found)


def test_both_recorders_agree(worker, shared, workspace):
    """Execs, ends, files, names and connections are the same, and so is the outcome of the command."""
    captures = {}
    for recorder in ("trace", "strace"):
        shutil.rmtree(workspace / "d", ignore_errors=True)
        captures[recorder] = worker.trial(make_job(shared, "sh", "-c", STORY, recorder=recorder))
    for recorder, name in (("trace", "ptrace"), ("strace", "strace")):
        capture = captures[recorder]
        assert capture["record"]["recorder"] == name
        assert capture["record"]["lost"] == 0, capture["record"]["why"]
        assert capture["termination"] == {"kind": "exited", "code": 5}
        assert text(capture["streams"]["stdout"]) == "a\ndone\n"
        assert capture["leaked"] == []
    traced, straced = (facts_of(captures[recorder]["record"]) for recorder in ("trace", "strace"))
    assert traced == straced
    kinds = {fact[0] for fact in traced}
    assert kinds == set(COMPARED)


def test_its_grade_is_observed_and_it_says_why(worker, shared):
    """What strace cannot tell is said; its own log is not left behind."""
    record = worker.trial(make_job(shared, "true", recorder="strace"))["record"]
    assert (record["recorder"], record["grade"], record["lost"]) == ("strace", "observed", 0)
    assert "digest" in record["why"]
    assert os.listdir(shared["scratch"] + "/spool") == []


def test_what_a_command_leaves_is_a_leak_and_strace_is_none(worker, shared):
    """A daemon is named and killed; strace's own process is no part of the command."""
    capture = worker.trial(make_job(shared, "sh", "-c", "setsid sleep 4321 & echo done", recorder="strace"))
    assert capture["termination"] == {"kind": "exited", "code": 0}
    assert [process["argv"] for process in capture["leaked"]] == [["sleep", "4321"]]
    assert capture["no_survivors"] == "verified"
    assert not os.path.exists(f"/proc/{capture['leaked'][0]['pid']}")


def test_a_timeout_ends_a_command_under_strace(worker, shared):
    """The limits are those of any command."""
    capture = worker.trial(
        make_job(shared, "sh", "-c", "trap '' TERM; sleep 1000; :", recorder="strace", timeout_ms=300)
    )
    assert capture["termination"] == {"kind": "timed_out"}
    assert capture["no_survivors"] == "verified"


def test_many_short_processes(worker, shared):
    """A process whose end is told before its birth is no loss."""
    code = "import os\nfor n in range(100):\n if os.fork() == 0: os._exit(0)\n os.wait()"
    record = worker.trial(make_job(shared, PYTHON, "-S", "-E", "-c", code, recorder="strace"))["record"]
    assert (record["count"], record["lost"]) == (102, 0)


def test_probe_tells_of_strace(worker):
    """Asked for by name, the probe says what strace gives here."""
    found = worker.ask(op="probe-recorder", recorder="strace")["recorder"]
    assert (found["grade"], found["mechanism"]) == ("observed", "strace")


def test_without_strace_there_is_a_reason(start_worker, shared, monkeypatch):
    """Where it is not installed the trial runs without a record, and it is said."""
    monkeypatch.setenv("PATH", "/nonexistent")
    capture = start_worker().trial(make_job(shared, "true", recorder="strace"))
    assert capture["termination"] == {"kind": "exited", "code": 0}
    assert (capture["record"]["recorder"], capture["record"]["grade"]) == ("off", "none")
    assert "not installed" in capture["record"]["why"]
