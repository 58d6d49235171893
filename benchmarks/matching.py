"""What does it cost to search a stream that does not fit into memory?"""

import json
import os
import subprocess
import sys

from figures import Answer, Figure, Times
from machine import ROOT

_ROUNDS = 5
_QUICK_ROUNDS = 2
_SIZE = 256 * 1024 * 1024
_QUICK_SIZE = 48 * 1024 * 1024
_FOUND = 2
_WITHIN = """
import json, resource, sys, time
sys.path.insert(0, sys.argv[1])
from agentic_evals.adapters.spool import SpooledFile
from agentic_evals.model.trial import Blob
from agentic_evals.rules.expectations import _regex, _streams
path, size, way = sys.argv[2], int(sys.argv[3]), sys.argv[4]
blob = Blob(size, "0" * 64, b"", b"", SpooledFile(path))
needles = ["the first line", "nowhere to be found", "the last line"]
_streams.found(Blob.of(b"warm"), needles), _regex.matching(Blob.of(b"warm"), ["w.rm"])
started = time.perf_counter()
if way == "windows":
    found = len(_streams.found(blob, needles))
elif way == "regex":
    found = len(_regex.matching(blob, ["the f[a-z]+ line", "nowhere to be f.und", "the l[a-z]+ line"]))
else:
    with open(path, "rb") as file:
        data = file.read()
    found = sum(needle.encode() in data for needle in needles)
milliseconds = (time.perf_counter() - started) * 1000
print(json.dumps([milliseconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6, found]))
"""


def measure(folder, *, quick):
    """Search a file for three texts and for three regular expressions, in processes of their own."""
    size = _QUICK_SIZE if quick else _SIZE
    path = os.path.join(folder, "stream")
    _write(path, size)
    ways = ("whole", "windows", "regex")
    taken = {way: [] for way in ways}
    peaks = dict.fromkeys(ways, 0.0)
    for _ in range(_QUICK_ROUNDS if quick else _ROUNDS):
        for way in ways:
            milliseconds, peak, found = _search(path, size, way)
            if found != _FOUND:
                message = f"{way}: found {found} of {_FOUND}"
                raise RuntimeError(message)
            taken[way].append(milliseconds)
            peaks[way] = max(peaks[way], peak)
    os.unlink(path)
    times = {way: Times(tuple(taken[way])) for way in ways}
    whole = times["whole"]
    return Answer(
        f"What does searching a stream of {size // 2**20} MiB cost?",
        "Streams of more than 16 MiB are searched in windows that overlap by 1 MiB. "
        "The baseline reads the whole file into memory and asks `in` for the same three texts.",
        (
            _against("three texts, in windows", times["windows"], whole),
            _against("three regular expressions, in windows", times["regex"], whole),
            Figure("peak of the process, three texts in windows", peaks["windows"], "MB", 200.0),
            Figure("peak of the process, three regular expressions in windows", peaks["regex"], "MB", 200.0),
            Figure("peak of the process, whole", peaks["whole"], "MB"),
        ),
    )


def _against(what, mine, base):
    detail = f"{mine.least:.0f} ms against {base.least:.0f} ms"
    return Figure(what, mine.least / base.least, "×", None, mine.median / base.median, detail)


def _search(path, size, way):
    command = [sys.executable, "-c", _WITHIN, os.path.join(ROOT, "src"), path, str(size), way]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def _write(path, size):
    line = b"one line like any other, and there are very many of them here\n"
    block = line * (2**20 // len(line))
    first, last = b"the first line\n", b"the last line\n"
    with open(path, "wb") as file:
        file.write(first)
        while file.tell() + len(block) < size - len(last):
            file.write(block)
        file.write(b"." * (size - len(last) - file.tell()))
        file.write(last)
