"""The executor of this machine: a pool of supervising workers, one trial at a time each."""

from __future__ import annotations

import contextlib
import ctypes
import os
import selectors
import signal
import time
from typing import TYPE_CHECKING, Any, Final, NoReturn

from agentic_evals.adapters import worker_client
from agentic_evals.adapters.worker_client import RequestRefused, Worker, WorkerDied
from agentic_evals.model.trial import Capture, Withheld, WorkerLost
from agentic_evals.ports import ExecutorFactory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentic_evals.model.trial import TrialJob

_PR_SET_CHILD_SUBREAPER: Final = 36
_TRIES: Final = 2
_SLACK_SECONDS: Final = 60.0


class LocalExecutor:
    """Runs jobs in up to `jobs` workers at once."""

    def __init__(self, jobs: int) -> None:
        """Start nothing yet."""
        self._jobs = jobs

    def run(self, jobs: Iterable[TrialJob]) -> Iterator[tuple[TrialJob, Capture]]:
        """Run jobs as they are drawn; yield each with its capture in the order in which they end.

        The spooled bytes of a capture are gone when the next one is asked for. A worker that dies is
        replaced and its trial is run once more; lost again, the capture says so.

        Raises:
            EnvironmentUnfit: a worker could not open the room that a job asks for.

        """
        pool = _Pool()
        waiting = iter(jobs)
        again: list[tuple[TrialJob, int]] = []
        try:
            while True:
                while len(pool.busy) < self._jobs:
                    following = again.pop() if again else next(((job, 1) for job in waiting), None)
                    if following is None:
                        break
                    pool.start(*following)
                if not pool.busy:
                    return
                for job, tries, capture in pool.wait():
                    if capture is not None:
                        yield job, capture
                        _forget(capture)
                    elif tries < _TRIES:
                        again.append((job, tries + 1))
                    else:
                        yield job, Capture(WorkerLost("the supervising process died twice"), argv=job.argv)
        finally:
            pool.close()


class _Pool:
    """The workers: idle ones, and busy ones with what they run."""

    def __init__(self) -> None:
        _become_subreaper()
        self._foreign = set(_children())
        self._selector = selectors.DefaultSelector()
        self._idle: list[Worker] = []
        self.busy: dict[Worker, tuple[TrialJob, int]] = {}
        self._deadlines: dict[Worker, float] = {}

    def start(self, job: TrialJob, tries: int) -> None:
        worker = self._idle.pop() if self._idle else worker_client.hire()
        self._selector.register(worker, selectors.EVENT_READ)
        self.busy[worker] = (job, tries)
        self._deadlines[worker] = time.monotonic() + _patience(job)
        with contextlib.suppress(WorkerDied):  # its hang-up is read in `wait`
            worker.send(worker_client.trial_request(job.document))

    def wait(self) -> Iterator[tuple[TrialJob, int, Capture | None]]:
        """Yield what has ended: a capture, or `None` for a trial whose worker is gone."""
        patience = max(0.0, min(self._deadlines[worker] for worker in self.busy) - time.monotonic())
        ready = [key.fileobj for key, _ in self._selector.select(patience)]
        for worker in [worker for worker in ready if isinstance(worker, Worker)] or self._overdue():
            job, tries = self.busy[worker]
            try:
                reply = worker.receive() if worker in ready else _hung_up()
            except WorkerDied:
                self._bury(worker)
                yield job, tries, None
                continue
            if reply is not None:
                self._release(worker)
                self._idle.append(worker)
                yield job, tries, _capture(job, reply)

    def _overdue(self) -> list[Worker]:
        """Return the workers that do not answer, as when a trial has stopped or killed them."""
        now = time.monotonic()
        return [worker for worker in self.busy if self._deadlines[worker] <= now]

    def _release(self, worker: Worker) -> None:
        self._selector.unregister(worker)
        del self.busy[worker]
        del self._deadlines[worker]

    def _bury(self, worker: Worker) -> None:
        self._release(worker)
        worker.kill()
        _kill_orphans(self._foreign | {other.pid for other in (*self._idle, *self.busy)})

    def close(self) -> None:
        """Hang up on every worker first, so that they end together, then wait for each."""
        workers = (*self.busy, *self._idle)
        for worker in workers:
            worker.hang_up()
        for worker in workers:
            worker.close()
        self._selector.close()
        _kill_orphans(self._foreign)


def _patience(job: TrialJob) -> float:
    """Return how long a worker may take, in seconds: the trial's own limits, and time to clean up and to copy."""
    limits = (job.document[name] for name in ("timeout_ms", "term_grace_ms", "leak_grace_ms"))
    return sum(limit for limit in limits if isinstance(limit, int)) / 1000 + _SLACK_SECONDS


def _hung_up() -> NoReturn:
    message = "the worker does not answer"
    raise WorkerDied(message)


def _capture(job: TrialJob, reply: dict[str, Any]) -> Capture:
    """Read a reply; a trial that could not be carried out is a capture too, so that no other trial suffers."""
    try:
        document = worker_client.accepted(reply)["capture"]
    except RequestRefused as refused:
        kind = (reply.get("error") or {}).get("kind")
        ended = Withheld(refused.message) if kind == "room-unavailable" else WorkerLost(refused.message)
        return Capture(ended, argv=job.argv)
    return worker_client.capture(document, job.argv, job.observed_as)


def _forget(capture: Capture) -> None:
    for path in worker_client.spooled_files(capture):
        with contextlib.suppress(OSError):
            os.unlink(path)


def _become_subreaper() -> None:
    """Let the orphans of a dead worker come to this process, which ends them."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _kill_orphans(ours: set[int]) -> None:
    """Kill every child that is no worker of ours, until there is none: they lost the worker that watched them."""
    while True:
        orphans = [pid for pid in _children() if pid not in ours]
        if not orphans:
            return
        for pid in orphans:
            with contextlib.suppress(OSError):
                _kill_with_group(pid)
            with contextlib.suppress(OSError):
                os.waitpid(pid, 0)


def _kill_with_group(pid: int) -> None:
    """Kill an orphan and, at one stroke, the process group it is in, which may fork faster than we kill."""
    group = os.getpgid(pid)
    if group > 1 and group != os.getpgrp():
        os.killpg(group, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)


def _children() -> list[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []


EXECUTOR: Final = ExecutorFactory("local", "Workers on this machine.", LocalExecutor)
