"""Asking git: one way to run it, with fixed locale, no prompt, no hooks and no optional locks."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING, Final

from agentic_evals.model.workspace import RepositoryFacts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SECONDS: Final = 60.0
_MOST_VERSIONS: Final = 50
_COMPLIANCE: Final = re.compile(rb"""^[\s{]*["']?eval_tier["']?\s*[:=]\s*["']?compliance""", re.MULTILINE)
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def run_git(folder: str, arguments: Sequence[str]) -> bytes | None:
    """Return what git prints, or `None` where it fails or is not installed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    command = ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"]
    try:
        done = subprocess.run(
            [*command, *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def repository(folder: str, fixture: str) -> RepositoryFacts:
    """Return what git knows of the repository that holds a folder; all `None` where there is none."""
    where = _places(folder)
    if where is None:
        return RepositoryFacts()
    root, common = map(os.path.realpath, where)
    sha = _line(run_git(root, ["rev-parse", "--verify", "-q", "HEAD"]))
    status = run_git(root, ["status", "--porcelain", "-z", "--untracked-files=normal"])
    inside = os.path.relpath(os.path.realpath(fixture), root)
    return RepositoryFacts(
        root=root,
        common_dir=common,
        sha=sha,
        ref=_line(run_git(root, ["symbolic-ref", "-q", "--short", "HEAD"])),
        dirty=bool(status) if status is not None else None,
        declared_compliance=sha is not None and _ever_compliance(root, inside),
    )


def _ever_compliance(root: str, inside: str) -> bool:
    """Return whether some committed version of the fixture declared the compliance tier.

    Every commit that added or took away the word is looked at, on merged branches too, and under
    the names that the file had before.
    """
    seen: set[str] = set()
    for followed in ("--full-history", "--follow"):
        log = ["log", "-n", str(_MOST_VERSIONS), "--format=%H", "--name-only", "-z", "-S", "eval_tier", followed]
        for version in _versions(run_git(root, [*log, "--", inside]) or b"", inside):
            if version not in seen and _declares_compliance(run_git(root, ["show", version])):
                return True
            seen.add(version)
    return False


def _versions(log: bytes, inside: str) -> Iterator[str]:
    """Yield `commit:path` for each commit of a log, and for the commit before it, under each name given there."""
    commit = ""
    for entry in log.decode("utf-8", "surrogateescape").split("\0"):
        name = entry.removeprefix("\n")
        if _COMMIT.fullmatch(name):
            commit = name
        elif name:
            yield from (f"{revision}:{path}" for revision in (commit, f"{commit}^") for path in {name, inside})


def _declares_compliance(text: bytes | None) -> bool:
    if text is None:
        return False
    try:
        document = json.loads(text)
    except ValueError:  # YAML, TOML, or a mistake: the key stands at the beginning of a line
        return _COMPLIANCE.search(text) is not None
    return isinstance(document, dict) and document.get("eval_tier") == "compliance"


def _places(folder: str) -> tuple[str, str] | None:
    """Return the top and the common folder of a repository; each is asked for alone where a path holds line breaks."""
    ask = ["rev-parse", "--path-format=absolute"]
    both = run_git(folder, [*ask, "--show-toplevel", "--git-common-dir"])
    if both is None:
        return None
    lines = both.split(b"\n")[:-1]
    if len(lines) != len(("top", "common")):
        lines = [(run_git(folder, [*ask, what]) or b"")[:-1] for what in ("--show-toplevel", "--git-common-dir")]
    return os.fsdecode(lines[0]), os.fsdecode(lines[1])


def _line(output: bytes | None) -> str | None:
    return output.decode("utf-8", "replace").strip() or None if output is not None else None
