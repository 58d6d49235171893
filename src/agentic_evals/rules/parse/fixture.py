"""Fixture bytes to a suite that can be run, or to every problem at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from agentic_evals.model.finding import Finding, Location, Severity, errors
from agentic_evals.model.fixture import Fixture
from agentic_evals.rules.operator import REQUIRED_KEY, Check, CompiledCase, Operator, Operators
from agentic_evals.rules.parse import references
from agentic_evals.rules.parse.document import MOST_LISTED
from agentic_evals.rules.parse.positions import escape
from agentic_evals.rules.parse.problems import from_validation, place
from agentic_evals.rules.parse.syntax import syntax_of
from agentic_evals.rules.parse.unknown_keys import nearest, shown, unknown_keys

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Suite:
    """A fixture as far as it could be read: usable when no finding is an error."""

    file: str
    data: bytes
    findings: tuple[Finding, ...]
    fixture: Fixture | None = None
    cases: tuple[CompiledCase, ...] = ()
    document: Any = None
    """The value that the text stands for, where it could be read at all."""

    @property
    def readable(self) -> bool:
        """Whether the contract can be asked."""
        return self.fixture is not None and not errors(self.findings)


def parse_fixture(data: bytes, file: str, operators: Operators) -> Suite:
    """Read a fixture (product specification, section 4); nothing is executed and nothing is guessed.

    The file's name says whether it is JSON, YAML or TOML; the model is the same.
    """
    text = syntax_of(file).read(data, file)
    if text.findings:
        return Suite(file, data, _listed(list(text.findings)))
    document: Any = text.value
    if not isinstance(document, dict):
        whole = Finding("fixture-value", Severity.ERROR, "a fixture is one object", Location(file, "", 1, 1))
        return Suite(file, data, (whole,), document=document)
    findings = list(islice(unknown_keys(Fixture, document), MOST_LISTED + 1))
    fixture: Fixture | None = None
    try:
        fixture = Fixture.model_validate(document)
    except ValidationError as error:
        findings += from_validation(error, document)
    cases, expectation_findings = _compile(document, fixture, operators)
    findings += expectation_findings
    if fixture is not None:
        findings += islice(references.broken(fixture), MOST_LISTED + 1)
    return Suite(file, data, place(_listed(findings), data, file), fixture, cases, document)


def _listed(findings: list[Finding]) -> tuple[Finding, ...]:
    """Leave findings out where there are too many to read, errors last; such a document is refused in any case."""
    if len(findings) <= MOST_LISTED:
        return tuple(findings)
    kept = sorted(findings, key=lambda finding: -finding.severity)[:MOST_LISTED]
    message = f"more than {MOST_LISTED:,} problems; the rest are not listed"
    return (*kept, Finding("document-too-many-problems", Severity.ERROR, message, Location("", "", 1, 1)))


def _compile(
    document: dict[str, Any], fixture: Fixture | None, operators: Operators
) -> tuple[tuple[CompiledCase, ...], list[Finding]]:
    findings: list[Finding] = []
    compiled: list[CompiledCase] = []
    written = document.get("cases")
    for index, raw in enumerate(written if isinstance(written, list) else ()):
        expected = raw.get("expected") if isinstance(raw, dict) else None
        if not isinstance(expected, dict):
            continue  # the model has said so
        pointer = f"/cases/{index}/expected"
        if REQUIRED_KEY not in expected:
            hint = "Every case states the exit code it expects."
            findings.append(
                Finding("exit-code-required", Severity.ERROR, "`exit_code` is required", Location("", pointer), hint)
            )
        checks = tuple(_checks(expected, pointer, operators, findings))
        if len(findings) > MOST_LISTED:
            break
        if fixture is not None:
            compiled.append(CompiledCase(index, fixture.cases[index], checks))
    return tuple(compiled), findings


def _checks(expected: dict[str, Any], pointer: str, operators: Operators, findings: list[Finding]) -> Iterator[Check]:
    for key, value in expected.items():
        if len(findings) > MOST_LISTED:
            return
        inner = f"{pointer}/{escape(key)}"
        if key not in operators:
            findings.append(_unknown_expectation(key, inner, operators))
            continue
        operator = operators[key]
        try:
            spec = _adapter(operator).validate_python(value, strict=True)
        except ValidationError as error:
            findings += from_validation(error, value, inner)
            continue
        findings += (
            Finding("expectation-value", Severity.ERROR, message, Location("", inner + below))
            for below, message in operator.check(spec)
        )
        yield Check(operator, spec)


def _unknown_expectation(key: str, pointer: str, operators: Operators) -> Finding:
    meant = nearest(key, operators)
    hint = f"Did you mean {meant!r}?" if meant else f"Known expectations: {', '.join(sorted(operators))}."
    message = f"no such expectation: {shown(key)}; one that is not evaluated would hold for everything"
    return Finding("unknown-expectation", Severity.ERROR, message, Location("", pointer), hint)


@cache
def _adapter(operator: Operator) -> TypeAdapter[Any]:
    return TypeAdapter(operator.spec)
