"""What the contract says of several fixtures, as one report; nothing is executed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agentic_evals.model.errors import ExitCode
from agentic_evals.model.report import CheckedFixture, FindingsReport
from agentic_evals.rules.reporting import finding_reports

if TYPE_CHECKING:
    from agentic_evals.flows.admit import Admission


def findings_report(admissions: Sequence[Admission], tool: Mapping[str, str]) -> FindingsReport:
    """Put together what was found; the exit code is 0 only where every fixture is admitted."""
    admitted = all(admission.admitted for admission in admissions)
    return FindingsReport(
        fixtures=tuple(map(_checked, admissions)),
        exit_code=ExitCode.OK if admitted else ExitCode.REJECTED,
        tool=tool,
    )


def _checked(admission: Admission) -> CheckedFixture:
    fixture = admission.suite.fixture
    contract = "exempt" if admission.exempt else "met"
    return CheckedFixture(
        path=admission.path,
        admitted=admission.admitted,
        contract=contract if admission.admitted else "broken",
        sha256=admission.sha256,
        cases=len(fixture.cases) if fixture is not None else None,
        findings=finding_reports(admission.findings),
    )
