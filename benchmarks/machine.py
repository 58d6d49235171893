"""What a figure is worth nothing without: the code, the machine and the moment."""

import os
import platform
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def facts():
    """Return the facts of this run by name, as text."""
    return {
        "commit": _commit(),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "Python": platform.python_version(),
        "load before": f"{os.getloadavg()[0]:.1f} in the last minute",
    }


def _commit():
    sha = _git("rev-parse", "--short=12", "HEAD") or "none yet"
    return f"{sha} with changes that are not committed" if _git("status", "--porcelain") else sha


def _git(*arguments):
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def _processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or "unknown"
