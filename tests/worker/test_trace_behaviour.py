"""A traced command behaves as it does untraced: output, exit code, signals, stops, threads, limits."""

import hashlib
import os
import shutil
import signal
import sys
import time

import pytest

from tests.worker.client import make_job, text

PYTHON = os.path.realpath(sys.executable)
SYS_IO_URING_SETUP = 425


def python(code):
    """Return the words that run a piece of Python without its site."""
    return [PYTHON, "-S", "-E", "-c", code]


@pytest.fixture
def traced(worker, shared):
    """Return a function that runs a command traced and returns its capture; nothing may be lost."""

    def run(*argv, **more):
        capture = worker.trial(make_job(shared, *argv, recorder="trace", **more))
        assert capture["record"]["recorder"] == "ptrace"
        assert capture["record"]["lost"] == 0, capture["record"]["why"]
        assert capture["no_survivors"] == "verified"
        return capture

    return run


@pytest.fixture
def both(worker, shared):
    """Return a function that runs a command with and without the recorder, compares, and returns the output."""

    def run(*argv, **more):
        plain, traced = (worker.trial(make_job(shared, *argv, recorder=kind, **more)) for kind in ("off", "trace"))
        assert traced["record"]["grade"] == "recorded", traced["record"]["why"]
        assert traced["termination"] == plain["termination"], text(traced["streams"]["stderr"])
        assert text(traced["streams"]["stdout"]) == text(plain["streams"]["stdout"])
        assert text(traced["streams"]["stderr"]) == text(plain["streams"]["stderr"])
        assert traced["leaked"] == plain["leaked"] == []
        return text(traced["streams"]["stdout"])

    return run


def of_kind(capture, kind):
    """Return the recorded events of one kind."""
    return [event for event in capture["record"]["events"] if event["kind"] == kind]


def test_threads_are_followed_and_are_no_processes(traced):
    """What each thread opens belongs to the process; only the process has an end."""
    code = """
import threading
def write(n): open(f't{n}', 'w').close()
threads = [threading.Thread(target=write, args=(n,)) for n in range(20)]
[t.start() for t in threads]; [t.join() for t in threads]
"""
    capture = traced(*python(code))
    opened = [event for event in of_kind(capture, "file.open") if event["mode"] == "write"]
    assert len({event["path"] for event in opened}) == 20
    assert len({event["pid"] for event in opened}) == 1
    assert all("tid" in event for event in opened)
    assert len(of_kind(capture, "proc.exit")) == 1


def test_an_exec_from_a_thread_keeps_the_process(traced):
    """When a thread that is not the first one executes a program, the process goes on under its id."""
    code = """
import os, threading, time
threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
threading.Thread(target=os.execv, args=('/bin/sh', ['sh', '-c', 'echo in $$; exit 6'])).start()
time.sleep(100)
"""
    capture = traced(*python(code))
    assert capture["termination"] == {"kind": "exited", "code": 6}
    first, second = of_kind(capture, "proc.exec")
    assert (second["pid"], second["parent"]) == (first["pid"], first["n"])
    assert text(capture["streams"]["stdout"]) == f"in {first['pid']}\n"
    (ended,) = of_kind(capture, "proc.exit")
    assert ended["code"] == 6


def test_children_of_every_making(traced):
    """fork, vfork, posix_spawn and a clone with no signal to its parent are all followed."""
    code = """
import ctypes, os, subprocess
os.waitpid(os.posix_spawn('/bin/true', ['spawned'], {}), 0)
subprocess.run(['/bin/true', 'run'])
if (pid := os.fork()) == 0: os.execv('/bin/true', ['forked'])
os.waitpid(pid, 0)
libc = ctypes.CDLL(None)
if libc.syscall({'x86_64': 56, 'aarch64': 220}[os.uname().machine], 0, 0, 0, 0, 0) == 0:
    os.execv('/bin/true', ['cloned'])
os.waitpid(-1, 0x40000000)
"""
    capture = traced(*python(code))
    assert capture["termination"] == {"kind": "exited", "code": 0}, text(capture["streams"]["stderr"])
    named = {event["argv"][0] for event in of_kind(capture, "proc.exec")[1:]}
    assert named == {"spawned", "/bin/true", "forked", "cloned"}
    assert len(of_kind(capture, "proc.exit")) == 5


def test_a_child_that_asks_not_to_be_traced_is_refused(traced):
    """CLONE_UNTRACED answers EPERM, a seccomp listener EINVAL."""
    code = """
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
clone, seccomp = {'x86_64': (56, 317), 'aarch64': (220, 277)}[os.uname().machine]
if libc.syscall(clone, 0x00800000 | 17, 0, 0, 0, 0) == 0: os._exit(0)
print(ctypes.get_errno())
print(libc.syscall(seccomp, 1, 8, 0), ctypes.get_errno())
"""
    assert text(traced(*python(code))["streams"]["stdout"]) == "1\n-1 22\n"


def test_io_uring_is_refused(traced):
    """A ring could open files unseen; it answers ENOSYS."""
    code = f"import ctypes; l = ctypes.CDLL(None, use_errno=True); l.syscall({SYS_IO_URING_SETUP}, 1, 0)"
    assert text(traced(*python(code + "; print(ctypes.get_errno())"))["streams"]["stdout"]) == "38\n"


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="int 0x80 is of x86")
def test_calls_of_32_bit_programs_are_refused(traced, workspace):
    """The old way into the kernel, with its other numbers, answers ENOSYS and opens nothing."""
    code = """
import ctypes, mmap
code = bytes.fromhex('53 b8 08 00 00 00 48 89 fb b9 a4 01 00 00 cd 80 5b c3')  # creat(rdi, 0644) by int 0x80
page = mmap.mmap(-1, 4096, prot=7); page.write(code)
low = ctypes.CDLL(None).mmap; low.restype = ctypes.c_void_p
low.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
name = low(0x10000000, 4096, 3, 0x32, -1, 0)
ctypes.memmove(name, b'made', 5)
call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
print(call(name))
"""
    capture = traced(*python(code))
    assert text(capture["streams"]["stdout"]) == "-38\n", text(capture["streams"]["stderr"])
    assert not [event for event in of_kind(capture, "file.open") if event["mode"] != "read"]
    assert not (workspace / "made").exists()


def test_tracing_inside_fails_and_is_noted(traced):
    """A program that wants to trace another cannot, and the record says so."""
    code = "import ctypes; print(ctypes.CDLL(None).ptrace(0, 0, 0, 0))"
    capture = traced(*python(code))
    assert text(capture["streams"]["stdout"]) == "-1\n"
    (note,) = of_kind(capture, "note")
    assert "ptrace" in note["text"]


def test_signals_reach_the_command(both):
    """Traps run, ignored signals stay ignored, a deadly one is the ending."""
    both(
        "sh", "-c", 'trap "echo usr1" USR1; trap "" HUP; kill -USR1 $$; kill -HUP $$; echo on; kill -TERM $$; echo not'
    )
    both("sh", "-c", "kill -SEGV $$")
    both(*python("import os; os.abort()"))
    both(*python("import signal; signal.raise_signal(signal.SIGTRAP)"))


def test_stopped_and_continued(both):
    """A parent sees its child stop and go on, as without a tracer."""
    code = """
import os, signal
pid = os.fork()
if pid == 0:
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(9)
print(os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1]), flush=True)
os.kill(pid, signal.SIGCONT)
print(os.WIFCONTINUED(os.waitpid(pid, os.WCONTINUED)[1]), flush=True)
print(os.WEXITSTATUS(os.waitpid(pid, 0)[1]))
"""
    assert both(*python(code)) == "True\nTrue\n9\n"


def test_an_open_that_waits_can_be_interrupted(both, workspace):
    """Opening a FIFO waits for its other end, and a signal interrupts it."""
    os.mkfifo(workspace / "fifo")
    code = """
import os, signal
def ring(*_): raise TimeoutError
signal.signal(signal.SIGALRM, ring); signal.setitimer(signal.ITIMER_REAL, 0.05)
try: os.open('fifo', os.O_RDONLY)
except TimeoutError: print('rang')
if os.fork() == 0:
    os.write(os.open('fifo', os.O_WRONLY), b'hi'); os._exit(0)
print(os.read(os.open('fifo', os.O_RDONLY), 9)); os.wait()
"""
    assert both(*python(code)) == "rang\nb'hi'\n"


def test_a_timeout_ends_a_traced_command(traced):
    """SIGTERM is asked first; what ignores it, or is stopped, is killed."""
    polite = traced("sh", "-c", "trap 'echo bye; exit' TERM; while :; do sleep 0.01; done", timeout_ms=300)
    assert polite["termination"] == {"kind": "timed_out"}
    assert text(polite["streams"]["stdout"]) == "bye\n"
    began = time.monotonic()
    deaf = traced("sh", "-c", "trap '' TERM; sleep 1000 & kill -STOP $$; :", timeout_ms=300)
    assert deaf["termination"] == {"kind": "timed_out"}
    assert deaf["killed"] >= 1
    assert time.monotonic() - began < 5
    assert {event["signal"] for event in of_kind(deaf, "proc.exit")} <= {None, signal.SIGKILL, signal.SIGTERM}


def test_what_a_traced_command_leaves_is_a_leak(traced):
    """A daemon is named and killed, and its end is in the record."""
    capture = traced("sh", "-c", "setsid sleep 4321 & echo done")
    assert capture["termination"] == {"kind": "exited", "code": 0}
    assert [process["argv"] for process in capture["leaked"]] == [["sleep", "4321"]]
    (ended,) = [event for event in of_kind(capture, "proc.exit") if event["signal"]]
    assert (ended["pid"], ended["signal"]) == (capture["leaked"][0]["pid"], signal.SIGKILL)


def test_output_over_the_limit_ends_a_traced_command(traced):
    """The limit of a stream holds while stops are served."""
    capture = traced("sh", "-c", "while :; do echo xxxxxxxxxxxxxxxx; done", max_output=100_000)
    assert capture["termination"] == {"kind": "output_limit", "stream": "stdout"}


def test_much_output_arrives_whole(traced):
    """Megabytes go through the pipes while the command is traced."""
    capture = traced("sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x")
    assert capture["streams"]["stdout"]["sha256"] == hashlib.sha256(b"x" * 3_000_000).hexdigest()


def test_usage_is_counted_once(worker, shared):
    """Processor time of a child that its parent waits for is not counted twice."""
    burn = "import time\nwhile time.process_time() < 0.4: pass"
    job = make_job(shared, "sh", "-c", f'"{PYTHON}" -S -c "$1"; :', "sh", burn, recorder="trace")
    usage = worker.trial(job)["rusage"]
    assert 350 <= usage["user_ms"] + usage["system_ms"] < 750


def test_a_worker_records_one_trial_after_another(worker, shared):
    """Traced and untraced trials follow one another in one worker."""
    for number in range(6):
        recorder = ("trace", "off")[number % 2]
        capture = worker.trial(make_job(shared, "sh", "-c", "true; exec true", recorder=recorder))
        assert capture["termination"] == {"kind": "exited", "code": 0}
        assert capture["record"]["count"] == (4 if recorder == "trace" else 0)


@pytest.mark.parametrize("count", [300, pytest.param(5000, marks=pytest.mark.long)])
def test_many_forks(traced, count):
    """Every one of very many short processes has its end in the record."""
    code = f"""
import os
for n in range({count}):
    if os.fork() == 0: os._exit(n % 7)
    if n % 3: os.wait()
while True:
    try: os.wait()
    except ChildProcessError: break
"""
    capture = traced(*python(code), timeout_ms=100_000)
    assert capture["termination"] == {"kind": "exited", "code": 0}
    assert capture["record"]["count"] == count + 2


NODE = """
const {execSync, spawnSync} = require('child_process')
console.log(String(execSync('echo from node')))
require('fs').writeFileSync('n', 'x')
process.exit(spawnSync('sh', ['-c', 'exit 4']).status)
"""
GIT = """
rm -rf g && git init -q g && cd g && echo a >a && git add a
git -c user.name=a -c user.email=a@example.org commit -qm x
git log --format=%s && git status --short
"""
POOL = """
import multiprocessing
if __name__ == '__main__':
    with multiprocessing.Pool(3) as pool: print(pool.map(abs, range(-9, 9)))
"""
THREADS = """
import subprocess
from multiprocessing.pool import ThreadPool
with ThreadPool(8) as pool: print(pool.map(lambda n: subprocess.run(['sh', '-c', f'exit {n}']).returncode, range(40)))
"""
PROGRAMS = {
    "perl": ["perl", "-e", "print `echo from perl`; exit(system('exit 3') >> 8)"],
    "node": ["node", "-e", NODE],
    "git": ["sh", "-c", GIT],
    "multiprocessing": [PYTHON, "-c", POOL],
    "threads": [PYTHON, "-c", THREADS],
    "timeout": ["timeout", "0.2", "sleep", "100"],
    "job control": ["bash", "-mc", "sleep 0.1 & wait %1; echo $?; (exit 5) & wait $!; echo $?"],
    "pipeline": ["sh", "-c", "seq 1 2000 | sort -rn | head -n 3; echo x | xargs -n 1 echo"],
}


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_well_known_programs_do_not_notice(both, name):
    """Exit code and output of common programs are the same traced and untraced."""
    argv = PROGRAMS[name]
    if shutil.which(argv[0]) is None or (name == "git" and shutil.which("git") is None):
        pytest.skip(f"no {argv[0]} here")
    both(*argv, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"}, timeout_ms=60_000)


@pytest.mark.long
def test_pytest_does_not_notice(both, workspace):
    """A test runner that starts programs reports the same."""
    (workspace / "test_it.py").write_text(
        "import subprocess\ndef test_a(tmp_path):\n assert subprocess.run(['true']).returncode == 0\n"
        "def test_b():\n raise AssertionError\n"
    )
    script = f'"{sys.executable}" -m pytest -q -p no:cacheprovider test_it.py | sed "s/ in .*s//"'
    assert "1 failed, 1 passed" in both("sh", "-c", script, timeout_ms=90_000)
