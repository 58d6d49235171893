"""Records a command by strace(1): the second recorder, where the worker's own tracer cannot work."""

from __future__ import annotations

import os

import spawn
import trace_strace_lines as lines
from trace_files import Regions
from trace_log import Log
from trace_start import CannotTrace
from trace_strace_events import CALLS, Story

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protocol import Stdin
    from spawn import Started
    from streams import Spool

CAVEAT = (
    "strace takes no digest at the moment of an exec, does not name a script's interpreter, and keeps its log where"
    " the trial could reach it"
)


class StraceRecorder:
    """One command under strace, whose process stands aside: the command stays the worker's own child."""

    mechanism = "strace"

    def __init__(self, regions: list[str], spool: Spool) -> None:
        """Look for strace; raises `CannotTrace` when there is none."""
        self.log = Log(spool, self.mechanism)
        self._regions = Regions(regions)
        try:
            self._program = os.path.realpath(spawn.find_program("strace", dict(os.environ)))
        except spawn.CannotStart as error:
            raise CannotTrace(error.errno, "strace", "strace is not installed") from error
        descriptor, self._file = spool.create("strace")
        os.close(descriptor)
        self._env: dict[bytes, bytes] = {}
        self._cwd = b"/"
        self._command = -1

    def start(self, argv: list[str], env: dict[str, str], cwd: str, stdin: Stdin) -> Started:
        """Start the command; raises `CannotStart`."""

        def launch(
            program: bytes, words: list[bytes], variables: dict[bytes, bytes], streams: tuple[int, int, int]
        ) -> int:
            del program
            self._env = variables
            self._cwd = os.path.realpath(os.getcwdb())
            wanted = "trace=" + ",".join("?" + name for name in CALLS)
            options = ["-DDD", "-f", "--seccomp-bpf", "-q", "-y", "-xx", "-X", "raw", "-v", "-s", "262144", "-ttt"]
            options += ["-e", wanted, "-o", self._file, "--"]
            words = [*map(str.encode, [self._program, *options]), *words]  # it seeks the program as we did
            return spawn.launch(words[0], words, variables, streams)

        started = spawn.start(argv, env, cwd, stdin, launch)
        started.helper = self._program
        self._command = started.pid
        return started

    def finish(self) -> None:
        """Read strace's log into our own; raises `SpoolError`."""
        story = Story(self._command, self._cwd, self.log, self._regions, self._env)
        try:
            with open(self._file, encoding="ascii", errors="replace") as file:
                for line in lines.parse(iter(file), story.unfinished):
                    try:
                        story.tell(line)
                    except (ValueError, KeyError, IndexError):
                        self.log.lose("a line of strace was not understood")
        except (OSError, ValueError) as error:
            self.log.lose(f"strace's log: {error}")
        for _ in range(story.unended()):
            self.log.lose("a process vanished without a report of its end")
        if self.log.count == 0:
            self.log.broken = True
            self.log.lose("strace recorded nothing")
        self.log.caution(CAVEAT)
        self.log.best_grade = "observed"
        self.remove()

    def remove(self) -> None:
        """Remove strace's log."""
        try:
            os.unlink(self._file)
        except OSError:
            pass
