"""From a path to an admitted fixture, or to every reason why it is refused; nothing is executed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentic_evals.model.errors import DocumentRejected
from agentic_evals.model.finding import Finding, Severity
from agentic_evals.rules.admission import contract_findings, ordered, refuses
from agentic_evals.rules.parse.fixture import Suite, parse_fixture
from agentic_evals.rules.subject import Rule, Subject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentic_evals.ports import Importer, Workspace
    from agentic_evals.rules.operator import Operators


@dataclass(frozen=True, slots=True)
class Admission:
    """What is known of a fixture before anything runs."""

    path: str
    suite: Suite
    findings: tuple[Finding, ...]
    subject: Subject | None = None

    @property
    def admitted(self) -> bool:
        """Whether the fixture may run."""
        return self.subject is not None and not refuses(self.findings)

    @property
    def exempt(self) -> bool:
        """Whether the fixture declares a kind that the contract does not apply to."""
        return self.subject is not None and self.subject.fixture.eval_kind is not None

    @property
    def sha256(self) -> str:
        """Digest of the fixture's bytes."""
        return hashlib.sha256(self.suite.data).hexdigest()


@dataclass(frozen=True, slots=True)
class Admit:
    """Reads fixtures and asks the contract."""

    workspace: Workspace
    operators: Operators
    rules: Mapping[str, Rule]
    importers: Mapping[str, Importer]

    def __call__(self, path: str, trials: int | None = None, trials_set_by: str | None = None) -> Admission:
        """Read one fixture and ask every rule of the contract.

        `trials` replaces the fixture's own number, so the contract is checked against the value that
        will be used.
        """
        try:
            data = self.workspace.read(path)
        except DocumentRejected as error:
            return Admission(path, Suite(path, b"", error.findings), error.findings)
        suite = parse_fixture(data, path, self.operators)
        if not suite.readable or suite.fixture is None:
            return Admission(path, suite, ordered((*suite.findings, *self._foreign(suite))))
        facts = self.workspace.facts(path)
        in_force = trials if trials is not None else suite.fixture.trials
        subject = Subject(suite.fixture, suite.cases, facts, in_force, trials_set_by)
        findings = ordered((*suite.findings, *contract_findings(subject, self.rules, suite)))
        return Admission(path, suite, findings, subject)

    def _foreign(self, suite: Suite) -> tuple[Finding, ...]:
        """Say what a file is that is no fixture, where some importer recognises it."""
        for importer in self.importers.values():
            what = importer.recognises(suite.document)
            if what is not None:
                first = suite.findings[0].location
                return (Finding("foreign-document", Severity.NOTE, f"this looks like {what}", first),)
        return ()
