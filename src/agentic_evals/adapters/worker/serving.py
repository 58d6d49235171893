"""Answers the requests of protocol version 1, one line each, with the room that stays open between them."""

from __future__ import annotations

import lean
import protocol
import room
import teardown
from folders import Folders
from observing import Observer
from overlay import Namespaces
from streams import Spool, SpoolError
from supervise import PeerGone
from trial import Trial
from view import RoomUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol import RoomSpec, TrialJob
    from supervise import PeerWatch
    from view import View

    Answer = dict[str, object]


class Service:
    """The state of one worker between requests: its namespaces, its room, its folders."""

    def __init__(self, peer: PeerWatch) -> None:
        """Serve the side that `peer` watches."""
        self._peer = peer
        self._namespaces = Namespaces()
        self._folders: Folders | None = None
        self._view: View | None = None
        self._spools: dict[str, Spool] = {}
        self._cwd = "/"
        self._operations: dict[str, Callable[[Answer], Answer]] = {
            "trial": self._trial,
            "open": self._open,
            "run": self._run,
            "observe": self._observe,
            "changes": self._changes,
            "close": self._close,
            "probe": self._probe,
            "probe-recorder": self._probe_recorder,
        }

    def answer(self, line: str) -> str:
        """Return the reply line to one request line; every failure but a hang-up is a reply, too.

        Raises:
            PeerGone: when the asking side hangs up meanwhile.
        """
        try:
            request = protocol.as_request(lean.read_json(line))
            operation = self._operations.get(str(request.get("op")))
            if operation is None:
                return _error("bad-request", f"op: {request.get('op')!r} is unknown")
            return lean.write_json({"ok": True, **operation(request)})
        except PeerGone:
            raise
        except RoomUnavailable as refusal:
            number, at = refusal.attempt["errno"], refusal.attempt["at"]
            return _error("room-unavailable", str(refusal), number, at)
        except SpoolError as error:
            return _error("spool", str(error), error.errno)
        except (protocol.BadRequest, ValueError) as error:
            return _error("bad-request", str(error))
        except Exception as error:  # noqa: BLE001  # a bug must reach the report as such, not as a lost worker
            self._kill_leftovers()
            kind = "system" if isinstance(error, OSError) else "internal"
            return _error(kind, f"{type(error).__name__}: {error}", getattr(error, "errno", None))

    def _room_for(self, spec: RoomSpec) -> View:
        """Return the open room if it is the wanted one, fresh; else open it. Raises `RoomUnavailable`, `OSError`."""
        if self._view is not None and self._view.spec.document == spec.document:
            try:
                self._view.refresh()
                room.prepare(self._view)
            except (OSError, RoomUnavailable):
                self._close_view()  # whatever the trial did to it: make a new one
            else:
                return self._view
        return self._open_view(spec)

    def _open_view(self, spec: RoomSpec) -> View:
        self._close_view()
        if self._folders is None or self._folders.scratch != spec.scratch:
            if self._folders is not None:
                self._folders.remove()
            self._folders = Folders(spec.scratch)
        self._view = room.open_room(spec, self._folders, self._namespaces)
        return self._view

    def _close_view(self) -> None:
        view, self._view = self._view, None
        if view is not None:
            view.close()

    def _opened(self) -> View:
        if self._view is None:
            message = "no room is open"
            raise protocol.BadRequest(message)
        return self._view

    def _trial(self, request: Answer) -> Answer:
        job = protocol.job_of(request)
        return self._run_in(job, self._room_for(protocol.room_of({"room": job.room})))

    def _run(self, request: Answer) -> Answer:
        return self._run_in(protocol.job_of(request), self._opened())

    def _run_in(self, job: TrialJob, view: View) -> Answer:
        self._cwd = job.cwd
        return {"capture": Trial(job, view, self._own_folders(), self._spools).run(self._peer)}

    def _own_folders(self) -> Folders:
        if self._folders is None:
            message = "no room is open"
            raise protocol.BadRequest(message)
        return self._folders

    def _open(self, request: Answer) -> Answer:
        return {"room": self._open_view(protocol.room_of(request)).facts()}

    def _probe(self, request: Answer) -> Answer:
        facts = self._open_view(protocol.room_of(request)).facts()
        self._close_view()
        return {"room": facts}

    def _probe_recorder(self, request: Answer) -> Answer:
        import trace_probe

        return {"recorder": trace_probe.probe(protocol.recorder_of(request, "trace"), self._peer)}

    def _observe(self, request: Answer) -> Answer:

        view = self._opened()
        spool = next(reversed(self._spools.values()), None) or Spool(self._own_folders().base)
        observer = Observer(view, self._cwd, spool)
        return {"observed": [observer.look(one, None) for one in protocol.observations(request)]}

    def _changes(self, request: Answer) -> Answer:
        del request
        changes, truncated = self._opened().changes()
        return {"changes": changes, "truncated": truncated}

    def _close(self, request: Answer) -> Answer:
        del request
        result = self._kill_leftovers()
        self._close_view()
        return {"teardown": result.document()}

    @staticmethod
    def _kill_leftovers() -> teardown.Teardown:
        result = teardown.Teardown()
        teardown.kill_everything(teardown.Reaper(-1), result, lambda: None)
        return result

    def tidy(self) -> bool:
        """Do a little cleaning while nobody waits; return whether there was any to do."""
        return self._view is not None and self._view.tidy()

    def shut_down(self) -> None:
        """End every process below this one, give up the room and remove the worker's folders."""
        self._kill_leftovers()
        self._close_view()
        if self._folders is not None:
            self._folders.remove()


def _error(kind: str, message: str, number: object = None, at: object = None) -> str:
    error = {"kind": kind, "message": message, "errno": number, "at": at}
    return lean.write_json({"ok": False, "error": error})
