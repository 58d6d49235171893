"""Starts the command of a trial with exactly its own descriptors, environment, session and signal settings."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time

from lean import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol import Stdin
    from teardown import Reaper

    Launch = Callable[[bytes, list[bytes], dict[bytes, bytes], tuple[int, int, int]], int]

_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
_PIPE_CAPACITY = 64 * 1024
EVERY_SIGNAL = [n for n in range(1, signals.NSIG) if n not in (signals.SIGKILL, signals.SIGSTOP, 32, 33)]


class CannotStart(Exception):
    """The command never ran; `errno` and the text say why."""

    def __init__(self, number: int | None, message: str) -> None:
        """Keep the error number beside the text."""
        super().__init__(message)
        self.errno = number or 0


class Started:
    """A running command and this side's ends of its pipes (non-blocking)."""

    __slots__ = ("helper", "pid", "pidfd", "reaper", "started", "stderr", "stdout", "wakeup")

    def __init__(self, pid: int, started: float, stdout: int, stderr: int) -> None:
        """Take over the descriptors; `started` is a reading of the monotonic clock in seconds."""
        self.pid = pid
        self.started = started
        self.stdout = stdout
        self.stderr = stderr
        self.pidfd = os.pidfd_open(pid)
        self.reaper: Reaper | None = None
        """Who collects the ended processes of the command, where that is no plain `Reaper`."""
        self.helper: str | None = None
        """The program of a process that watches the command and is no part of it."""
        self.wakeup = -1
        """A descriptor that becomes readable when `reaper` has something to do."""


def start(argv: list[str], env: dict[str, str], cwd: str, stdin: Stdin, launch_by: Launch | None = None) -> Started:
    """Start `argv` in `cwd` with `env` as its whole environment, as leader of a new session.

    `launch_by` makes the process from program, argv, environment and standard streams, and returns its pid.

    posix_spawn keeps the cost independent of this process's size, but knows no working folder: the worker, which has
    one thread, goes to `cwd` for the moment of the call. The program is sought in the PATH of `env`, not of the worker.

    Raises:
        CannotStart: when `cwd`, the standard input or the program cannot be used.
    """
    source = open_stdin(stdin)
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    try:
        _set_non_blocking(out_read, err_read)
        started, pid = _spawn(argv, env, cwd, (source, out_write, err_write), launch_by or launch)
    except BaseException:
        os.close(out_read)
        os.close(err_read)
        raise
    finally:
        os.close(source)
        os.close(out_write)
        os.close(err_write)
    return Started(pid, started, out_read, err_read)


def _spawn(
    argv: list[str], env: dict[str, str], cwd: str, streams: tuple[int, int, int], launch_by: Launch
) -> tuple[float, int]:
    try:
        _enter(cwd)
        program = find_program(argv[0], env)
        words = [_bytes(word) for word in argv]
        variables = {_bytes(name): _bytes(value) for name, value in env.items()}
        started = time.monotonic()
        try:
            pid = launch_by(_bytes(program), words, variables, streams)
        except OSError as error:
            raise CannotStart(error.errno, _explain(error, program)) from error
    except ValueError as error:  # a NUL byte, "=" in the name of a variable, text that has no bytes
        raise CannotStart(errno.EINVAL, str(error)) from error
    finally:
        os.chdir("/")
    return started, pid


def launch(program: bytes, argv: list[bytes], env: dict[bytes, bytes], streams: tuple[int, int, int]) -> int:
    """Start `program` with the three `streams` and return its pid; raises `OSError` or `ValueError`."""
    return os.posix_spawn(
        program,
        argv,
        env,
        file_actions=[(os.POSIX_SPAWN_DUP2, ours, theirs) for theirs, ours in enumerate(streams)],
        setsid=True,
        setsigmask=(),
        setsigdef=EVERY_SIGNAL,
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _set_non_blocking(*descriptors: int) -> None:
    for descriptor in descriptors:
        fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_NONBLOCK)


def _enter(cwd: str) -> None:
    try:
        os.chdir(cwd)
    except OSError as error:
        raise CannotStart(error.errno, f"working folder {cwd}: {error.strerror}") from error


def _explain(error: OSError, program: str) -> str:
    if error.errno == errno.ENOENT and os.path.lexists(program):
        return f"{program}: its interpreter is missing"
    return f"{program}: {error.strerror}"


def find_program(name: str, env: dict[str, str]) -> str:
    """Return the path of the program that `name` means in the current folder and the PATH of `env`.

    Raises:
        CannotStart: when there is none, or none that may be executed.
    """
    if not name:
        raise CannotStart(errno.ENOENT, "the name of the program is empty")
    if "/" in name:
        return name
    found_unusable = 0
    for folder in (env.get("PATH") or _DEFAULT_PATH).split(":"):
        candidate = f"{folder or '.'}/{name}"
        number = _unusable(candidate)
        if number == 0:
            return candidate
        if number == errno.EACCES:
            found_unusable = number
    number = found_unusable or errno.ENOENT
    raise CannotStart(number, f"{name}: {os.strerror(number)} (in PATH)")


def _unusable(candidate: str) -> int:
    try:
        if not stat.S_ISREG(os.stat(candidate).st_mode):
            return errno.ENOENT
    except OSError as error:
        return error.errno or errno.ENOENT
    return 0 if os.access(candidate, os.X_OK) else errno.EACCES


def open_stdin(stdin: Stdin) -> int:
    """Return a descriptor that gives the command its standard input.

    Short input is a pipe, already filled and closed; long input a file in memory, so that nobody has to feed it while
    the command runs.

    Raises:
        CannotStart: when the named file cannot be read or is no regular file.
    """
    if stdin.kind == "file":
        return _open_regular(stdin.path)
    if stdin.kind == "closed":
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    if len(stdin.data) <= _PIPE_CAPACITY:
        reading, writing = os.pipe()
        _set_non_blocking(writing)
        written = os.write(writing, stdin.data) if stdin.data else 0
        os.close(writing)
        if written == len(stdin.data):
            return reading
        os.close(reading)  # the system gives small pipes to a user with very many
    memory = os.memfd_create("stdin", os.MFD_CLOEXEC)
    rest = memoryview(stdin.data)
    while rest:
        rest = rest[os.write(memory, rest) :]
    os.lseek(memory, 0, os.SEEK_SET)
    return memory


def _open_regular(path: str) -> int:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        raise CannotStart(error.errno, f"standard input {path}: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise CannotStart(errno.EINVAL, f"standard input {path}: not a regular file")
    fcntl.fcntl(descriptor, fcntl.F_SETFL, 0)
    return descriptor
