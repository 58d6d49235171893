"""Runs the driver of the escape techniques with every trial under the recorder `trace`.

Expects `client.py` and, named `plain_escape_driver.py`, the driver in its own folder; takes the driver's arguments.
"""

from __future__ import annotations

import os
import runpy
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import client  # noqa: E402  # found only now

LEAST_TIMEOUT_MS = 1000  # a traced interpreter on a busy machine must get as far as its technique

trial = client.WorkerProcess.trial


def traced(worker: client.WorkerProcess, job: dict) -> dict:
    """Run the job under the recorder."""
    return trial(worker, {**job, "recorder": "trace", "timeout_ms": max(LEAST_TIMEOUT_MS, job["timeout_ms"])})


client.WorkerProcess.trial = traced
runpy.run_path(os.path.join(HERE, "plain_escape_driver.py"), run_name="__main__")
