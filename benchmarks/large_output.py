"""What happens when one trial prints a gigabyte?"""

import os
import subprocess
import time

import program
import skill
from figures import Answer, Figure

_SIZE = 1_000_000_000
_QUICK_SIZE = 64_000_000


def measure(folder, *, quick):
    """Run a flood, look at the peak of each process, and compare with doing the same by hand."""
    size = _QUICK_SIZE if quick else _SIZE
    direct = program.started_by_run_sh()
    root = skill.make(folder)
    fixture = skill.flood_fixture(root, "flood", size)
    by_hand = min(_by_hand(root, size) for _ in range(2))
    kept = os.path.join(folder, "kept") + "/"
    run = program.Watched([*direct, "run", fixture, "--jobs", "1", "--output", kept], root)
    code, seconds, said = run.finish()
    if code != 0:
        message = f"the flood ended with {code}: {said[-500:]}"
        raise RuntimeError(message)
    by_hand = min(by_hand, _by_hand(root, size))
    return Answer(
        f"What does a trial cost that prints {size // 10**6:,} MB?",
        "The stream is captured whole, hashed, searched, redacted, stored and hashed again. The baseline does by hand "
        "what a shell can do of that: write to a file, `sha256sum`, `grep`, copy, `sha256sum`. Two trials are run.",
        (
            *(Figure(f"peak of the {name}", peak, "MB", 200.0) for name, peak in sorted(run.peaks.items())),
            Figure("one trial", seconds / 2 / by_hand, "×", None, None, f"{seconds / 2:.2f} s against {by_hand:.2f} s"),
        ),
    )


def _by_hand(root, size):
    script = (
        f"./run.sh flood {size} > flood && sha256sum flood && grep -c '{skill.FLOOD_END}' flood "
        "&& cp flood kept && sha256sum kept && rm flood kept"
    )
    started = time.perf_counter()
    subprocess.run(["bash", "-c", script], cwd=root, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started
