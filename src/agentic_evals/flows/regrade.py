"""A recorded run to the same verdicts, offline: nothing runs, and no verdict file is read."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from agentic_evals.flows.about import MANIFEST_SCHEMA
from agentic_evals.flows.keeping import quotation_of
from agentic_evals.model.errors import IntegrityBroken
from agentic_evals.model.report import FindingReport
from agentic_evals.rules.judge import judge
from agentic_evals.rules.parse.fixture import Suite, parse_fixture
from agentic_evals.rules.parse.syntax import kept_name, of_pointer
from agentic_evals.rules.record import capture_from, carried_decisions, made
from agentic_evals.rules.reporting import Circumstance, JudgedTrial, run_report

if TYPE_CHECKING:
    from agentic_evals.model.record import TrialRecord
    from agentic_evals.model.report import RunReport
    from agentic_evals.ports import EvidenceStore, RunFolder
    from agentic_evals.rules.operator import CompiledCase, Operators


@dataclass(frozen=True, slots=True)
class Regrade:
    """The flow of `regrade`."""

    store: EvidenceStore
    operators: Operators

    def __call__(self, path: str) -> RunReport:
        """Judge every recorded trial again.

        Raises:
            DocumentRejected: the folder is no run folder.
            IntegrityBroken: something in it is missing or not what it was.

        """
        folder = self.store.open(path)
        about = _circumstance(folder)
        suite = self._suite(folder, about)
        judged: dict[int, list[JudgedTrial]] = defaultdict(list)
        nulls: dict[int, list[JudgedTrial]] = defaultdict(list)
        for kept in folder.records():
            case = _case_of(kept, suite)
            again = _judged_again(kept, case, folder)
            if kept.null:
                nulls[kept.case_index].append(again)
                continue
            _expect(kept, {other.record.trial for other in judged[kept.case_index]}, about)
            judged[kept.case_index].append(again)
        if suite.fixture is None:
            message = "the recorded fixture cannot be read"
            raise IntegrityBroken(message)
        return run_report(suite.fixture, suite.cases, judged, about, partial(of_pointer, suite.data, suite.file), nulls)

    def _suite(self, folder: RunFolder, about: Circumstance) -> Suite:
        data = folder.load(kept_name(about.source))
        if hashlib.sha256(data).hexdigest() != about.fixture_sha256:
            message = "the recorded fixture is not the one that was run"
            raise IntegrityBroken(message)
        suite = parse_fixture(data, about.source, self.operators)
        if not suite.readable:
            message = "the recorded fixture cannot be read by this version"
            raise IntegrityBroken(message)
        return suite


def _case_of(kept: TrialRecord, suite: Suite) -> CompiledCase:
    case = suite.cases[kept.case_index] if 0 <= kept.case_index < len(suite.cases) else None
    if case is None or case.case.name != kept.case:
        message = f"a trial is recorded of a case that the fixture does not have: {kept.case!r}"
        raise IntegrityBroken(message)
    return case


def _expect(kept: TrialRecord, known: set[int], about: Circumstance) -> None:
    if kept.trial in known or not 1 <= kept.trial <= about.trials:
        why = "twice" if kept.trial in known else f"although {about.trials} were run"
        message = f"trial {kept.trial} of {kept.case!r} is recorded {why}"
        raise IntegrityBroken(message)


def _judged_again(kept: TrialRecord, case: CompiledCase, folder: RunFolder) -> JudgedTrial:
    try:
        capture, carried = capture_from(kept, folder.read), carried_decisions(kept)
    except ValueError as error:
        message = f"the record of {kept.case!r}, trial {kept.trial}, is none: {error}"
        raise IntegrityBroken(message) from error
    verdict = judge(case, capture, carried)
    return JudgedTrial(kept, verdict, quotation_of(capture.stdout), quotation_of(capture.stderr))


def _circumstance(folder: RunFolder) -> Circumstance:
    try:
        document: Any = json.loads(folder.load("manifest.json"))
    except ValueError as error:
        message = f"{folder.path}/manifest.json is not JSON"
        raise IntegrityBroken(message) from error
    if not isinstance(document, dict) or document.pop("schema", None) != MANIFEST_SCHEMA:
        message = f"{folder.path}/manifest.json is not a {MANIFEST_SCHEMA}"
        raise IntegrityBroken(message)
    try:
        about = made(Circumstance, document)
        for found in about.findings:
            made(FindingReport, found)
    except ValueError as error:
        message = f"{folder.path}/manifest.json is not what was written: {error}"
        raise IntegrityBroken(message) from error
    return about
