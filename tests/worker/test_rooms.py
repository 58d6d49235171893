"""What a trial writes stays in its room, and the next trial starts from the same state."""

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.worker.client import FOLDER, make_job, make_room, text

ROOT = os.geteuid() == 0


def run(worker, room, command, **more):
    """Run shell text in a room; return the capture."""
    return worker.trial(make_job(room, "sh", "-c", command, **more))


def listing(folder):
    """Return every path below a folder with what it holds."""
    found = {}
    for here, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(here, name)
            stat = os.lstat(path)
            content = Path(path).read_bytes() if os.path.isfile(path) and not os.path.islink(path) else None
            found[os.path.relpath(path, folder)] = (stat.st_mode, stat.st_mtime_ns, content)
    return found


SPOILERS = {
    "create": "echo x >new; mkdir -p d/e; echo y >d/e/f; echo z >sub/new",
    "modify": "echo more >>old.txt",
    "delete": "rm old.txt; rm -r sub",
    "replace a folder": "rm -r sub; mkdir sub; echo x >sub/other",
    "rename a folder": "mv sub moved",
    "modes": "chmod 0 sub; chmod 700 .",
    "links": "ln -s /etc/passwd l; ln old.txt hard; ln -s l l2; ln -sfn / sub/root",
    "fifo": "mkfifo f",
    "root mtime": "touch .; touch -d 2001-01-01 sub",
    "attribute": "setfattr -n user.x -v y . 2>/dev/null; :",
    "no permission": "mkdir -p a/b; echo x >a/b/c; chmod 0 a/b a",
    "odd names": "mkdir -- '-a b' \"$(printf 'n\\nl')\"; echo x >'-a b/,:\\'",
}


@pytest.mark.parametrize("mode", ["overlay", "copy"])
def test_no_trial_sees_another(worker, workspace, scratch, request, mode):
    """Whatever a trial does to its view, the workspace keeps its state and the next trial sees exactly that."""
    if mode == "overlay":
        request.getfixturevalue("overlay")
    room = make_room(workspace, scratch, mode)
    before = listing(workspace)
    # (a private copy made by cp -a would keep times too, so names, modes, times and bytes are compared)
    look = "find . -mindepth 1 -printf '%P %y %m %T@ %l\\n' | sort; find . -type f -exec cat {} +; stat -c '%a %Y' ."
    first = text(run(worker, room, look)["streams"]["stdout"])
    for name, command in SPOILERS.items():
        assert run(worker, room, command)["termination"] == {"kind": "exited", "code": 0}, name
        assert text(run(worker, room, look)["streams"]["stdout"]) == first, name
        assert listing(workspace) == before, name
    assert worker.close() == 0
    assert os.listdir(scratch) == ["spool"]


def test_the_view_is_at_the_same_path(worker, overlay):
    """`pwd -P` says the same in the view as outside."""
    capture = run(worker, overlay, "pwd -P; cd sub; pwd -P")
    root = os.path.realpath(overlay["workspace"])
    assert text(capture["streams"]["stdout"]) == f"{root}\n{root}/sub\n"
    assert capture["room"]["root"] == root
    assert capture["room"]["private"] == "verified"


def test_twenty_trials_one_after_the_other(worker, overlay):
    """Twenty trials that append to one path each find it as at first."""
    for number in range(20):
        path = ["old.txt", "sub/new.txt"][number % 2]
        capture = run(worker, overlay, f"echo {number} >>{path}; wc -l <{path}")
        assert text(capture["streams"]["stdout"]).strip() == ["2", "1"][number % 2]


def test_twenty_trials_at_once(start_worker, overlay, workspace):
    """Trials of several workers that write one path at the same time do not see each other."""
    workers = [start_worker() for _ in range(5)]
    command = "echo {} >>old.txt; sleep 0.05; tail -n +2 old.txt"

    def several(worker):
        captures = [run(worker, overlay, command.format(worker.pid)) for _ in range(4)]
        return [text(capture["streams"]["stdout"]) for capture in captures]

    with ThreadPoolExecutor(5) as pool:
        seen = list(pool.map(several, workers))
    assert seen == [[f"{worker.pid}\n"] * 4 for worker in workers]
    assert (workspace / "old.txt").read_text() == "old\n"


def mount_of(worker, root):
    """Return the mount id of the view in the worker's namespace."""
    with open(f"/proc/{worker.pid}/mountinfo") as file:
        return [line.split()[0] for line in file if line.split()[4] == root]


def test_an_untouched_view_is_used_again(worker, overlay):
    """No new mount is made after a trial that wrote nothing, nor after one that only created files."""
    run(worker, overlay, "cat old.txt")
    first = mount_of(worker, overlay["workspace"])
    assert len(first) == 1
    for command in ("ls -lR", "true", "touch new sub/new", "true"):
        run(worker, overlay, command)
        assert mount_of(worker, overlay["workspace"]) == first
    run(worker, overlay, "rm old.txt")
    assert text(run(worker, overlay, "cat old.txt")["streams"]["stdout"]) == "old\n"
    assert len(mount_of(worker, overlay["workspace"])) == 1


@pytest.mark.skipif(not ROOT, reason="needs root")
def test_a_root_trial_cannot_leave_its_view(worker, overlay, workspace):
    """umount, nsenter, /proc/1/root, mknod and a look below the overlay fail for root, and nothing reaches the host."""
    workspace_real = str(workspace)
    attempts = [
        f"cd /; umount {workspace_real} && echo ESCAPED",
        f"cd /; umount -l {workspace_real} && echo ESCAPED",
        f"nsenter -t 1 -m touch {workspace_real}/escaped && echo ESCAPED",
        f"touch /proc/1/root{workspace_real}/escaped && echo ESCAPED",
        "for fd in /proc/$PPID/fd/*; do touch $fd/escaped && echo ESCAPED; cat $fd/old.txt && echo ESCAPED; done",
        "cd /proc/$PPID/cwd && echo ESCAPED",
        "mknod disk b 254 0 && echo ESCAPED",
        f"cd /; unshare -m umount {workspace_real} && echo ESCAPED",
        f"cd /; unshare -Urm umount {workspace_real} && echo ESCAPED",
        f"cd /; unshare -Urm mount --bind {workspace_real} /mnt && cd /mnt && touch escaped; exit 0",
        "grep CapEff /proc/self/status | grep -q 1ff && echo ESCAPED",
        "echo written >written",
    ]
    for attempt in attempts:
        capture = run(worker, overlay, attempt)
        assert "ESCAPED" not in text(capture["streams"]["stdout"]), attempt
        assert not (workspace / "escaped").exists(), attempt
    assert sorted(os.listdir(workspace)) == ["old.txt", "sub"]


@pytest.mark.skipif(not ROOT, reason="needs root to become somebody else")
def test_an_unprivileged_user_has_a_view_too(tmp_path_factory):
    """By a user namespace that maps one user, a view is had without privilege, and cannot be left."""
    stage = tmp_path_factory.mktemp("stage")
    for parent in (stage, *stage.parents[:2]):
        os.chmod(parent, 0o755)
    shutil.copytree(FOLDER, stage / "worker")
    (stage / "base" / "workspace").mkdir(parents=True)
    (stage / "base" / "workspace" / "old.txt").write_text("old\n")
    subprocess.run(["chown", "-R", "65534:65534", stage / "base"], check=True)
    room = make_room(stage / "base" / "workspace", str(stage / "base" / "scratch"), "auto")
    subprocess.run(["chown", "-R", "65534:65534", stage / "base"], check=True)
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    job = make_job(room, "sh", "-c", "id -u; echo x >>old.txt; rm -f none; cd /; umount $OLDPWD; cat $OLDPWD/old.txt")
    command = [*nobody, "/usr/bin/python3", "-S", "-E", "-I", str(stage / "worker"), "--once"]
    done = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0 and "ermission denied" in done.stderr:
        pytest.skip("no Python that every user may execute")
    capture = json.loads(done.stdout)
    if capture["room"]["mode"] != "overlay":
        pytest.skip(f"no overlay for users here: {capture['room']['reason']}")
    assert capture["room"]["mechanism"].startswith("overlay+userns")
    assert capture["room"]["private"] == "verified"
    assert text(capture["streams"]["stdout"]) == "65534\nold\nx\n"
    assert (stage / "base" / "workspace" / "old.txt").read_text() == "old\n"
    assert os.listdir(stage / "base" / "scratch") == ["spool"]


def test_changes_are_listed(worker, overlay):
    """The list names what was created, modified and deleted, and nothing else."""
    capture = run(worker, overlay, "echo x >>old.txt; rm sub/deep.txt; mkdir -p d; echo 12 >d/f; cat sub/* 2>&-; :")
    changes = {change["path"].removeprefix(overlay["workspace"]): change for change in capture["changes"]}
    assert {path: change["kind"] for path, change in changes.items()} == {
        "/old.txt": "modified",
        "/sub/deep.txt": "deleted",
        "/d": "created",
        "/d/f": "created",
    }
    assert changes["/d/f"]["size"] == 3
    assert not capture["changes_truncated"]
    assert run(worker, overlay, "cat old.txt")["changes"] == []
    many = run(worker, overlay, "i=0; while [ $i -lt 1100 ]; do : >f$i; i=$((i+1)); done")
    assert len(many["changes"]) == 1000
    assert many["changes_truncated"]
    assert run(worker, overlay, "ls | wc -l")["changes"] == []


@pytest.mark.parametrize("mode", ["overlay", "copy"])
def test_a_commit_in_a_linked_worktree_stays_in_the_room(worker, git, tmp_path, request, mode):
    """With the common folder among the private trees, a commit does not reach the real repository."""
    if mode == "overlay":
        request.getfixturevalue("overlay")
    main, linked = tmp_path / "main", tmp_path / "linked"
    main.mkdir()
    git("init", "-q", cwd=main)
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=main)
    git("worktree", "add", "-q", str(linked), cwd=main)
    head = git("rev-parse", "linked", cwd=main)
    room = make_room(linked, str(tmp_path / "git-scratch"), mode, also=[str(main / ".git")])
    command = "echo x >file && git add file && git commit -q -m second && git log --oneline | wc -l"
    capture = run(worker, room, command, env=git.env)
    assert text(capture["streams"]["stdout"]).strip() == "2", capture
    assert git("rev-parse", "linked", cwd=main) == head
    assert git("status", "--porcelain", cwd=linked) == ""
    assert text(run(worker, room, "git log --oneline | wc -l", env=git.env)["streams"]["stdout"]).strip() == "1"


def test_an_absolute_link_into_the_workspace_leads_into_the_copy(worker, workspace, scratch):
    """Writing through a link of the copy does not reach the original."""
    (workspace / "link").symlink_to(workspace / "old.txt")
    (workspace / "elsewhere").symlink_to("/etc/hostname")
    capture = run(worker, make_room(workspace, scratch, "copy"), "echo changed >link; cat old.txt; readlink elsewhere")
    assert text(capture["streams"]["stdout"]) == "changed\n/etc/hostname\n"
    assert (workspace / "old.txt").read_text() == "old\n"


def test_a_copy_over_the_limit_or_forbidden_is_refused(worker, workspace, scratch):
    """A copy asked by name that cannot be had is an error; with `auto` it is a reason."""
    limit = {"bytes": 3, "files": 10}
    reply = worker.ask(op="open", room=make_room(workspace, scratch, "copy", copy_limit=limit))
    assert reply["error"]["kind"] == "room-unavailable"
    reply = worker.ask(op="open", room=make_room(workspace, scratch, "copy", copy_forbidden="named by path"))
    assert "named by path" in reply["error"]["message"]
    assert sorted(os.listdir(workspace)) == ["old.txt", "sub"]


def test_scratch_inside_the_workspace_means_shared(worker, workspace):
    """A view cannot hold its own layers: `auto` falls to shared and says why; by name it is an error."""
    inside = str(workspace / "scratch")
    facts = worker.ask(op="open", room=make_room(workspace, inside, "auto"))["room"]
    assert facts["mode"] == "shared"
    assert facts["private"] == "none"
    assert "scratch" in facts["reason"]
    assert [attempt["mode"] for attempt in facts["attempts"]] == ["overlay", "copy", "shared"]
    assert worker.ask(op="open", room=make_room(workspace, inside, "overlay"))["ok"] is False


def test_shared_writes_in_place_and_restores_nothing(worker, shared, workspace):
    """In `shared` the user's tree is the trial's tree, and what it wrote stays."""
    run(worker, shared, "echo x >new; rm old.txt")
    run(worker, shared, "true")
    assert sorted(os.listdir(workspace)) == ["new", "sub"]


def test_replaced_programs_do_nothing_and_are_not_fresh(worker, overlay, workspace):
    """In the null trial the named programs exit 0 silently, however they are called, and count as not written."""
    programs = {
        "a.sh": "#!/bin/sh\necho hi; exit 3\n",
        "b.py": "#!/usr/bin/env python3\nprint('hi')\n",
        "plain.py": "print('hi')\n",
        "awk": "#!/usr/bin/make -f\n$(error no)\n",
        "test_x.py": "assert False\n",
    }
    for name, content in programs.items():
        (workspace / name).write_text(content)
        (workspace / name).chmod(0o755)
    shutil.copy("/bin/false", workspace / "binary")
    replace = [
        {"path": str(workspace / name), "kind": "exit0"} for name in (*programs, "binary") if name != "test_x.py"
    ]
    replace.append({"path": str(workspace / "test_x.py"), "kind": "empty"})
    room = {**overlay, "replace": replace}
    calls = "./a.sh && ./b.py && ./awk && ./binary && sh a.sh && python3 b.py && python3 plain.py && wc -c <test_x.py"
    for _ in range(2):
        path = f"{os.path.dirname(sys.executable)}:/usr/bin:/bin"
        observe = [{"path": "a.sh"}, {"path": "test_x.py"}]
        capture = run(worker, room, calls, env={"PATH": path}, observe=observe)
        assert capture["termination"] == {"kind": "exited", "code": 0}, text(capture["streams"]["stderr"])
        assert text(capture["streams"]["stdout"]).strip() == "0"
        assert [seen["fresh"] for seen in capture["observed"]] == [False, False]
        assert [c for c in capture["changes"] if "__pycache__" not in c["path"]] == []
    assert (workspace / "a.sh").read_text() == programs["a.sh"]
    assert worker.trial(make_job(overlay, "./a.sh"))["termination"]["code"] == 3
    refused = worker.ask(op="trial", job=make_job({**room, "mode": "shared"}, "true"))
    assert refused["error"]["kind"] == "room-unavailable"


def test_an_open_room_keeps_its_state_until_it_is_closed(worker, overlay, workspace):
    """Several commands run in one room without a reset between them."""
    job = make_job(overlay, "sh", "-c", "echo x >>made; cat made")
    assert worker.ask(op="open", room=overlay)["room"]["mode"] == "overlay"
    assert text(worker.ask(op="run", job=job)["capture"]["streams"]["stdout"]) == "x\n"
    assert text(worker.ask(op="run", job=job)["capture"]["streams"]["stdout"]) == "x\nx\n"
    (seen,) = worker.ask(op="observe", observe=[{"path": "made"}])["observed"]
    assert (seen["kind"], seen["size"], seen["fresh"], seen["fresh_by"]) == ("file", 4, True, "upper")
    (change,) = worker.ask(op="changes")["changes"]
    assert change["kind"] == "created"
    assert worker.ask(op="close")["teardown"]["no_survivors"] == "verified"
    assert not (workspace / "made").exists()
    assert worker.ask(op="changes")["ok"] is False


@pytest.mark.skipif(not ROOT, reason="needs root")
def test_another_file_system_inside_the_workspace_is_refused(start_worker, workspace, scratch):
    """An overlay would hide what is mounted below it, so it is not made, and the place is named."""
    mounting = f'mount -t tmpfs none {workspace}/sub && exec "$@"'
    worker = start_worker(prefix=["unshare", "--mount", "sh", "-c", mounting, "sh"])
    error = worker.ask(op="open", room=make_room(workspace, scratch, "overlay"))["error"]
    assert error["at"] == "submount"
    assert f"{workspace}/sub" in error["message"]
    assert worker.ask(op="open", room=make_room(workspace, scratch, "auto"))["room"]["mode"] == "copy"


@pytest.mark.skipif(not ROOT, reason="needs root")
def test_layers_lie_in_memory_where_scratch_cannot_hold_them(start_worker, workspace, tmp_path):
    """Where scratch is itself on an overlay, which cannot hold the upper folder of another, a private tmpfs does."""
    for name in ("lower", "upper", "work", "merged"):
        (tmp_path / "machine" / name).mkdir(parents=True)
    options = ",".join(f"{name}dir={tmp_path}/machine/{name}" for name in ("lower", "upper", "work"))
    mounting = f'mount -t overlay none -o {options} {tmp_path}/machine/merged && exec "$@"'
    worker = start_worker(prefix=["unshare", "--mount", "sh", "-c", mounting, "sh"])
    room = {**make_room(workspace, str(tmp_path / "merged-scratch"), "overlay")}
    room["scratch"] = str(tmp_path / "machine" / "merged" / "scratch")
    job = make_job(
        room, "sh", "-c", "echo x >>old.txt; wc -l <old.txt", spool=str(tmp_path / "merged-scratch" / "spool")
    )
    for _ in range(2):
        capture = worker.trial(job)
        assert capture["room"]["mechanism"] == "overlay+mountns+tmpfs"
        assert text(capture["streams"]["stdout"]).strip() == "2"
    assert (workspace / "old.txt").read_text() == "old\n"


@pytest.mark.skipif(not ROOT, reason="needs root")
def test_under_docker_the_room_is_a_copy(start_worker, workspace, scratch, checkout):
    """Where namespaces are refused, `auto` gives a copy with the kernel's reason, and teardown is still proven."""
    worker = start_worker(prefix=[sys.executable, str(checkout / "tests" / "programs" / "dockerlike.py")])
    capture = run(worker, make_room(workspace, scratch, "auto"), "echo x >old.txt; setsid sleep 1000 & exit 0")
    assert capture["room"]["mode"] == "copy"
    assert capture["room"]["attempts"][0]["errno"] == 1
    assert capture["room"]["attempts"][0]["at"] == "unshare"
    assert capture["no_survivors"] == "verified"
    assert len(capture["leaked"]) == 1
    assert (workspace / "old.txt").read_text() == "old\n"


def test_deep_folders_are_removed(worker, overlay):
    """A tree deeper than any path may be long is removed like any other, and so is the view after it."""
    program = "import os\nfor _ in range(1100):\n    os.mkdir('d' * 50)\n    os.chdir('d' * 50)\nopen('f', 'w').close()"
    capture = worker.trial(make_job(overlay, sys.executable, "-S", "-c", program))
    assert capture["termination"] == {"kind": "exited", "code": 0}
    assert capture["changes_truncated"]
    began = time.monotonic()
    assert text(run(worker, overlay, "ls")["streams"]["stdout"]) == "old.txt\nsub\n"
    assert worker.close() == 0
    assert os.listdir(overlay["scratch"]) == ["spool"]
    assert time.monotonic() - began < 60
