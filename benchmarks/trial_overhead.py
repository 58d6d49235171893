"""What does supervision add to one command, in place and in a private view?"""

import os
import sys

import skill
from figures import Answer, interleaved, ratio
from machine import ROOT

sys.path.insert(0, os.path.join(ROOT, "src"))

_ROUNDS = 1000
_QUICK_ROUNDS = 60
_TRUE = ["/bin/true"]


def measure(folder, *, quick):
    """Ask workers directly, so that nothing but the supervision of one command is measured."""
    from agentic_evals.adapters.worker_client import Worker

    root = skill.make(folder, "/bin/sh")
    os.chdir(folder)  # where the bare commands run; the workers' commands run in the skill
    scratch = os.path.join(folder, "scratch")
    os.mkdir(scratch, 0o700)
    workers = [Worker() for _ in range(3)]
    in_place, untouched, written = workers

    def asked(worker, mode, argv):
        request = {"op": "trial", "job": _job(root, scratch, mode, argv)}
        return lambda: worker.ask(request)

    writes = ["/bin/sh", "-c", "echo something > written"]
    try:
        facts = untouched.ask({"op": "open", "room": _room(root, scratch, "auto")})["room"]
        view = facts["mode"]
        times = interleaved(
            {
                "bare": _bare(_TRUE),
                "in place": asked(in_place, "shared", _TRUE),
                "untouched": asked(untouched, view, _TRUE),
                "bare that writes": _bare(writes),
                "written": asked(written, view, writes),
            },
            _QUICK_ROUNDS if quick else _ROUNDS,
        )
    finally:
        os.chdir("/")
        for worker in workers:
            worker.close()
    bare, bare_that_writes = times["bare"], times["bare that writes"]
    kept = view == "overlay"
    return Answer(
        "What does one supervised trial cost?",
        "`os.posix_spawn` and a wait for the same command is the baseline: `/bin/true`, and for the last row "
        "`sh -c 'echo something > written'`. A worker is asked over its socket; the time ends with its parsed answer.",
        (
            ratio("in place", times["in place"], bare, 2.0),
            ratio(
                f"in a private view ({view}) that is left untouched", times["untouched"], bare, 2.2 if kept else None
            ),
            ratio(
                f"in a private view ({view}) that is written to",
                times["written"],
                bare_that_writes,
                4.0 if kept else None,
            ),
        ),
    )


def _bare(argv):
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]

    def run():
        os.waitpid(os.posix_spawn(argv[0], argv, os.environ, file_actions=quiet), 0)

    return run


def _room(root, scratch, mode):
    return {
        "workspace": root,
        "also": [],
        "mode": mode,
        "copy_limit": {"bytes": 200_000_000, "files": 20_000},
        "copy_forbidden": None,
        "scratch": scratch,
        "replace": [],
    }


def _job(root, scratch, mode, argv):
    return {
        "schema": "agentic_evals.trial_job.v1",
        "id": "case/1",
        "room": _room(root, scratch, mode),
        "argv": argv,
        "cwd": root,
        "env": dict(os.environ),
        "tmp_env": ["TMPDIR"],
        "trajectory_env": "AGENTIC_EVALS_TRAJECTORY",
        "replace_tokens": {},
        "stdin": {"kind": "closed"},
        "timeout_ms": 30_000,
        "term_grace_ms": 500,
        "leak_grace_ms": 200,
        "max_output": 2**31,
        "spool": scratch,
        "observe": [],
    }
