"""Runs escape techniques as trials in a fresh pid namespace, whose pid 1 it is, and prints what lives after each.

Usage: escape_driver.py WORKER_FOLDER BASE MODE TECHNIQUE/THEN... — one JSON line for each.
"""

import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from client import WorkerProcess, make_job, make_room


def others(worker):
    """Return the processes of this namespace that are neither this one nor the worker."""
    return sorted({int(name) for name in os.listdir("/proc") if name.isdigit()} - {os.getpid(), worker.pid})


def main():
    """Run each technique once."""
    folder, base, mode, *wanted = sys.argv[1:]
    assert os.getpid() == 1, "run me in a pid namespace"
    worker = WorkerProcess(folder)
    workspace = os.path.join(base, "workspace")
    os.makedirs(workspace, exist_ok=True)
    room = make_room(workspace, os.path.join(base, "scratch"), mode)
    escapes = os.path.join(os.path.dirname(os.path.abspath(__file__)), "escapes.py")
    for pair in wanted:
        technique, then = pair.split("/")
        argv = [sys.executable, "-S", "-E", escapes, technique, then]
        job = make_job(room, *argv, leak_grace_ms=60, term_grace_ms=100)
        if then == "hang":
            job["timeout_ms"] = 800
        began = time.monotonic()
        capture = worker.trial(job)
        took = time.monotonic() - began
        alive = others(worker)
        row = {"technique": technique, "then": then, "alive": alive, "seconds": round(took, 3)}
        for name in ("termination", "leaked", "killed", "no_survivors", "survivor_evidence", "duration_ms"):
            row[name] = capture[name]
        print(json.dumps(row), flush=True)
    print(
        json.dumps({"exit": worker.close(), "alive": others(worker), "left": os.listdir(room["scratch"])}), flush=True
    )


main()
