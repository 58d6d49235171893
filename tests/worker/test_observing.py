"""After a command the named files are looked at: what they are, whether this trial wrote them, what they hold."""

import hashlib
import os

import pytest

from tests.worker.client import make_job, make_room, text


def observe(worker, room, command, *paths, **more):
    """Run shell text and return what was observed."""
    entries = [{"path": path, **more} for path in paths]
    return worker.trial(make_job(room, "sh", "-c", command, observe=entries))["observed"]


@pytest.fixture(params=["overlay", "copy", "shared"])
def room(request, workspace, scratch):
    """Return a room of each kind."""
    if request.param == "overlay":
        request.getfixturevalue("overlay")
    return make_room(workspace, scratch, request.param)


@pytest.mark.parametrize(
    ("command", "fresh"),
    [
        ("true", False),
        ("cat old.txt", False),
        ("chmod 600 old.txt", False),
        ("echo more >>old.txt", True),
        ("printf 'old\\n' >old.txt", True),
        ("rm old.txt; echo x >old.txt", True),
        ("echo x >tmp; mv tmp old.txt", True),
        ("cp -p old.txt copy; mv copy old.txt", True),
    ],
)
def test_fresh_means_written_by_this_trial(worker, room, command, fresh):
    """Equal bytes written anew are fresh, a look or a chmod is not, and the next trial starts from nothing."""
    (seen,) = observe(worker, room, f"sleep 0.01; {command}", "old.txt")
    assert seen["kind"] == "file"
    assert seen["fresh"] is fresh, seen
    (again,) = observe(worker, room, "true", "old.txt")
    assert again["fresh"] is False


def test_created_files_are_fresh(worker, room):
    """A new file is fresh by its creation, relative and absolute paths alike."""
    absolute = room["workspace"] + "/sub/new"
    first, second = observe(worker, room, "echo 1 >new; echo 2 >sub/new", "new", absolute)
    assert (first["fresh"], second["fresh"]) == (True, True)
    assert first["fresh_by"] == ("upper" if room["mode"] == "overlay" else "created")
    assert (text(first["blob"]), text(second["blob"])) == ("1\n", "2\n")
    assert second["path"] == absolute


def test_what_is_not_a_file_is_said(worker, room):
    """A folder, a FIFO, a missing file, a loop and a path that leads out each have their kind; nothing blocks."""
    command = "mkfifo fifo; ln -s loop loop; ln -s /etc/passwd out; ln -s old.txt in; mkdir d; ln -s gone dangling"
    names = ["d", "fifo", "missing", "old.txt/x", "loop", "out", "in", "dangling", "../x", "/etc/passwd", "a\0b"]
    kinds = [seen["kind"] for seen in observe(worker, room, command, *names)]
    expected = "directory other missing missing error outside file missing outside outside error".split()
    assert dict(zip(names, kinds, strict=True)) == dict(zip(names, expected, strict=True))


def test_outside_may_be_allowed(worker, room):
    """With `allow_outside` a path that leads out of the workspace is read."""
    (seen,) = observe(worker, room, "true", "/etc/passwd", allow_outside=True)
    assert seen["kind"] == "file"
    assert seen["fresh"] is False


def test_large_files_are_spooled_and_larger_ones_only_measured(worker, room):
    """Up to `max_bytes` the whole is kept; beyond it the size is told and nothing is read."""
    (seen,) = observe(worker, room, "head -c 1000000 /dev/zero >big", "big")
    with open(seen["blob"]["file"], "rb") as file:
        assert file.read() == bytes(1_000_000)
    (seen,) = observe(worker, room, "head -c 1000000 /dev/zero >big", "big", max_bytes=999_999)
    assert (seen["kind"], seen["size"], seen["blob"]) == ("file", 1_000_000, None)
    assert seen["message"]


def test_reading_again_after_a_sync(worker, room):
    """`reread` opens, syncs and hashes once more, for new and for old files."""
    for name, data in (("new", b"12\n"), ("old.txt", b"old\n")):
        (seen,) = observe(worker, room, "echo 12 >new", name, reread=True)
        assert seen["reread"] == {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        assert seen["blob"]["sha256"] == seen["reread"]["sha256"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_an_error(worker, room):
    """The system's reason is told."""
    (seen,) = observe(worker, room, "echo x >secret; chmod 0 secret", "secret")
    assert (seen["kind"], seen["errno"]) == ("error", 13)
