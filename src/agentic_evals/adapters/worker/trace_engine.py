"""Follows every thread of a traced command from stop to stop and writes down what it does."""

from __future__ import annotations

import errno
import os

import trace_ptrace as ptrace
from lean import override, signals
from teardown import Reaper
from trace_decode import Process, Unread
from trace_program import describe_exec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trace_calls import Call
    from trace_decode import Decoder, Pending
    from trace_log import Log

_MOST_AT_ONCE = 256
_STOPPING = (signals.SIGSTOP, signals.SIGTSTP, signals.SIGTTIN, signals.SIGTTOU)
_BIRTHS = (ptrace.EVENT_FORK, ptrace.EVENT_VFORK, ptrace.EVENT_CLONE)


class _Thread:
    """A traced thread; `pending` is the call whose result it will be stopped at."""

    __slots__ = ("pending", "process")

    def __init__(self, process: Process) -> None:
        self.process = process
        self.pending: Pending | None = None


class TracingReaper(Reaper):
    """Collects ended children like any reaper and, on the way, serves the stops of traced threads."""

    def __init__(
        self, command: int, calls: dict[int, Call], decoder: Decoder, log: Log, env: dict[bytes, bytes]
    ) -> None:
        """Trace `command`, which is seized already and was given the environment `env`."""
        super().__init__(command)
        self._calls = calls
        self._decoder = decoder
        self._log = log
        self._env = env
        self._threads = {command: _Thread(Process(command, os.getpid(), None))}
        self._unknown: dict[int, int] = {}
        self._ended: set[int] = set()
        self._usage_before = _usage_of_children()
        self.executed = False

    @override
    def collect(self) -> bool:
        """Serve a number of stops and ends; return True when no child is left at all. Raises `SpoolError`."""
        for _ in range(_MOST_AT_ONCE):
            try:
                tid, status = ptrace.wait_any()
            except ChildProcessError:
                return True
            if tid == 0:
                self._ask_who_is_unknown()
                return False
            self.handle(tid, status)
            if len(self._threads) == 1 and not self._unknown:
                return False  # nobody else can have stopped, and the next signal will say when this one does
        os.kill(os.getpid(), signals.SIGCHLD)  # there may be more: come back soon, but let the deadline be looked at
        return False

    @override
    def usage(self) -> dict[str, object]:
        """Return what all processes used; the kernel's own sum, for a traced process is waited for twice."""
        now = _usage_of_children()
        self.user_seconds = now[0] - self._usage_before[0]
        self.system_seconds = now[1] - self._usage_before[1]
        return super().usage()

    def handle(self, tid: int, status: int) -> None:
        """Serve one report of wait(2); raises `SpoolError`."""
        if not os.WIFSTOPPED(status):
            self._thread_ended(tid, status)
            return
        thread = self._threads.get(tid)
        if thread is None:
            self._unknown[tid] = status  # its creator's stop, which is due, says who it is
            return
        try:
            self._stopped(tid, thread, status)
        except OSError as error:
            if error.errno == errno.ESRCH and error.filename == "ptrace":
                return  # killed in its stop: wait(2) reports the end
            self._log.lose(f"{error.filename or 'reading'}: {error.strerror}")
            self._let_go(tid)

    def _let_go(self, tid: int) -> None:
        try:
            ptrace.resume(tid)
        except OSError as error:
            if error.errno != errno.ESRCH:
                self._log.broken = True

    def _stopped(self, tid: int, thread: _Thread, status: int) -> None:
        event, signal = status >> 16, status >> 8 & 0xFF
        if event == ptrace.EVENT_SECCOMP:
            self._at_call(tid, thread)
        elif signal == ptrace.SYSCALL_STOP:
            self._at_result(tid, thread)
        elif event == ptrace.EVENT_EXEC:
            self._at_exec(tid)
        elif event in _BIRTHS:
            self._know(ptrace.event_message(tid), thread.process)
            ptrace.resume(tid)
        elif event == ptrace.EVENT_STOP and signal in _STOPPING:
            ptrace.stay_stopped(tid)
        else:
            ptrace.resume(tid, 0 if event else signal)

    def _at_call(self, tid: int, thread: _Thread) -> None:
        number, arguments = ptrace.call_at_stop(tid)
        call = self._calls.get(number)
        thread.pending = None
        if call is not None:
            try:
                thread.pending = self._decoder.begin(call, thread.process, tid, arguments)
            except OSError:
                if not _was_killed(tid):  # else the call is never made
                    thread.pending = Unread(call.name, {})
        if thread.pending is None:
            ptrace.resume(tid)
        else:
            ptrace.resume_to_result(tid)

    def _at_result(self, tid: int, thread: _Thread) -> None:
        pending, thread.pending = thread.pending, None
        result = ptrace.result_at_stop(tid)
        try:
            if pending is not None:
                self._decoder.end(pending, thread.process, tid, result)
        except OSError as error:
            if pending is not None and _was_killed(tid):
                self._decoder.abandon(pending, thread.process)
            else:
                self._log.lose(f"{pending.kind if pending else 'result'}: {error.strerror}")
        ptrace.resume(tid)

    def _at_exec(self, pid: int) -> None:
        """Note a new program. Whichever thread executed it, it is now the only one and has the process's id."""
        former = ptrace.event_message(pid)
        thread = self._threads.get(pid) or self._threads.get(former) or _Thread(Process(pid, None, None))
        self._threads[pid] = thread
        thread.process.threads = 1
        actor = self._threads.pop(former, thread) if former != pid else thread
        self.executed = self.executed or pid == self.command
        body = dict(actor.pending.body) if actor.pending is not None else {}
        thread.pending = None
        process = thread.process
        try:
            body.update(describe_exec(pid, self._env))
        except OSError as error:
            if error.errno not in (errno.ESRCH, errno.ENOENT):
                raise
            body["unconfirmed"] = True  # killed at this moment
        process.origin = self._log.add("proc.exec", pid, process.ppid, process.origin, body)
        ptrace.resume(pid)

    def _know(self, tid: int, creator: Process) -> None:
        """Remember a thread that `creator` made, and let it run if it has arrived already."""
        if tid in self._threads:
            return
        self._ended.discard(tid)
        thread = os.path.exists(f"/proc/{creator.pid}/task/{tid}")
        if thread:
            creator.threads += 1
        self._threads[tid] = _Thread(creator if thread else Process(tid, creator.pid, creator.origin))
        self._begin(tid)

    def _begin(self, tid: int) -> None:
        """Serve the stop at which a thread waits that was unknown when it arrived."""
        status = self._unknown.pop(tid, None)
        if status is not None:
            self.handle(tid, status)

    def _ask_who_is_unknown(self) -> None:
        """Ask the kernel about threads whose creator was killed before it could report them."""
        for tid in tuple(self._unknown):
            try:
                with open(f"/proc/{tid}/status", "rb") as file:
                    fields = dict(line.split(b":\t", 1) for line in file if b":\t" in line)
            except OSError:
                continue
            owner, parent = int(fields[b"Tgid"]), int(fields[b"PPid"])
            above = self._threads.get(owner if owner != tid else parent)
            if owner != tid and above is not None:
                above.process.threads += 1
                self._threads[tid] = _Thread(above.process)
            else:
                self._threads[tid] = _Thread(Process(tid, parent, above.process.origin if above else None))
            self._begin(tid)

    def _thread_ended(self, tid: int, status: int) -> None:
        user, system, rss = ptrace.usage_of_ended()
        self.max_rss_kb = max(self.max_rss_kb, rss)
        if tid == self.command and self.status is None:
            self.status = status
        thread = self._threads.pop(tid, None)
        if thread is None:
            self._stranger_ended(tid, status)
            return
        process = thread.process
        if thread.pending is not None:
            self._decoder.abandon(thread.pending, process)
        if tid != process.pid:
            process.threads -= 1
            return
        self._ended.add(tid)
        body: dict[str, object] = {**_ending(status), "user_ms": round(user * 1000, 3)}
        body["system_ms"] = round(system * 1000, 3)
        body["max_rss_kb"] = rss
        self._log.add("proc.exit", tid, process.ppid, process.origin, body)

    def _stranger_ended(self, tid: int, status: int) -> None:
        if tid in self._ended:
            self._ended.discard(tid)  # its own parent is gone, so that it is ours to bury after all
        elif tid in self._unknown:
            del self._unknown[tid]
            self._log.add("proc.exit", tid, None, None, _ending(status))
        else:
            self._log.lose("a process ended that was not traced")

    def finish(self) -> None:
        """Count what should have been reported and was not, when no child is left."""
        for tid, thread in self._threads.items():
            if tid == thread.process.pid:
                self._log.lose("a process vanished without a report of its end")
        self._threads.clear()


def _was_killed(tid: int) -> bool:
    """Return whether a thread is no longer in the stop at which it was found."""
    try:
        ptrace.event_message(tid)
    except OSError:
        return True
    return False


def _ending(status: int) -> dict[str, object]:
    if os.WIFSIGNALED(status):
        return {"code": None, "signal": os.WTERMSIG(status)}
    return {"code": os.WEXITSTATUS(status), "signal": None}


def _usage_of_children() -> tuple[float, float]:
    import resource

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime, usage.ru_stime
