"""Do ten thousand trials take ten times as long as a thousand, and how much memory do they keep?"""

import os
import time

import program
import skill
from figures import Answer, Figure

_SIZES = (1_000, 3_000, 10_000)
_QUICK_SIZES = (200, 600, 2_000)
_CTRL_C_AFTER_SECONDS = 4.0
_NOTE = (
    "The report lists every trial, so something of each is kept: its record, its verdict, "
    "and quotations, which trials that print the same share."
)


def measure(folder, *, quick):
    """Run two cases with more and more trials, smallest to largest and back, then stop one run by Ctrl-C."""
    direct = program.started_by_run_sh()
    root = skill.make(folder)
    fixture = skill.fixture(root, "two", 2, 2)
    sizes = _QUICK_SIZES if quick else _SIZES
    seconds = {size: [] for size in sizes}
    peaks = {size: [] for size in sizes}
    for size in (*sizes, *reversed(sizes)):
        run = program.Watched(_command(direct, fixture, size), root)
        code, taken, said = run.finish()
        if code != 0:
            message = f"{size} trials ended with {code}: {said[-500:]}"
            raise RuntimeError(message)
        seconds[size].append(taken)
        peaks[size].append(run.peaks["main process"])
    small, middle, large = sizes
    least = {size: min(taken) for size, taken in seconds.items()}
    first = (least[middle] - least[small]) / (middle - small)
    last = (least[large] - least[middle]) / (large - middle)
    growth = (max(peaks[large]) - max(peaks[small])) * 1000 / (large - small)
    code, delay = _ctrl_c(direct, fixture, large, root)
    return Answer(
        "Is the time linear, and the memory bounded?",
        f"The baseline of a run of {large:,} trials are those of {small:,} and {middle:,}: "
        "what one more trial costs must not grow.",
        (
            Figure(
                f"one trial between {middle:,} and {large:,}, against one between {small:,} and {middle:,}",
                last / first,
                "×",
                1.2,
                None,
                f"{last * 1000:.2f} ms against {first * 1000:.2f} ms",
            ),
            Figure(f"{large:,} trials", least[large], "s"),
            Figure(f"peak of the main process, {small:,} trials", max(peaks[small]), "MB"),
            Figure(f"peak of the main process, {large:,} trials", max(peaks[large]), "MB", 200.0),
            Figure("kept in memory for one trial", growth, "kB"),
            Figure(f"from Ctrl-C to the end (exit {code})", delay, "s", 1.0),
        ),
        (_NOTE,),
    )


def _command(direct, fixture, trials):
    return [*direct, "run", fixture, "--jobs", "2", "--trials", str(trials // 2)]


def _ctrl_c(direct, fixture, trials, root):
    run = program.Watched(_command(direct, fixture, trials * 10), root)
    time.sleep(_CTRL_C_AFTER_SECONDS)
    pressed = time.perf_counter()
    run.interrupt()
    code, _, _ = run.finish()
    return code, time.perf_counter() - pressed


if not os.path.isdir("/proc/self"):
    message = "the peaks are read from /proc"
    raise SystemExit(message)
