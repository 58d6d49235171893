"""Classes of evidence, criticality, and the capability claims and seams that a fixture declares."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

EvidenceClass: TypeAlias = Literal[
    "deterministic",
    "property_or_fuzz",
    "fault_injected_deterministic",
    "live_e2e",
    "adversarial_live_e2e",
    "human_evaluation",
]
Criticality: TypeAlias = Literal["critical", "important", "optional"]
Text: TypeAlias = Annotated[str, StringConstraints(min_length=1)]


class Part(BaseModel):
    """A part of a document that a person writes: exact types, frozen, unknown keys kept for the rules."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")


class Exemption(Part):
    """A dated reason why a class of evidence is missing; it never makes a claim proven."""

    evidence_class: EvidenceClass
    reason_code: Text | None = None
    justification: Text | None = None
    owner: Text | None = None
    expires: Text | None = None


def _live_by_default() -> dict[EvidenceClass, bool] | list[EvidenceClass]:
    return ["live_e2e"]


class CapabilityClaim(Part):
    """A capability that a skill says it has, and the classes of evidence that would prove it."""

    id: Text
    description: Text | None = None
    invariant: Text | None = None
    criticality: Criticality
    evidence_required: dict[EvidenceClass, bool] | list[EvidenceClass] = Field(default_factory=_live_by_default)
    exemptions: list[Exemption] = Field(default_factory=list)
    value_bearing: bool = False
    claim_semantics: Text | None = None
    representations: JsonValue = None
    domain_profile: JsonValue = None
    admitted_evidence: JsonValue = None


class Seam(Part):
    """A load-bearing place of a skill whose failure some guard must be able to see."""

    seam_id: Text
    seam_type: Text
    criticality: Criticality
    required_evidence: list[EvidenceClass] = Field(min_length=1)
    description: Text | None = None
    failure_modes: list[Text] = Field(default_factory=list)
    incidents: JsonValue = None
    last_proven: JsonValue = None
