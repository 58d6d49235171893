"""Rooms on this machine: each is one worker that keeps a view open for any number of commands."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from agentic_evals.adapters import worker_client
from agentic_evals.adapters.worker_client import Worker, WorkerDied
from agentic_evals.model.errors import EnvironmentUnfit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentic_evals.model.trial import Capture, Observe, Observed, RoomFacts, RoomSpec, TrialJob


class WorkerRoom:
    """A room whose view a worker holds open."""

    def __init__(self, worker: Worker, facts: RoomFacts) -> None:
        """Take over a worker that has opened the room."""
        self._worker = worker
        self.facts = facts

    def run(self, job: TrialJob) -> Capture:
        """Run one command in the view as it is now."""
        reply = _asked(self._worker, {**worker_client.trial_request(job.document), "op": "run"})
        return worker_client.capture(reply["capture"], job.argv, job.observed_as)

    def observe(self, wanted: Sequence[Observe]) -> Sequence[Observed]:
        """Read files of the view as they are now."""
        entries = [observe_document(wish, wish.path) for wish in wanted]
        reply = _asked(self._worker, {"op": "observe", "observe": entries})
        return worker_client.observations([wish.path for wish in wanted], reply["observed"])

    def changes(self) -> Sequence[Any]:
        """Return what was written in the view since it was opened."""
        return list(_asked(self._worker, {"op": "changes"})["changes"])

    def close(self) -> None:
        """Drop the view, and end the worker."""
        self._worker.close()


class WorkerSandbox:
    """Opens rooms, each with a worker of its own."""

    def probe(self, spec: RoomSpec) -> RoomFacts:
        """Open a room as asked, look at what it really is, and close it.

        Raises:
            EnvironmentUnfit: it cannot be had as asked.

        """
        worker = worker_client.hire()
        try:
            facts = worker_client.room_facts(_asked(worker, worker_client.probe_request(spec))["room"])
        except BaseException:
            worker.close()
            raise
        worker_client.set_aside(worker)
        return facts

    def shadow(self, scratch: str, programs: Sequence[str], code: int = 0) -> str:
        """Make a folder of programs of these names that exit with a code in silence, and return it."""
        folder = os.path.join(scratch, f"shadow-{os.urandom(8).hex()}")
        os.mkdir(folder, 0o700)
        for name in programs:
            path = os.path.join(folder, os.path.basename(name))
            with open(path, "wb", opener=lambda file, flags: os.open(file, flags, 0o700)) as file:
                file.write(f"#!/bin/sh\nexit {code}\n".encode())
        return folder

    def open(self, spec: RoomSpec) -> WorkerRoom:
        """Open a room.

        Raises:
            EnvironmentUnfit: it cannot be had as asked.

        """
        worker = Worker()
        try:
            facts = worker_client.room_facts(_asked(worker, {"op": "open", "room": spec.document()})["room"])
        except BaseException:
            worker.close()
            raise
        return WorkerRoom(worker, facts)


def observe_document(wish: Observe, path: str) -> dict[str, Any]:
    """Return the worker's entry for a file to read."""
    return {
        "path": path,
        "max_bytes": wish.max_bytes,
        "reread": wish.reread,
        "allow_outside": wish.allow_outside,
    }


def _asked(worker: Worker, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return worker.ask(request)
    except WorkerDied as error:
        message = f"the supervising process died: {error}"
        raise EnvironmentUnfit(message) from error
