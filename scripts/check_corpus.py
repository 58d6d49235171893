"""Validates every fixture of a corpus: each must end in a verdict that a person can act on.

Usage: check_corpus.py RUN_SH CORPUS_FOLDER

A file passes when `validate` ends with exit code 0 or 1, without a traceback, and gives a rule id with
every reason. Everything in the corpus's folder `rejected` must end with 1.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ACCEPTED, REJECTED = 0, 1


def findings(document: object) -> list[dict[str, Any]]:
    """Collect every finding of a validation result, however deep it stands."""
    if isinstance(document, list):
        return [finding for item in document for finding in findings(item)]
    if not isinstance(document, dict):
        return []
    found = [item for item in document.get("findings", []) if isinstance(item, dict)]
    for key, value in document.items():
        if key != "findings":
            found += findings(value)
    return found


def complaints(program: str, fixture: Path, *, must_be_rejected: bool) -> tuple[list[str], str]:
    """Say what is wrong with how the program treats one fixture, and how it ended."""
    done = subprocess.run(
        [program, "validate", str(fixture), "--format", "json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
        check=False,
    )
    wrong = []
    if done.returncode not in {ACCEPTED, REJECTED}:
        wrong.append(f"exit code {done.returncode}: {done.stderr.strip()[-500:]}")
    if must_be_rejected and done.returncode != REJECTED:
        wrong.append("it must be refused")
    if "Traceback (most recent call last)" in done.stdout + done.stderr:
        wrong.append("a traceback")
    try:
        reasons = findings(json.loads(done.stdout))
    except ValueError:
        return [*wrong, f"the output is not JSON: {done.stdout[:200]!r}"], f"exit {done.returncode}"
    if done.returncode == REJECTED and not reasons:
        wrong.append("refused without a reason")
    wrong += [f"a reason without a rule id: {reason}" for reason in reasons if not reason.get("rule")]
    rules = sorted({str(reason.get("rule")) for reason in reasons})
    return wrong, f"exit {done.returncode} {' '.join(rules)}".rstrip()


def main(program: str, corpus: str) -> int:
    """Validate each file of `accepted` and `rejected`; return 1 when any is treated wrongly."""
    failures = count = 0
    for folder in ("accepted", "rejected"):
        for fixture in sorted(path for path in (Path(corpus) / folder).rglob("*") if path.is_file()):
            wrong, ended = complaints(program, fixture, must_be_rejected=folder == "rejected")
            count += 1
            failures += bool(wrong)
            print(f"{'FAIL' if wrong else 'ok  '} {folder}/{fixture.name}: {ended}")
            for complaint in wrong:
                print(f"       {complaint}")
    print(f"corpus: {count} files, {failures} treated wrongly")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
