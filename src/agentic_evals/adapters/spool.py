"""The scratch folder of one run: private, gone on every ending, swept at the next start."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
from typing import TYPE_CHECKING, Final

from agentic_evals.model.errors import EnvironmentUnfit

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOCK: Final = "lock"
_READ_BYTES: Final = 1024 * 1024


class SpooledFile:
    """The bytes of a spooled file, in order, any number of times."""

    def __init__(self, path: str) -> None:
        """Remember where it is."""
        self.path = path

    def __iter__(self) -> Iterator[bytes]:
        """Yield the file in pieces of at most 1 MiB."""
        with open(self.path, "rb") as file:
            while chunk := file.read(_READ_BYTES):
                yield chunk


def _base(outside: str) -> str:
    """Return a folder of this user for scratch folders that does not lie in the workspace.

    Raises:
        EnvironmentUnfit: every candidate lies in the workspace or is not ours.

    """
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    own = f"agentic-evals-{os.getuid()}"
    temporary = [folder for folder in (os.environ.get("TMPDIR"), "/tmp", "/var/tmp") if folder]  # noqa: S108 - checked below
    candidates = (
        *(os.path.join(folder, own) for folder in temporary if os.access(folder, os.W_OK)),
        os.path.join(state, "agentic-evals", "spool"),
    )
    for candidate in candidates:
        real = os.path.realpath(candidate)
        if real == outside or real.startswith(outside.rstrip("/") + "/"):
            continue
        with contextlib.suppress(OSError):
            os.makedirs(real, mode=0o700, exist_ok=True)
            found = os.lstat(real)
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
                os.chmod(real, 0o700)
                return real
    message = f"no folder for temporary files outside of {outside}"
    raise EnvironmentUnfit(message, hint="Set TMPDIR to a writable folder outside of the workspace.")


@contextlib.contextmanager
def scratch(run_id: str, workspace: str) -> Iterator[str]:
    """Make the scratch folder of a run, hold its lock, and remove it at the end, whatever the end is.

    Raises:
        EnvironmentUnfit: no suitable folder can be made.

    """
    base = _base(workspace)
    _sweep(base)
    folder = os.path.join(base, run_id)
    os.mkdir(folder, 0o700)
    lock = os.open(os.path.join(folder, _LOCK), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        remove(folder)
        os.close(lock)


def remove(folder: str) -> None:
    """Remove a folder with everything in it, also what its owner made unwritable."""
    if not os.path.lexists(folder):
        return
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.lexists(folder):
        for path, folders, _ in os.walk(folder):
            for name in folders:
                with contextlib.suppress(OSError):
                    os.chmod(os.path.join(path, name), 0o700, follow_symlinks=True)
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(base: str) -> None:
    """Remove the folders of runs that did not live to do it: those whose lock nobody holds."""
    for name in os.listdir(base):
        folder = os.path.join(base, name)
        try:
            lock = os.open(os.path.join(folder, _LOCK), os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            continue  # being made, or not one of ours
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        else:
            remove(folder)
        finally:
            os.close(lock)
