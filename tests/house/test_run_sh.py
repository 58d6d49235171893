"""run.sh: from a machine with only Python and bash to a running program, and nothing left behind."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.house.support import CHECKOUT, commit_all, copy_checkout, development_tool, strangers_environment, untracked

BASE_PYTHON = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
TOOLS = "bash cat cksum cp env git grep mkdir mv readlink rm sed sh sha256sum sleep sort tr uname".split()

# Stands in for the program: says what reached it.
PROGRAM = '''
"""Says what reached it."""

import json
import os
import sys

import click


def main():
    """Write one line."""
    umask = os.umask(0)
    os.umask(umask)
    print(json.dumps({
        "arguments": sys.argv[1:], "click": click.__file__, "cwd": os.getcwd(), "environment": dict(os.environ),
        "python": sys.executable, "package": __file__, "umask": umask,
        "descriptors": sorted(os.listdir("/proc/self/fd")),
    }))
    return int(os.environ.get("EXIT", "0"))
'''


def tiny_lock():
    """Return the part of requirements.lock that pins click."""
    return re.search(r"^click==(?:.*\\\n)+.*\n", (CHECKOUT / "requirements.lock").read_text(), re.MULTILINE)[0]


def make_tools(folder, *more, python=BASE_PYTHON):
    """Make a folder to put on PATH that holds exactly what run.sh may find."""
    folder.mkdir()
    for tool in [*TOOLS, *more]:
        found = development_tool("uv") if tool == "uv" else shutil.which(tool)
        assert found, f"this machine has no {tool}"
        (folder / tool).symlink_to(found)
    if python:
        (folder / "python3").symlink_to(python)
    return folder


def script(path, text):
    """Write a program."""
    path.write_text(text)
    path.chmod(0o755)


class Place:
    """A tiny checkout, an empty home, and a PATH."""

    def __init__(self, folder, tools):
        self.checkout = folder / "a checkout"
        self.home = folder / "home"
        self.tools = tools
        package = self.checkout / "src" / "agentic_evals"
        (package / "cli").mkdir(parents=True)
        self.home.mkdir()
        shutil.copy2(CHECKOUT / "run.sh", self.checkout)
        (self.checkout / "requirements.lock").write_text(tiny_lock())
        for file in (package / "__init__.py", package / "cli" / "__init__.py"):
            file.write_text("")
        (package / "cli" / "main.py").write_text(PROGRAM)
        commit_all(self.checkout)

    def environment(self, **more):
        """Return the environment of a stranger on this machine."""
        return strangers_environment(PATH=str(self.tools), HOME=str(self.home)) | more

    def start(self, *arguments, program=None, cwd=None, **more):
        """Start run.sh."""
        return subprocess.Popen(
            [program or self.checkout / "run.sh", *arguments],
            cwd=cwd or self.home,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )

    def run(self, *arguments, **more):
        """Run run.sh to its end: exit code, what the program said, what run.sh said."""
        return finish(self.start(*arguments, **more))

    @property
    def environments(self):
        """List the environments that stand, finished or not."""
        return sorted(self.home.glob(".cache/agentic-evals/envs/*-cp3*/"))


def finish(process):
    """Wait for run.sh: exit code, what the program said, what run.sh said."""
    stdout, stderr = process.communicate(timeout=110)
    return process.returncode, json.loads(stdout) if stdout else None, stderr


@pytest.fixture
def place(tmp_path):
    """Return a place that has uv, so that environments are quickly made."""
    return Place(tmp_path, make_tools(tmp_path / "tools", "uv", "flock"))


@pytest.fixture(
    params=[
        pytest.param(("uv", "flock"), id="uv"),
        pytest.param(("uv",), id="uv-without-flock"),
        pytest.param(("flock",), id="pip", marks=pytest.mark.long),
        pytest.param((), id="pip-without-flock", marks=pytest.mark.long),
    ]
)
def any_place(tmp_path, request):
    """Return a place with each combination of optional tools."""
    return Place(tmp_path, make_tools(tmp_path / "tools", *request.param))


def test_two_at_once_make_one_environment(any_place):
    """Two that start together on a fresh machine both succeed; one sets up and the other waits."""
    both = [any_place.start("one"), any_place.start("two")]
    ends = [finish(process) for process in both]

    assert [(0, ["one"]), (0, ["two"])] == [(code, said["arguments"]) for code, said, _ in ends], ends
    assert 1 == len(any_place.environments)
    assert 1 == sum("setting the environment up" in progress for _, _, progress in ends) or 1 == sum(
        "setting up the environment" in progress for _, _, progress in ends
    )
    assert "" == untracked(any_place.checkout)


def test_the_second_start_is_silent(place):
    """Once made, the environment is used without a word."""
    place.run()

    assert (0, "") == place.run()[::2]


def test_arguments_and_exit_code_pass_through(place):
    """What the user typed reaches the program as it is, and the program's exit code comes back."""
    arguments = ["run", "", "two words", "*", "é\n", "-c", "--", "$HOME"]
    code, said, _ = place.run(*arguments, EXIT="7")

    assert (7, arguments) == (code, said["arguments"])


def test_from_any_folder_and_through_symlinks(place, tmp_path):
    """The checkout is found through a chain of links, absolute and relative, and the folder stays the caller's."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "first").symlink_to("../second")
    (tmp_path / "second").symlink_to(place.checkout / "run.sh")
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()

    for program in (tmp_path / "bin" / "first", "../bin/first", place.checkout / "run.sh"):
        code, said, _ = place.run(program=program, cwd=elsewhere, CDPATH="/:/usr")
        assert (0, str(elsewhere)) == (code, said["cwd"])
        assert said["package"].startswith(str(place.checkout / "src"))


def test_by_sh(place):
    """Called by another shell it hands itself to bash."""
    code, said, _ = place.run(str(place.checkout / "run.sh"), "x", program=shutil.which("sh"))

    assert (0, ["x"]) == (code, said["arguments"])


@pytest.mark.parametrize("kind", ["unset", "empty"])
def test_without_home(place, tmp_path, kind):
    """With HOME empty or unset it still finds a place to keep the environment."""
    environment = place.environment(XDG_CACHE_HOME=str(tmp_path / "cache"), HOME="")
    if kind == "unset":
        del environment["HOME"]
    done = subprocess.run(
        [place.checkout / "run.sh"], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert 0 == done.returncode, done.stderr
    assert environment.get("HOME") == json.loads(done.stdout)["environment"].get("HOME")
    assert "" == untracked(place.checkout)


def test_where_the_cache_cannot_be_written(place, tmp_path):
    """An account without a cache folder gets one of its own, private, below TMPDIR."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    code, said, stderr = place.run(XDG_CACHE_HOME="/dev/null", TMPDIR=str(temporary))

    assert 0 == code, stderr
    assert said["python"].startswith(str(temporary))
    assert 0o700 == next(temporary.iterdir()).stat().st_mode & 0o777
    assert (0, "") == place.run(XDG_CACHE_HOME="/dev/null", TMPDIR=str(temporary))[::2]


def test_a_folder_laid_out_by_somebody_else_is_refused(place, tmp_path):
    """The folder below TMPDIR is not used when it is a link."""
    (tmp_path / f"agentic-evals-{os.getuid()}").symlink_to(tmp_path)
    code, _, stderr = place.run(XDG_CACHE_HOME="/dev/null", TMPDIR=str(tmp_path))

    assert 5 == code
    assert "XDG_CACHE_HOME" in stderr


def test_the_callers_python_settings_do_not_reach_the_program(place, tmp_path):
    """PYTHONPATH, PYTHONHOME and a virtual environment of the caller change nothing here, and stay for commands."""
    (tmp_path / "hostile").mkdir()
    for name in ("click", "agentic_evals", "json"):
        (tmp_path / "hostile" / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    settings = {
        "PYTHONPATH": str(tmp_path / "hostile"),
        "PYTHONHOME": "/nowhere",
        "PYTHONOPTIMIZE": "2",
        "PYTHONSTARTUP": "/nowhere",
        "VIRTUAL_ENV": "/nowhere",
        "PIP_USER": "1",
        "UV_SYSTEM_PYTHON": "1",
    }
    code, said, stderr = place.run(cwd=tmp_path / "hostile", **settings)

    assert 0 == code, stderr
    assert settings == {name: said["environment"].get(name) for name in settings}


def test_the_program_gets_the_callers_environment_unchanged(place):
    """Nothing is added to or taken from the environment, the umask or the open descriptors."""
    place.run()
    code, said, _ = place.run()
    given = place.environment()
    shells_own = {"_", "PWD", "OLDPWD", "SHLVL"}

    assert 0 == code
    assert {} == {
        name: (given.get(name), said["environment"].get(name))
        for name in (set(given) | set(said["environment"])) - shells_own
        if given.get(name) != said["environment"].get(name)
    }
    assert {"0", "1", "2", "3"} >= set(said["descriptors"])


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_umask(place, umask):
    """Whatever the umask, the environment is nobody else's to write, and the program keeps the caller's umask."""
    before = os.umask(umask)
    try:
        code, said, _ = place.run()
    finally:
        os.umask(before)

    assert (0, umask) == (code, said["umask"])
    assert 0 == place.environments[0].stat().st_mode & 0o022


def test_a_read_only_checkout(place):
    """A checkout that cannot be written is as good as another."""
    for path in [place.checkout, *place.checkout.rglob("*")]:
        if not path.is_symlink() and ".git" not in path.parts:
            path.chmod(path.stat().st_mode & ~0o222)
    code, _, stderr = place.run()

    assert 0 == code, stderr
    assert "" == untracked(place.checkout)


def test_a_half_made_environment_is_made_anew(place):
    """Without its stamp an environment counts for nothing, however much of it stands."""
    place.run()
    environment = place.environments[0]
    stamp = environment / ".complete"
    assert stamp.is_file()
    newest = max(path.lstat().st_mtime_ns for path in environment.rglob("*") if path != stamp)
    assert newest <= stamp.stat().st_mtime_ns
    stamp.unlink()
    (environment / "left over").touch()

    code, _, progress = place.run()

    assert (0, True, False) == (code, "setting up" in progress, (environment / "left over").exists())


def test_an_environment_whose_python_is_gone_is_made_anew(place):
    """An interpreter that was uninstalled is noticed at the next start."""
    place.run()
    python = place.environments[0] / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python3")

    assert 0 == place.run()[0]
    assert 0 == place.run()[0]


def test_killed_while_setting_up(any_place):
    """A set-up that was killed half-way does not hinder the next one."""
    first = any_place.start()
    deadline = time.monotonic() + 60
    while not any_place.environments and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()

    code, _, stderr = any_place.run()

    assert 0 == code, stderr
    assert "" == untracked(any_place.checkout)


def test_another_lock_is_another_environment(place):
    """A changed lock file is noticed; the environment of the old one stays for those who use it."""
    place.run()
    with (place.checkout / "requirements.lock").open("a") as lock:
        lock.write("\n")

    assert (0, True) == (place.run()[0], len(place.environments) == 2)


@pytest.mark.long
def test_a_package_with_another_hash_is_refused(place):
    """What was downloaded must be what was locked; otherwise nothing runs."""
    lock = place.checkout / "requirements.lock"
    lock.write_text(re.sub(r"sha256:[0-9a-f]{64}", "sha256:" + "0" * 64, lock.read_text()))
    code, said, stderr = place.run()

    assert (5, None) == (code, said)
    assert "could not be set up" in stderr
    assert "" == untracked(place.checkout).replace(" M requirements.lock\n", "")


def test_without_ensurepip_it_names_the_package(tmp_path):
    """A Python that cannot make environments is met with the one package to install."""
    tools = make_tools(tmp_path / "tools", python=None)
    script(tools / "python3", f'#!/bin/sh\n{shlex.quote(BASE_PYTHON)} "$@" | sed "s/ pip / no-pip /"\n')
    code, _, stderr = Place(tmp_path, tools).run()

    assert 5 == code
    assert f"python3.{sys.version_info.minor}-venv" in stderr


def test_without_a_fitting_python_it_says_so(tmp_path):
    """An old Python alone is named, with what is needed instead."""
    tools = make_tools(tmp_path / "tools", python=None)
    script(tools / "python3", "#!/bin/sh\necho 3 9 cpython pip /usr/bin/python3.9\n")
    code, _, stderr = Place(tmp_path, tools).run()

    assert 5 == code
    assert "Python 3.11 or newer is needed" in stderr
    assert "cpython 3.9" in stderr


def test_a_newer_python_beside_an_old_one_is_found(tmp_path):
    """An old python3 does not hide a newer one under its full name."""
    tools = make_tools(tmp_path / "tools", "uv", python=None)
    script(tools / "python3", "#!/bin/sh\necho 2 7 unknown no-pip /usr/bin/python2.7\n")
    (tools / "python3.11").symlink_to(BASE_PYTHON)

    assert 0 == Place(tmp_path, tools).run()[0]


@pytest.mark.long
def test_when_uv_fails_pip_does_it(tmp_path):
    """A uv that does not work is no obstacle."""
    tools = make_tools(tmp_path / "tools")
    script(tools / "uv", "#!/bin/sh\necho 'uv: no' >&2\nexit 2\n")
    code, _, stderr = Place(tmp_path, tools).run()

    assert 0 == code, stderr


@pytest.mark.long
def test_a_start_costs_at_most_20_ms(place):
    """Once the environment is made, run.sh adds at most 20 ms to the program's own start."""
    _, said, _ = place.run()
    cache = place.home / ".cache" / "agentic-evals" / "pycache"
    direct = [said["python"], "-I", "-X", "utf8", "-X", f"pycache_prefix={cache}", "-c"]
    direct.append(
        f"import sys; sys.path.insert(0, {str(place.checkout / 'src')!r})\n"
        "from agentic_evals.cli.main import main\nsys.exit(main())"
    )

    def least(command):
        """Return the least processor time: other work on this machine does not count."""
        taken = []
        for _ in range(40):
            process = subprocess.Popen(command, env=place.environment(), stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            assert 0 == process.returncode
            taken.append(usage.ru_utime + usage.ru_stime)
        return min(taken)

    assert 0.020 >= least([place.checkout / "run.sh"]) - least(direct)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("tools", [("uv", "flock"), ("flock",)], ids=["uv", "pip"])
def test_a_fresh_clone_runs_twice_at_once(tmp_path, tools):
    """The real thing, from an empty home and cache: both of two at once are READY, and the checkout stays clean."""
    checkout = copy_checkout(tmp_path / "clone")
    path = f"{make_tools(tmp_path / 'tools', *tools)}:/usr/bin:/bin"
    environment = strangers_environment(PATH=path, HOME=str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    both = [
        subprocess.Popen(
            [checkout / "run.sh", "run", "fixtures/agentic_eval.json"],
            env=environment,
            cwd=checkout,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    ends = [(*process.communicate(timeout=590), process.returncode) for process in both]

    assert [0, 0] == [code for _, _, code in ends], ends
    assert all("agentic-evals: READY" in stdout for stdout, _, _ in ends)
    assert "" == untracked(checkout)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_fresh_clone_tests_itself(tmp_path):
    """`./run.sh test` makes the development environment and ends with the test runner's closing line."""
    checkout = copy_checkout(tmp_path / "clone")
    (tmp_path / "home").mkdir()
    done = subprocess.run(
        [checkout / "run.sh", "test", "tests/house/test_docs.py", "-k", "links"],
        env=strangers_environment(PATH=f"{Path(BASE_PYTHON).parent}:/usr/bin:/bin", HOME=str(tmp_path / "home")),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == done.returncode, done.stdout + done.stderr
    assert re.search(r"\d+ passed", done.stdout.splitlines()[-1])
    assert "" == untracked(checkout)
