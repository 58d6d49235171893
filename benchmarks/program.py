"""The program under measurement, exactly as `run.sh` starts it, and the watch over its processes."""

import os
import signal
import subprocess
import threading
import time

from machine import ROOT

RUN_SH = os.path.join(ROOT, "run.sh")
_LOOK_SECONDS = 0.02


def started_by_run_sh():
    """Return the command line that `run.sh` ends in, without the program's own arguments.

    It replaces itself by the interpreter, so its process shows the very words for a moment.
    """
    subprocess.run([RUN_SH, "--version"], stdout=subprocess.DEVNULL, check=True)
    while True:
        process = subprocess.Popen([RUN_SH, "schema"], stdout=subprocess.DEVNULL)
        while process.poll() is None:
            words = _command_line(process.pid)
            if words and os.path.basename(words[0]).startswith("python") and words[-1] == "schema":
                process.wait()
                return words[:-1]


def quiet(command, folder=None):
    """Return a function that runs a command to its end, in silence, and insists on exit 0."""

    def run():
        subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    return run


class Watched:
    """A run of the program whose processes are looked at while it lasts."""

    def __init__(self, command, folder):
        """Start it; `peaks` fills with the largest resident set of each of our processes, in MB, by what it is."""
        self.peaks = {}
        self._process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        )
        self._started = time.perf_counter()
        self._over = threading.Event()
        self._looking = threading.Thread(target=self._look)
        self._looking.start()

    def finish(self):
        """Wait for its end; return the exit code, the seconds it took and what it said on standard error."""
        said = self._process.communicate()[1].decode("utf-8", "replace")
        seconds = time.perf_counter() - self._started
        self._over.set()
        self._looking.join()
        return self._process.returncode, seconds, said

    def interrupt(self):
        """Press Ctrl-C."""
        os.kill(self._process.pid, signal.SIGINT)

    def _look(self):
        while not self._over.wait(_LOOK_SECONDS):
            self._note("main process", self._process.pid)
            for pid in _children(self._process.pid):
                if any(word.endswith("adapters/worker") for word in _command_line(pid)):
                    self._note("workers", pid)

    def _note(self, name, pid):
        peak = _peak_mb(pid)
        self.peaks[name] = max(self.peaks.get(name, 0.0), peak)


def _command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return [word.decode("utf-8", "replace") for word in file.read().split(b"\0")[:-1]]
    except OSError:
        return []


def _children(pid):
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                found += map(int, file.read().split())
    except OSError:
        pass
    return found


def _peak_mb(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024 / 1e6
    except OSError:
        pass
    return 0.0
