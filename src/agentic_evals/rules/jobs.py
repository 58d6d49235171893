"""A case to the job document that a worker runs: paths, environment, placeholders, limits."""

from __future__ import annotations

import base64
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from agentic_evals.model.canonical import JsonValue
from agentic_evals.model.fixture import DEFAULT_TIMEOUT_SECONDS, Case, Fixture, StdinFile
from agentic_evals.model.trial import Observe, RoomSpec, TrialJob
from agentic_evals.model.workspace import WorkspaceFacts
from agentic_evals.rules.environment import OWN_PREFIX, trial_environment
from agentic_evals.rules.environment import merged as merged_environment
from agentic_evals.rules.operator import CompiledCase

SCHEMA: Final = "agentic_evals.trial_job.v1"
DEFAULT_MAX_OUTPUT: Final = 2 * 1024**3
_DEFAULT_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_TERM_GRACE_MS: Final = 500
_PLACEHOLDER: Final = re.compile(r"\{\{|\}\}|\{(seed|trial|workspace|tmp)\}")
_LATE: Final = {"\x01workspace\x01": "workspace", "\x01tmp\x01": "tmp"}
"""Tokens that only the worker can replace, since only it knows the view and the trial's own folder."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What all jobs of a run share."""

    fixture: Fixture
    facts: WorkspaceFacts
    room: RoomSpec
    caller: Mapping[str, str]
    """The caller's environment."""
    own_prefix: str
    """Folder of this program's own virtual environment."""
    spool: str
    timeout_seconds: float | None = None
    max_output: int = DEFAULT_MAX_OUTPUT


def working_directory(case: Case, facts: WorkspaceFacts) -> str:
    """Return a case's working directory, absolute; it may lie outside the workspace, which a rule refuses."""
    return posixpath.normpath(posixpath.join(facts.root, facts.fixture, case.workdir or "."))


def observed_path(path: str, case: Case, facts: WorkspaceFacts) -> str:
    """Return where an observed file is, absolute."""
    return posixpath.normpath(posixpath.join(working_directory(case, facts), path))


def is_inside(path: str, root: str) -> bool:
    """Return whether an absolute, normalised path is the root or lies below it."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def timeout_seconds(case: Case, default: float | None) -> float:
    """Return how long a case may take, in seconds."""
    return case.timeout_seconds or default or DEFAULT_TIMEOUT_SECONDS


def trial_job(case: CompiledCase, trial: int, seed: int, around: Circumstances) -> TrialJob:
    """Write the job document of one trial (`agentic_evals.trial_job.v1`)."""
    return CaseJobs(case, around).job(trial, seed)


class CaseJobs:
    """Writes the jobs of one case; what its trials have in common is worked out once."""

    def __init__(self, case: CompiledCase, around: Circumstances) -> None:
        """Work out everything that neither the number nor the seed of a trial changes."""
        fixture = around.fixture
        spec = merged_environment(fixture.env, case.case.env)
        environment = trial_environment(around.caller, spec, fixture.credentials, around.own_prefix)
        observes = case.observes
        self._case = case
        self._around = around
        self._variables = dict(environment.variables)
        self._set = dict(spec.set) if spec is not None else {}
        self._observed_as = tuple(wish.path for wish in observes)
        self._shared: dict[str, JsonValue] = {
            "schema": SCHEMA,
            "room": around.room.document(),
            "argv": tuple(case.case.command),
            "cwd": working_directory(case.case, around.facts),
            "tmp_env": ["TMPDIR"],
            "trajectory_env": f"{OWN_PREFIX}TRAJECTORY",
            "replace_tokens": dict(_LATE) if fixture.placeholders else {},
            "stdin": _stdin(case.case, around.facts, str),
            "timeout_ms": max(1, round(timeout_seconds(case.case, around.timeout_seconds) * 1000)),
            "term_grace_ms": _TERM_GRACE_MS,
            "leak_grace_ms": fixture.leak_grace_ms,
            "max_output": around.max_output,
            "spool": around.spool,
            "observe": [_observe_document(wish, case.case, around) for wish in observes],
        }

    def job(self, trial: int, seed: int) -> TrialJob:
        """Write the job of one trial, with its placeholders replaced where the fixture has them."""
        case = self._case
        argv = tuple(case.case.command)
        variables = dict(self._variables)
        document = {**self._shared, "id": f"{case.case.name}/{trial}", "env": variables}
        if self._around.fixture.placeholders:
            fill = _Filler(seed, trial)
            argv = tuple(map(fill, argv))
            variables.update({name: fill(value) for name, value in self._set.items()})
            document |= {"argv": argv, "stdin": _stdin(case.case, self._around.facts, fill)}
        variables[f"{OWN_PREFIX}SEED"] = str(seed)
        return TrialJob(case.index, trial, argv, document, self._observed_as, seed)


def null_job(
    job: TrialJob, entry_points: Mapping[str, str], around: Circumstances, shadow: str | None = None
) -> TrialJob:
    """Return the job that runs without the skill: each entry point (path to `exit0` or `empty`) is replaced.

    `shadow` is a folder of programs that exit 0 in silence; it comes first on the trial's PATH.
    """
    room = replace(around.room, replace=tuple({"path": path, "kind": kind} for path, kind in entry_points.items()))
    document = {**job.document, "room": room.document()}
    if shadow is not None:
        variables = document["env"] if isinstance(document["env"], dict) else {}
        document["env"] = {**variables, "PATH": f"{shadow}:{variables.get('PATH', _DEFAULT_PATH)}"}
    return replace(job, document=document, null=True)


def _observe_document(wish: Observe, case: Case, around: Circumstances) -> dict[str, JsonValue]:
    return {
        "path": observed_path(wish.path, case, around.facts),
        "max_bytes": wish.max_bytes,
        "reread": wish.reread,
        "allow_outside": around.fixture.allow_absolute_paths,
    }


def _stdin(case: Case, facts: WorkspaceFacts, fill: Callable[[str], str]) -> dict[str, JsonValue]:
    if case.stdin is None:
        return {"kind": "closed"}
    if isinstance(case.stdin, StdinFile):
        path = posixpath.normpath(posixpath.join(facts.root, facts.fixture, case.stdin.file))
        return {"kind": "file", "path": path}
    return {"kind": "bytes", "base64": base64.b64encode(fill(case.stdin).encode("utf-8", "surrogatepass")).decode()}


class _Filler:
    """Replaces placeholders; `{{` and `}}` are literal braces."""

    def __init__(self, seed: int, trial: int) -> None:
        self._values = {
            "{seed}": str(seed),
            "{trial}": str(trial),
            "{workspace}": "\x01workspace\x01",
            "{tmp}": "\x01tmp\x01",
            "{{": "{",
            "}}": "}",
        }

    def __call__(self, text: str) -> str:
        return _PLACEHOLDER.sub(lambda match: self._values[match[0]], text)
