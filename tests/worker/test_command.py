"""One command in the room `shared`: how it starts, what it reads and writes, how it ends."""

import base64
import hashlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.worker.client import FOLDER, make_job, text


def stdin_of(data):
    """Return a stdin of bytes."""
    return {"kind": "bytes", "base64": base64.b64encode(data).decode()}


def test_exit_code_and_streams(worker, shared):
    """A trial reports the exit code and both streams apart."""
    capture = worker.trial(make_job(shared, "sh", "-c", "echo out; echo err >&2; exit 3"))
    assert capture["termination"] == {"kind": "exited", "code": 3}
    assert text(capture["streams"]["stdout"]) == "out\n"
    assert text(capture["streams"]["stderr"]) == "err\n"
    assert capture["streams"]["stdout"]["sha256"] == hashlib.sha256(b"out\n").hexdigest()
    assert capture["no_survivors"] == "verified"
    assert capture["leaked"] == []


def test_death_by_signal(worker, shared):
    """A command that dies of a signal is told apart from one that exits."""
    capture = worker.trial(make_job(shared, "sh", "-c", "kill -SEGV $$"))
    assert capture["termination"] == {"kind": "signalled", "signal": signal.SIGSEGV}


@pytest.mark.parametrize(
    ("argv", "number"),
    [
        (["no-such-program"], 2),
        (["./old.txt"], 13),
        (["sub"], 2),
        (["/"], 13),
        (["./no-interpreter"], 2),
        (["./empty"], 8),
        (["true", "a\0b"], 22),
        ([""], 2),
    ],
)
def test_a_command_that_cannot_start_says_why(worker, shared, workspace, argv, number):
    """What cannot be executed is `failed_to_start` with the system's error number, never an exit code."""
    for name, content in (("no-interpreter", "#!/no/such/thing\n"), ("empty", "")):
        (workspace / name).write_text(content)
        (workspace / name).chmod(0o755)
    capture = worker.trial(make_job(shared, *argv))
    assert capture["termination"]["kind"] == "failed_to_start"
    assert capture["termination"]["errno"] == number
    assert capture["termination"]["message"]
    assert capture["streams"]["stdout"]["size"] == 0


def test_a_missing_working_folder_is_a_failure_to_start(worker, shared):
    """The message names the folder."""
    capture = worker.trial(make_job(shared, "true", cwd=shared["workspace"] + "/gone"))
    assert capture["termination"]["kind"] == "failed_to_start"
    assert "gone" in capture["termination"]["message"]


def test_programs_are_found_on_the_path_of_the_child(worker, shared, workspace):
    """PATH of the job decides, also for a folder relative to the working folder."""
    program = workspace / "sub" / "hello"
    program.write_text("#!/bin/sh\necho hello from $0\n")
    program.chmod(0o755)
    capture = worker.trial(make_job(shared, "hello", env={"PATH": "sub:/usr/bin:/bin"}))
    assert text(capture["streams"]["stdout"]) == "hello from sub/hello\n"


def test_environment_is_exactly_that_of_the_job(worker, shared):
    """The child gets the job's variables and TMPDIR, nothing of the worker's."""
    capture = worker.trial(make_job(shared, "/usr/bin/env", env={"A": "1", "Ü": "ö"}))
    names = {line.partition("=")[0] for line in text(capture["streams"]["stdout"]).splitlines()}
    assert names == {"A", "Ü", "TMPDIR"}


def test_tokens_are_replaced(worker, shared):
    """{workspace} and {tmp} mean the room's root and the trial's folder, in argv, environment and stdin."""
    job = make_job(
        shared,
        "sh",
        "-c",
        'echo "{workspace}"; echo "$V"; cat; [ "{tmp}" = "$TMPDIR" ] && [ -d "$TMPDIR" ] && echo same',
        env={"PATH": "/usr/bin:/bin", "V": "at {workspace}"},
        stdin=stdin_of(b"in {workspace}\n"),
        replace_tokens={"{workspace}": "workspace", "{tmp}": "tmp"},
    )
    root = shared["workspace"]
    assert text(worker.trial(job)["streams"]["stdout"]) == f"{root}\nat {root}\nin {root}\nsame\n"


def test_tmp_is_fresh_private_and_never_inherited(worker, shared):
    """What one trial leaves in its temporary folder, or does to it, the next does not find."""
    spoil = 'echo x >"$TMPDIR/x"; mkdir -p "$TMPDIR/a/b"; chmod 0 "$TMPDIR/a/b" "$TMPDIR/a"; chmod 777 "$TMPDIR"'
    look = 'stat -c %a "$TMPDIR"; ls -A "$TMPDIR"'
    for command in (spoil, 'rm -rf "$TMPDIR"', "true"):
        worker.trial(make_job(shared, "sh", "-c", command))
        assert text(worker.trial(make_job(shared, "sh", "-c", look))["streams"]["stdout"]) == "700\n"


def test_a_link_in_place_of_tmp_is_not_followed(worker, shared, tmp_path):
    """What a trial puts where its temporary folder was never leads the worker to somebody else's folder."""
    precious = tmp_path / "precious"
    precious.mkdir(mode=0o755)
    (precious / "file").write_text("x")
    for _ in range(5):  # the link may get the very inode number of the folder
        worker.trial(make_job(shared, "sh", "-c", f'rm -rf "$TMPDIR"; ln -s {precious} "$TMPDIR"'))
        worker.trial(make_job(shared, "true"))
    assert precious.stat().st_mode & 0o777 == 0o755
    assert (precious / "file").read_text() == "x"


@pytest.mark.parametrize("size", [0, 5, 65536, 65537, 3_000_000])
def test_stdin_of_any_size(worker, shared, size):
    """Bytes arrive whole, whether the command reads them or not."""
    data = os.urandom(size)
    capture = worker.trial(make_job(shared, "sha256sum", stdin=stdin_of(data)))
    assert text(capture["streams"]["stdout"]).split()[0] == hashlib.sha256(data).hexdigest()
    assert worker.trial(make_job(shared, "true", stdin=stdin_of(data)))["termination"]["code"] == 0


def test_stdin_from_a_file_and_closed(worker, shared, workspace):
    """A file is read in place; closed means end of file at once; a FIFO is refused instead of waited for."""
    os.mkfifo(workspace / "fifo")
    of_file = worker.trial(make_job(shared, "cat", stdin={"kind": "file", "path": str(workspace / "old.txt")}))
    assert text(of_file["streams"]["stdout"]) == "old\n"
    assert worker.trial(make_job(shared, "cat"))["streams"]["stdout"]["size"] == 0
    for name in ("missing", "fifo"):
        refused = worker.trial(make_job(shared, "cat", stdin={"kind": "file", "path": str(workspace / name)}))
        assert refused["termination"]["kind"] == "failed_to_start"


def test_child_is_clean(worker, shared):
    """The child has three descriptors, a session of its own and default signal handling."""
    program = (
        "import os,signal;"
        "print(sorted(map(int,os.listdir('/proc/self/fd')))[:4], os.getsid(0)==os.getpid(),"
        "[l.split()[1] for l in open('/proc/self/status') if l[:6] in ('SigBlk','SigIgn')])"
    )
    capture = worker.trial(make_job(shared, sys.executable, "-S", "-E", "-c", program))
    out = text(capture["streams"]["stdout"])
    assert out.startswith("[0, 1, 2, 3] True")  # 3 is the listing itself
    shell = worker.trial(make_job(shared, "sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status"))
    own_of_the_c_library = 0x180000000  # posix_spawn sets them to be ignored
    masks = {int(line.split()[1], 16) for line in text(shell["streams"]["stdout"]).splitlines()}
    assert masks <= {0, own_of_the_c_library}


def test_timeout_asks_first_and_then_kills(worker, shared):
    """A command that minds SIGTERM may finish its last words; one that does not is killed."""
    polite = make_job(shared, "sh", "-c", "trap 'echo bye; exit' TERM; while :; do sleep 0.01; done", timeout_ms=300)
    capture = worker.trial(polite)
    assert capture["termination"] == {"kind": "timed_out"}
    assert text(capture["streams"]["stdout"]) == "bye\n"
    began = time.monotonic()
    capture = worker.trial(make_job(shared, "sh", "-c", "trap '' TERM; while :; do :; done", timeout_ms=300))
    assert capture["termination"] == {"kind": "timed_out"}
    assert capture["killed"] >= 1
    assert capture["no_survivors"] == "verified"
    assert time.monotonic() - began < 5


def test_a_daemon_that_holds_the_pipe_is_a_leak_and_not_a_timeout(worker, shared):
    """The end of the command counts, not the end of its pipes; the daemon is named and dead."""
    began = time.monotonic()
    capture = worker.trial(make_job(shared, "sh", "-c", "setsid sleep 4321 & echo done"))
    assert time.monotonic() - began < 3
    assert capture["termination"] == {"kind": "exited", "code": 0}
    assert text(capture["streams"]["stdout"]) == "done\n"
    (leaked,) = capture["leaked"]
    assert leaked["argv"] == ["sleep", "4321"]
    assert leaked["exe"].endswith(("/sleep", "/coreutils", "/busybox"))
    assert capture["killed"] == 1
    assert not os.path.exists(f"/proc/{leaked['pid']}")


def test_what_a_leaked_process_wrote_is_kept(worker, shared):
    """Output that a process writes before it is killed belongs to the capture."""
    command = "(sleep 0.05; echo late; sleep 1000; :) & echo early"
    capture = worker.trial(make_job(shared, "sh", "-c", command, leak_grace_ms=400))
    assert text(capture["streams"]["stdout"]) == "early\nlate\n"
    assert len(capture["leaked"]) == 2  # the subshell and its sleep


def test_a_helper_that_ends_within_the_grace_is_no_leak(worker, shared):
    """A short-lived background process is waited for, and costs no more than it lasts."""
    capture = worker.trial(make_job(shared, "sh", "-c", "(sleep 0.1; echo helper) & echo main", leak_grace_ms=5000))
    assert capture["leaked"] == []
    assert capture["killed"] == 0
    assert text(capture["streams"]["stdout"]) == "main\nhelper\n"
    assert capture["duration_ms"] < 4000


def test_control_bytes_do_not_disturb_the_protocol(worker, shared):
    """Escape codes, JSON lines, NUL and invalid UTF-8 are just bytes."""
    data = b'\x1b[2J\x1b]0;x\x07{"ok":false}\n\0\xff\xfe\r\n'
    capture = worker.trial(make_job(shared, "cat", stdin=stdin_of(data)))
    assert base64.b64decode(capture["streams"]["stdout"]["head"]) == data


def test_a_trial_that_kills_its_parent_only_loses_itself(start_worker, shared):
    """The worker dies, its socket says so, and no half line is left on it."""
    worker = start_worker()
    worker.send({"op": "trial", "job": make_job(shared, "sh", "-c", "kill -9 $PPID; exec true")})
    assert worker.receive() is None
    assert worker.close() == -signal.SIGKILL


def test_hang_up_in_the_middle_of_a_trial_leaves_nothing(start_worker, shared):
    """When the asking side is gone, the trial and the worker end, and the worker's folders go."""
    worker = start_worker()
    marker = f"{os.getpid()}.{os.urandom(3).hex()}"
    command = f"setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 1; done' {marker} & sleep 1000"
    worker.send({"op": "trial", "job": make_job(shared, "sh", "-c", command)})
    wait_until(lambda: marked(marker))
    assert worker.close() == 0
    assert marked(marker) == []
    assert os.listdir(shared["scratch"]) == ["spool"]
    assert os.listdir(shared["scratch"] + "/spool") == []


def test_a_signal_ends_the_worker_and_its_trial(start_worker, shared):
    """SIGTERM to the worker is a hang-up, also while a command runs."""
    worker = start_worker()
    marker = f"{os.getpid()}.{os.urandom(3).hex()}"
    worker.send({"op": "trial", "job": make_job(shared, "sh", "-c", "sleep 1000; :", marker)})
    wait_until(lambda: marked(marker))
    worker.process.terminate()
    assert worker.process.wait(timeout=20) == 0
    assert marked(marker) == []


def test_usage_is_that_of_the_whole_tree(worker, shared):
    """Processor time of grandchildren counts."""
    burn = "import time\nwhile time.process_time()<0.2: pass"
    capture = worker.trial(make_job(shared, "sh", "-c", f'"{sys.executable}" -S -c "$1"; :', "sh", burn))
    assert capture["rusage"]["user_ms"] + capture["rusage"]["system_ms"] >= 150
    assert capture["rusage"]["max_rss_kb"] > 1000


def test_trajectory_comes_back_fresh(worker, shared):
    """Steps logged to the trajectory file are a stream; a trial that logs nothing has an empty one."""
    job = make_job(shared, "sh", "-c", 'echo "step $1" >>"$LOG"', "sh", "1", trajectory_env="LOG")
    assert text(worker.trial(job)["streams"]["trajectory"]) == "step 1\n"
    assert text(worker.trial(job)["streams"]["trajectory"]) == "step 1\n"
    silent = worker.trial(make_job(shared, "true", trajectory_env="LOG"))
    assert silent["streams"]["trajectory"]["size"] == 0
    gone = worker.trial(make_job(shared, "sh", "-c", 'rm "$LOG"; ln -s /etc/passwd "$LOG"', trajectory_env="LOG"))
    assert gone["streams"]["trajectory"] is None
    assert worker.trial(make_job(shared, "true"))["streams"]["trajectory"] is None


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"nonsense\n",
        b"[]\n",
        b'{"op":"fly"}\n',
        b'{"op":"trial"}\n',
        b'{"op":"trial","job":{"argv":[]}}\n',
        b'{"op":"run","job":{"id":"a","argv":["true"],"cwd":"/","spool":"/tmp"}}\n',
        b'{"op":"trial","job":{"id":"a","argv":["true"],"cwd":"relative","spool":"/tmp"}}\n',
        b'{"op":"changes"}\n',
        b'{"a":NaN}\n',
        b"\xff\xfe\n",
        b"[" * 200_000 + b"\n",
    ],
)
def test_a_bad_request_is_answered_and_the_next_one_served(worker, shared, line):
    """No line makes the worker fall silent or end."""
    worker.socket.sendall(line)
    reply = worker.receive()
    assert reply["ok"] is False
    assert reply["error"]["message"]
    assert worker.trial(make_job(shared, "true"))["termination"] == {"kind": "exited", "code": 0}


def test_once_reads_a_job_and_writes_a_capture(shared):
    """`--once` is one trial from standard input to standard output, with the exit code 0."""
    job = json.dumps(make_job(shared, "sh", "-c", "echo hi; exit 4"))
    command = [sys.executable, "-S", "-E", "-I", FOLDER, "--once"]
    done = subprocess.run(command, input=job, capture_output=True, text=True, check=True, timeout=60)
    capture = json.loads(done.stdout)
    assert capture["schema"] == "agentic_evals.capture.v1"
    assert capture["termination"] == {"kind": "exited", "code": 4}
    assert done.stderr == ""


def wait_until(condition):
    """Wait until something holds, for some seconds."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def marked(marker):
    """Return the pids of the living processes that have `marker` as a word of their argv."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                if marker.encode() in file.read().split(b"\0"):
                    found.append(int(name))
        except OSError:
            continue
    return found
