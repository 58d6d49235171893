"""Do 300 tiny trials cost less than a shell loop that checks exit code and text?"""

import program
import skill
from figures import Answer, interleaved, ratio

_ROUNDS = 5
_QUICK_ROUNDS = 2
_CASES = 2


def measure(folder, *, quick):
    """Run two cases with 60, 150 and 210 trials each, and the loop of 300."""
    direct = program.started_by_run_sh()
    figures = []
    for shell, limits in (("/bin/sh", (1.0, 1.6)), ("/bin/bash", (None, None))):
        root = skill.make(folder, shell)
        fixture = skill.fixture(root, "two", _CASES, 150)

        def trials(number, root=root, fixture=fixture):
            return program.quiet([*direct, "run", fixture, "--jobs", "2", "--trials", str(number)], root)

        times = interleaved(
            {
                "loop": program.quiet(["bash", skill.bash_loop(root, _CASES, 150)], root),
                "120": trials(60),
                "300": trials(150),
                "420": trials(210),
            },
            _QUICK_ROUNDS if quick else _ROUNDS,
        )
        loop = times["loop"]
        without = times["420"].minus(times["120"])
        figures += (
            ratio(f"a script for `{shell}`, without start-up", without, loop, limits[0]),
            ratio(f"a script for `{shell}`, with start-up", times["300"], loop, limits[1]),
        )
    return Answer(
        "What do 300 tiny trials cost?",
        "A `bash` loop over the same commands that checks exit code and text is the baseline; the program runs two "
        "cases with `--jobs 2` and keeps every record. Without start-up means: 420 trials minus 120 trials. "
        "The promise is about the smallest script; for a script of `bash` the same work weighs less.",
        tuple(figures),
    )
