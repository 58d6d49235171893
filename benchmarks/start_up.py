"""How long does the program take to start, against an interpreter that does nothing?"""

import program
import skill
from figures import Answer, Figure, interleaved, ratio

_ROUNDS = 40
_QUICK_ROUNDS = 8


def measure(folder, *, quick):
    """Time starts of the program and of its bare interpreter with the same flags."""
    direct = program.started_by_run_sh()
    bare = direct[: direct.index("-c")]
    root = skill.make(folder)
    smallest = skill.fixture(root, "smallest", 2, 2)
    times = interleaved(
        {
            "pass": program.quiet([*bare, "-c", "pass"]),
            "help": program.quiet([*direct, "--help"]),
            "version": program.quiet([*direct, "--version"]),
            "run.sh": program.quiet([program.RUN_SH, "--version"]),
            "validate": program.quiet([*direct, "validate", smallest]),
            "run": program.quiet([*direct, "run", smallest]),
        },
        _QUICK_ROUNDS if quick else _ROUNDS,
    )
    nothing = times["pass"]
    added = times["run.sh"].least - times["version"].least
    added_median = times["run.sh"].median - times["version"].median
    return Answer(
        "How long does a start take?",
        "`python -c pass` of the same interpreter with the same flags is the baseline. "
        "The fixture is the smallest that the contract admits: two cases, two trials each.",
        (
            ratio("`agentic-evals --help`", times["help"], nothing, 5.0),
            ratio("`agentic-evals --version`", times["version"], nothing, 5.0),
            Figure("`./run.sh --version`, added to the program's own start", added, "ms", 20.0, added_median),
            ratio("`agentic-evals validate` of the smallest fixture", times["validate"], nothing),
            ratio("`agentic-evals run` of the smallest fixture, four trials included", times["run"], nothing),
        ),
        (f"Modules loaded: {_modules(direct, '--help')} for `--help`, {_modules(direct, 'run', smallest)} for `run`.",),
    )


def _modules(direct, *arguments):
    """Count the modules in memory when a command ends."""
    import subprocess

    code = direct.index("-c") + 1
    counting = "import atexit, sys; atexit.register(lambda: sys.stderr.write(f'\\n{len(sys.modules)}'))\n"
    command = [*direct[:code], counting + direct[code], *direct[code + 1 :], *arguments]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return int(done.stderr.splitlines()[-1])
