"""Names within one fixture that must be unique or must lead somewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentic_evals.model.finding import Finding, Location, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentic_evals.model.evidence import CapabilityClaim
    from agentic_evals.model.fixture import Fixture


def broken(fixture: Fixture) -> Iterator[Finding]:
    """Yield a finding for each repeated name and each reference to something undeclared."""
    yield from _repeated([case.name for case in fixture.cases], "/cases/{}/name", "case-name-duplicate")
    yield from _repeated(
        [claim.id for claim in fixture.capability_claims], "/capability_claims/{}/id", "claim-duplicate"
    )
    yield from _repeated([seam.seam_id for seam in fixture.seams], "/seams/{}/seam_id", "seam-duplicate")
    for index, claim in enumerate(fixture.capability_claims):
        if not _asks_for_evidence(claim):
            yield _error(
                "claim-without-evidence",
                f"claim {claim.id!r} asks for no class of evidence",
                f"/capability_claims/{index}/evidence_required",
                "Name at least one class, or leave the key out: then `live_e2e` is asked for.",
            )
    claims = {claim.id for claim in fixture.capability_claims}
    for index, case in enumerate(fixture.cases):
        yield from _undeclared(case.supports_claims, claims, f"/cases/{index}/supports_claims", "claim-undeclared")
    seams = {seam.seam_id for seam in fixture.seams}
    for index, case in enumerate(fixture.cases):
        yield from _undeclared(case.seams, seams, f"/cases/{index}/seams", "seam-undeclared")


def _asks_for_evidence(claim: CapabilityClaim) -> bool:
    required = claim.evidence_required
    return any(required.values()) if isinstance(required, dict) else bool(required)


def _repeated(names: Sequence[str], pointer: str, rule: str) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        if name in first:
            message = f"{name!r} is already the name of number {first[name] + 1}"
            yield _error(rule, message, pointer.format(index), "Give each its own name.")
        first.setdefault(name, index)


def _undeclared(names: Sequence[str], declared: set[str], pointer: str, rule: str) -> Iterator[Finding]:
    for index, name in enumerate(names):
        if name not in declared:
            yield _error(rule, f"{name!r} is not declared", f"{pointer}/{index}", "Declare it, or correct the name.")


def _error(rule: str, message: str, pointer: str, hint: str) -> Finding:
    return Finding(rule, Severity.ERROR, message, Location("", pointer), hint)
