"""The fixture, version 2: the public document that a skill author writes (product specification, section 4)."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue, StringConstraints

from agentic_evals.model.evidence import CapabilityClaim, EvidenceClass, Part, Seam, Text

VERSION = 2
DEFAULT_TRIALS = 3
DEFAULT_TIMEOUT_SECONDS = 30.0
DEFAULT_LEAK_GRACE_MS = 200

CaseType: TypeAlias = Literal["positive", "negative", "adversarial"]
EvalKind: TypeAlias = Literal["runner_selftest", "scaffold"]
IsolationLevel: TypeAlias = Literal["auto", "none", "process", "namespace"]
WorkspaceMode: TypeAlias = Literal["auto", "overlay", "copy", "shared"]
RecorderMode: TypeAlias = Literal["auto", "off", "trace"]
Grade: TypeAlias = Literal["enforced", "verified", "recorded", "observed", "none"]
Guarantee: TypeAlias = Literal[
    "timeout",
    "no_survivors",
    "dies_with_runner",
    "workspace_private",
    "writes_confined",
    "network_denied",
    "fork_limit",
    "memory_limit",
    "cpu_limit",
    "file_size_limit",
    "execs",
    "opens",
    "connections",
]
MutationFlag: TypeAlias = Literal[
    "test_mutated",
    "locator_healed",
    "locator_changed",
    "step_changed",
    "assertion_changed",
    "fixture_input_changed",
    "exclusion_changed",
    "evidence_requirement_changed",
    "expected_output_changed",
    "oracle_changed",
    "fixture_changed",
    "case_ownership_changed",
    "category_map_changed",
    "proof_command_changed",
    "readiness_logic_changed",
    "test_exclusion_changed",
    "protected_surface_changed",
]
Marker: TypeAlias = Annotated[str, StringConstraints(min_length=4)]
Argument: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
PathText: TypeAlias = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\x00]+$")]


class ProofScope(Part):
    """What the whole fixture proves and does not prove, in the author's words."""

    proves: Text | list[Text] | None = None
    does_not_prove: Text | list[Text] | None = None


class Environment(Part):
    """Which variables a trial sees."""

    inherit: Literal["all", "none"] | list[Text] = "all"
    set: dict[Text, Argument] = Field(default_factory=dict)


class Isolation(Part):
    """How far a trial is kept apart, asked for by name."""

    level: IsolationLevel = "auto"
    workspace: WorkspaceMode = "auto"
    recorder: RecorderMode = "auto"
    require: dict[Guarantee, Grade] = Field(default_factory=dict)


class StdinFile(Part):
    """Standard input from a file, relative to the fixture's folder."""

    file: PathText


class Provenance(Part):
    """How the case came to be what it is since it was last admitted."""

    execution_mode: Literal["exploration", "regression_replay", "test_repair"] = "regression_replay"
    prior_test_source_sha256: Text | None = None
    prior_oracle_sha256: Text | None = None
    mutations: dict[MutationFlag, bool] = Field(default_factory=dict)


class Fault(Part):
    """What is broken where, for fault-injected evidence."""

    kind: Text
    at: Text
    description: Text | None = None
    inject: JsonValue = None
    control: Text | None = None


class Case(Part):
    """One command, the circumstances it runs in, and what must be seen of it."""

    name: Text
    type: CaseType
    command: list[Argument] = Field(min_length=1)
    expected: dict[str, JsonValue]
    required: bool = True
    timeout_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False, le=604_800)] | None = None
    real_world: bool = False
    must_exercise: list[Text] = Field(default_factory=list)
    evidence_class: EvidenceClass | None = None
    supports_claims: list[Text] = Field(default_factory=list)
    seams: list[Text] = Field(default_factory=list)
    readback: bool = False
    blocked_when_stdout_contains: list[Marker] = Field(default_factory=list)
    infra_blocked_when: list[Marker] = Field(default_factory=list)
    fault: Fault | None = None
    representation: JsonValue = None
    data_generator: Text | None = None
    mocked: bool = False
    uses_stub: bool = False
    provenance: Provenance | None = None
    execution_mode: Text | None = None
    mutation_provenance: JsonValue = None
    repair: JsonValue = None
    external_result: JsonValue = None
    provider_result: JsonValue = None
    generated_test_lineage: JsonValue = None
    category: Text | None = None
    stdin: str | StdinFile | None = None
    env: Environment | None = None
    workdir: PathText | None = None
    reuses: list[PathText] = Field(default_factory=list)
    detects: list[Text] = Field(default_factory=list)
    attestation: JsonValue = None
    isolation: Isolation | None = None
    non_deterministic: bool | None = None
    description: JsonValue = None
    notes: JsonValue = None
    proves: JsonValue = None
    does_not_prove: JsonValue = None


class Fixture(Part):
    """A whole suite: the manifest and its cases."""

    version: Literal[2]
    skill: Text
    trials: Annotated[int, Field(ge=1, le=1_000_000)] = DEFAULT_TRIALS
    cases: list[Case] = Field(min_length=1)
    proof_scope: Text | None = None
    claims: ProofScope | None = None
    eval_kind: EvalKind | None = None
    eval_tier: Literal["compliance"] | None = None
    capability_claims: list[CapabilityClaim] = Field(default_factory=list)
    seams: list[Seam] = Field(default_factory=list)
    what_was_exercised: JsonValue = None
    what_remains_unverified: JsonValue = None
    application_identity: JsonValue = None
    mocked: bool = False
    live: bool = False
    isolation: Isolation | None = None
    env: Environment | None = None
    credentials: list[Text] = Field(default_factory=list)
    allow_absolute_paths: bool = False
    placeholders: bool = False
    leak_grace_ms: Annotated[int, Field(ge=0, le=60_000)] = DEFAULT_LEAK_GRACE_MS
    description: JsonValue = None
    notes: JsonValue = None
    proves: JsonValue = None
    does_not_prove: JsonValue = None

    @property
    def required_cases(self) -> tuple[Case, ...]:
        """The cases that readiness is scored on."""
        return tuple(case for case in self.cases if case.required)
