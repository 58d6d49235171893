"""What the recorder `trace` writes down of one command: programs, files, connections, ends."""

import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys

import pytest

from tests.worker.client import make_job, text

PYTHON = os.path.realpath(sys.executable)
ENVELOPE = {"n", "t_ns", "kind", "pid", "ppid", "parent"}


def sha256_of(path):
    """Return the digest of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def events_of(record):
    """Return the events of a record, wherever they are kept."""
    if "file" not in record:
        return record["events"]
    with open(record["file"], encoding="ascii") as file:
        return [json.loads(line) for line in file]


@pytest.fixture
def trace(worker, shared):
    """Return a function that runs a command traced and returns its events; nothing may be lost."""

    def run(*argv, regions=(), code=0, **more):
        job = make_job(shared, *argv, recorder="trace", trace={"regions": list(regions)}, **more)
        capture = worker.trial(job)
        record = run.record = capture["record"]
        run.capture = capture
        assert capture["termination"] == {"kind": "exited", "code": code}, text(capture["streams"]["stderr"])
        assert record["recorder"] == "ptrace"
        assert (record["grade"], record["lost"]) == ("recorded", 0), record["why"]
        events = events_of(record)
        assert record["count"] == len(events)
        assert [event["n"] for event in events] == list(range(1, len(events) + 1))
        return events

    return run


def of_kind(events, *kinds):
    """Return the events of some kinds."""
    return [event for event in events if event["kind"] in kinds]


def python(code):
    """Return the words that run a piece of Python without its site."""
    return [PYTHON, "-S", "-E", "-c", code]


def test_no_recorder_no_record(worker, shared):
    """A job that asks for none gets an empty record of the recorder `off`."""
    record = worker.trial(make_job(shared, "true"))["record"]
    assert record["recorder"] == "off"
    assert (record["grade"], record["count"], record["events"]) == ("none", 0, [])


def test_programs_with_digest_arguments_folder_and_parent(trace, shared):
    """Each exec tells the kernel's path of the program, its SHA-256, argv, folder, and the exec it came from."""
    events = trace("sh", "-c", "cd sub; /bin/cat deep.txt; sh -c 'true; exec /bin/echo \"a b\" ä'; :")
    first, cat, inner, echo = of_kind(events, "proc.exec")
    assert set(first) >= ENVELOPE
    assert first["parent"] is None
    assert first["argv"][:2] == ["sh", "-c"]
    assert first["exe"] == os.path.realpath(shutil.which("sh"))
    assert first["sha256"] == sha256_of(first["exe"])
    assert first["cwd"] == shared["workspace"]
    assert (cat["argv"], cat["parent"], cat["ppid"]) == (["/bin/cat", "deep.txt"], first["n"], first["pid"])
    assert cat["path"] == "/bin/cat"
    assert cat["exe"] == os.path.realpath("/bin/cat")
    assert cat["sha256"] == sha256_of("/bin/cat")
    assert cat["cwd"] == shared["workspace"] + "/sub"
    assert inner["parent"] == first["n"]
    assert (echo["argv"], echo["parent"], echo["pid"]) == (["/bin/echo", "a b", "ä"], inner["n"], inner["pid"])


def test_changed_environment_is_named_and_its_values_are_not(trace):
    """A variable that a program sets for another shows with the digest of its value, a removed one with null."""
    env = {"PATH": "/usr/bin:/bin", "GONE": "1"}
    events = trace("sh", "-c", "unset GONE; LD_PRELOAD= SECRET=hush /bin/true", env=env)
    true = of_kind(events, "proc.exec")[1]
    assert set(true["env"]) == {"TMPDIR", "LD_PRELOAD", "SECRET", "GONE"} - {"TMPDIR"}
    assert true["env"]["SECRET"] == hashlib.sha256(b"hush").hexdigest()
    assert true["env"]["GONE"] is None
    assert "hush" not in json.dumps(true["env"])


def test_a_script_shows_in_the_arguments_of_its_interpreter(trace, workspace):
    """Of `#!` files the exec names the interpreter, its argv the script; the given path is kept, too."""
    script = workspace / "tool"
    script.write_text("#!/bin/sh\necho ran\n")
    script.chmod(0o755)
    (exec_event,) = of_kind(trace("./tool", "x"), "proc.exec")
    assert exec_event["exe"] == os.path.realpath("/bin/sh")
    assert exec_event["argv"] == ["/bin/sh", "./tool", "x"]
    assert exec_event["path"] == f"{workspace}/./tool"


def test_very_long_arguments_are_cut_and_it_is_said(trace):
    """Of one exec 256 KiB of argv are kept."""
    code = "import os; os.execv('/bin/true', ['true'] + ['x' * 100_000] * 4)"
    event = of_kind(trace(*python(code)), "proc.exec")[1]
    assert event["argv_cut"] is True
    assert sum(len(word) + 1 for word in event["argv"]) <= 256 * 1024 + 1
    assert event["argv"][1] == "x" * 100_000


def test_a_static_program_is_recorded_like_any_other(trace, workspace):
    """A program without a C library between it and the kernel hides nothing."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler here")
    source = workspace / "static.c"
    source.write_text(
        "#include <fcntl.h>\n#include <unistd.h>\n"
        'int main(void) { int f = open("made", O_WRONLY | O_CREAT, 0600); return write(f, "x", 1) != 1; }\n'
    )
    made = subprocess.run(["cc", "-static", "-o", workspace / "static", source], check=False, capture_output=True)
    if made.returncode != 0:
        pytest.skip("no static C library here")
    events = trace("./static")
    assert of_kind(events, "proc.exec")[0]["sha256"] == sha256_of(workspace / "static")
    (opened,) = of_kind(events, "file.open")
    assert (opened["path"], opened["mode"], opened["created"]) == (f"{workspace}/made", "write", True)


def test_reading_is_recorded_below_the_regions_only(trace, workspace, tmp_path):
    """A file of the workspace or of a named region shows with size and digest; one elsewhere does not."""
    region, elsewhere = tmp_path / "region", tmp_path / "elsewhere"
    for folder in (region, elsewhere):
        folder.mkdir()
        (folder / "file").write_text("12345")
    (elsewhere / "link").symlink_to(region / "file")
    names = [
        f"{region}/file",
        f"{elsewhere}/file",
        f"{elsewhere}/file",
        f"{elsewhere}/link",
        "old.txt",
        "sub/../old.txt",
    ]
    events = trace("cat", *names, regions=[str(region)])
    seen = [(event["path"], event["size"], event["sha256"]) for event in of_kind(events, "file.open")]
    five, old = hashlib.sha256(b"12345").hexdigest(), hashlib.sha256(b"old\n").hexdigest()
    place = f"{workspace}/old.txt"
    assert seen == [(f"{region}/file", 5, five), (f"{region}/file", 5, five), (place, 4, old), (place, 4, old)]


def test_a_name_that_begins_to_lead_into_a_region_is_noticed(trace, tmp_path):
    """Also after a folder outside was used innocently, a link put in its place is followed by the record."""
    region, elsewhere = tmp_path / "region", tmp_path / "elsewhere"
    for folder in (region, elsewhere):
        folder.mkdir()
        (folder / "file").write_text(folder.name)
    code = f"""
import os
def read(): return open({str(elsewhere / "file")!r}).read()
assert [read(), read(), read()] == ['elsewhere'] * 3
os.rename({str(elsewhere)!r}, {str(elsewhere) + ".was"!r})
os.symlink({str(region)!r}, {str(elsewhere)!r})
assert [read(), read()] == ['region'] * 2
"""
    events = trace(*python(code), regions=[str(region)])
    assert [event["path"] for event in of_kind(events, "file.open")] == [f"{region}/file"] * 2


def test_writing_is_recorded_everywhere(trace, tmp_path):
    """Every open for writing shows with the kernel's path, whether it created the file, and how it was opened."""
    (tmp_path / "there").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "there")
    code = f"""
import os
os.chdir({str(tmp_path)!r})
open('new', 'w'); open('link', 'a'); os.open('there', os.O_RDWR)
os.close(os.open('/dev/null', os.O_WRONLY))
folder = os.open('.', os.O_RDONLY)
os.open('sub/../at', os.O_WRONLY | os.O_CREAT | os.O_EXCL, dir_fd=folder) if os.mkdir('sub') is None else 0
"""
    events = trace(*python(code))
    seen = [
        (event["path"], event["mode"], event["flags"], event.get("created")) for event in of_kind(events, "file.open")
    ]
    there = f"{tmp_path}/there"
    assert seen == [
        (f"{tmp_path}/new", "write", ["create", "truncate"], True),
        (there, "write", ["create", "append"], False),
        (there, "read_write", [], None),
        ("/dev/null", "write", [], None),
        (f"{tmp_path}/at", "write", ["create", "exclusive"], True),
    ]
    (made,) = of_kind(events, "file.make")
    assert (made["path"], made["folder"]) == (f"{tmp_path}/sub", True)


def test_a_file_without_a_name_gets_one(trace, workspace):
    """O_TMPFILE and linkat are followed to the final path."""
    code = """
import os
f = os.open('.', os.O_TMPFILE | os.O_WRONLY)
os.write(f, b'x')
folder = os.open('.', os.O_PATH)
os.link(f'/proc/self/fd/{f}', 'named', dst_dir_fd=folder, follow_symlinks=True)
"""
    events = trace(*python(code))
    (opened,) = of_kind(events, "file.open")
    (linked,) = of_kind(events, "file.link")
    assert opened["flags"] == ["tmpfile"]
    assert (linked["path"], linked["target"]) == (f"{workspace}/named", opened["path"])
    assert (workspace / "named").read_bytes() == b"x"


def test_renames_links_deletions_and_changes(trace, workspace):
    """Names are resolved by the kernel up to the last part, which is kept as it is."""
    (workspace / "other").symlink_to(workspace / "sub")
    code = """
import os
os.rename('old.txt', 'other/new.txt')
os.link('sub/new.txt', 'hard')
os.symlink('nowhere', 'soft')
os.chmod('hard', 0o640)
os.truncate('hard', 1)
os.unlink('soft')
os.mkdir('dir')
os.rmdir('dir')
os.rename('other', 'renamed-link')
"""
    events = trace(*python(code))
    facts = [
        {name: value for name, value in event.items() if name not in ENVELOPE}
        for event in events
        if event["kind"].startswith("file.")
    ]
    root = str(workspace)
    assert facts == [
        {"from": f"{root}/old.txt", "path": f"{root}/sub/new.txt", "errno": None},
        {"path": f"{root}/hard", "target": f"{root}/sub/new.txt", "symbolic": False, "errno": None},
        {"path": f"{root}/soft", "target": "nowhere", "symbolic": True, "errno": None},
        {"path": f"{root}/hard", "mode": "0640", "errno": None},
        {"path": f"{root}/hard", "errno": None},
        {"path": f"{root}/soft", "folder": False, "errno": None},
        {"path": f"{root}/dir", "folder": True, "errno": None},
        {"path": f"{root}/dir", "folder": True, "errno": None},
        {"from": f"{root}/other", "path": f"{root}/renamed-link", "errno": None},
    ]


def test_what_was_refused_shows_with_its_error(trace, workspace):
    """Opens, renames and execs that fail are events with errno and the path as it was given, made absolute."""
    code = """
import os
def attempt(call, *words):
    try: call(*words)
    except OSError: pass
attempt(os.open, 'missing', os.O_RDONLY)
attempt(os.open, '/proc/self/no/such', os.O_WRONLY)
attempt(os.open, 'sub', os.O_WRONLY)
attempt(os.open, '/etc/no-such-file', os.O_RDONLY)
attempt(os.rename, 'gone', 'away')
attempt(os.execv, 'old.txt', ['x'])
"""
    events = trace(*python(code))
    failed = [(event["kind"], event["path"], event["errno"]) for event in events if event.get("errno")]
    process = events[0]["pid"]
    assert failed == [
        ("file.open", f"{workspace}/missing", 2),
        ("file.open", f"/proc/{process}/no/such", 2),
        ("file.open", f"{workspace}/sub", 21),
        ("file.rename", f"{workspace}/away", 2),
        ("proc.exec_failed", f"{workspace}/old.txt", 13),
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root is refused nothing")
def test_reading_that_is_refused_shows_outside_the_regions_too(trace, tmp_path):
    """EACCES for reading is an event everywhere."""
    (tmp_path / "closed").mkdir(mode=0)
    (event,) = of_kind(trace("cat", str(tmp_path / "closed" / "file"), code=1), "file.open")
    assert (event["errno"], event["mode"]) == (13, "read")


def test_connections_and_their_fate(trace):
    """connect, bind and datagrams show family, address, port or path, and the error."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    code = f"""
import socket
s = socket.socket(); s.connect(('127.0.0.1', {port}))
s.sendall(b'x'); s.sendmsg([b'y'])
s = socket.socket(); s.setblocking(True)
try: s.connect(('127.0.0.1', 1))
except OSError: pass
u = socket.socket(type=socket.SOCK_DGRAM); u.bind(('127.0.0.1', 0))
u.sendto(b'x', ('127.0.0.1', 9)); u.sendmsg([b'y'], [], 0, ('127.0.0.1', 10))
x = socket.socket(socket.AF_UNIX); x.bind('here.sock')
try: socket.socket(socket.AF_UNIX).connect('\\0hidden')
except OSError: pass
try: socket.socket(socket.AF_INET6).connect(('::1', 2))
except OSError: pass
"""
    with listener:
        events = trace(*python(code))
    net = [event for event in events if event["kind"].startswith("net.")]
    inet = [(e["kind"], e["address"], e["port"], e["errno"]) for e in net if e["family"] == "inet"]
    assert inet == [
        ("net.connect", "127.0.0.1", port, None),
        ("net.connect", "127.0.0.1", 1, 111),
        ("net.bind", "127.0.0.1", 0, None),
        ("net.sendto", "127.0.0.1", 9, None),
        ("net.sendto", "127.0.0.1", 10, None),
    ]
    assert [(e["kind"], e["path"]) for e in net if e["family"] == "unix"] == [
        ("net.bind", "here.sock"),
        ("net.connect", "@hidden"),
    ]
    for event in net:
        if event["family"] == "inet6":
            assert (event["address"], event["port"]) == ("::1", 2)


def test_every_process_ends_with_code_or_signal(trace):
    """Each process that began has one end, and the signals are told from the codes."""
    events = trace("sh", "-c", "sh -c 'exit 3'; sh -c 'kill -TERM $$'; (exit 4); exit 5", code=5)
    ends = sorted((event["code"] or 0, event["signal"] or 0) for event in of_kind(events, "proc.exit"))
    assert ends == [(0, 15), (3, 0), (4, 0), (5, 0)]
    pids = [event["pid"] for event in of_kind(events, "proc.exit")]
    assert len(set(pids)) == len(pids)


def test_names_of_any_bytes(trace, workspace):
    """Names that are no UTF-8 are shown in hexadecimal; quotes and line ends do not disturb."""
    code = "import os\nfor n in (b'a\\nb', b'\\xff', 'ü\"'.encode()): os.close(os.open(n, os.O_CREAT | os.O_WRONLY))"
    names = [event["path"].removeprefix(f"{workspace}/") for event in of_kind(trace(*python(code)), "file.open")]
    assert names == ["a\nb", "\\xff", 'ü"']


def test_a_long_record_is_written_to_the_spool(trace, workspace):
    """More than a thousand events come as a file of JSON lines, one an event, in order."""
    code = "import os\nfor n in range(3000): os.close(os.open('f', os.O_CREAT | os.O_WRONLY))"
    events = trace(*python(code))
    assert os.path.dirname(trace.record["file"]) == os.path.dirname(str(workspace)) + "/scratch/spool"
    assert "events" not in trace.record
    assert len(of_kind(events, "file.open")) == 3000
    times = [event["t_ns"] for event in events]
    assert times == sorted(times)


def test_the_temporary_folder_of_the_trial_is_a_region(trace):
    """What a command reads back from TMPDIR is part of the record."""
    events = trace("sh", "-c", 'echo x >"$TMPDIR/f"; cat "$TMPDIR/f"')
    assert [event["mode"] for event in of_kind(events, "file.open")] == ["write", "read"]


def test_in_a_private_view_paths_are_those_of_the_workspace(worker, overlay):
    """The overlay does not show in the record, and root has no caveat there."""
    job = make_job(overlay, "sh", "-c", "cat old.txt >copy", recorder="trace")
    record = worker.trial(job)["record"]
    root = overlay["workspace"]
    opened = {event["path"]: event["mode"] for event in record["events"] if event["kind"] == "file.open"}
    assert opened == {f"{root}/copy": "write", f"{root}/old.txt": "read"}
    assert (record["grade"], record["why"]) == ("recorded", None)


@pytest.mark.skipif(os.geteuid() != 0, reason="speaks of root")
def test_root_without_a_namespace_is_a_caveat(trace):
    """The record says that root could have tampered with everything."""
    trace("true")
    assert "root" in trace.record["why"]


def test_what_is_changed_for_the_command_is_said(trace):
    """The record lists how the surroundings of a traced command differ."""
    trace("true")
    assert any("io_uring" in change for change in trace.record["changed"])
    assert text(trace.capture["streams"]["stderr"]) == ""


def test_a_command_that_cannot_start_is_no_trace(worker, shared):
    """The error is the same as without a recorder, and there is nothing to tell but the refused exec."""
    path = shared["workspace"] + "/no-interpreter"
    with open(path, "w", encoding="ascii") as file:
        file.write("#!/no/such/thing\n")
    os.chmod(path, 0o755)
    for argv in (["no-such-program"], ["./no-interpreter"], ["true", "a\0b"], ["/"]):
        plain = worker.trial(make_job(shared, *argv))
        traced = worker.trial(make_job(shared, *argv, recorder="trace"))
        assert traced["termination"] == plain["termination"]
        assert plain["termination"]["kind"] == "failed_to_start"
        assert traced["no_survivors"] == "verified"
