"""Every operator of the catalogue: its examples, its key, its page, its schema."""

import pytest
from pydantic import TypeAdapter

from agentic_evals import wiring
from agentic_evals.rules.operator import Evidence
from agentic_evals.rules.schemas import fixture_schema
from tests.unit.rules.expectations.asking import a_case

OPERATORS = sorted(wiring.operators().items())
EXAMPLES = [(key, number) for key, operator in OPERATORS for number in range(len(operator.examples))]


def of(key, number):
    """Return an operator, the value of one of its examples as it is read, and the example."""
    operator = wiring.operators()[key]
    example = operator.examples[number]
    return operator, TypeAdapter(operator.spec).validate_python(example.value, strict=True), example


def test_the_specification_names_every_operator():
    """Whatever the specification names below `expected` is there."""
    specified = {
        "artifacts",
        "exit_code",
        "max_duration_seconds",
        "safety_constraints",
        "stderr_contains",
        "stderr_excludes",
        "stderr_matches",
        "stdout_contains",
        "stdout_excludes",
        "stdout_json",
        "stdout_matches",
        "trajectory_must_include",
    }

    assert set() == specified - {key for key, _ in OPERATORS}


@pytest.mark.parametrize(("key", "operator"), OPERATORS)
def test_an_operator_has_the_key_of_its_file_and_an_example(key, operator):
    """The file's name is the key, and nobody gets in without an example."""
    assert (key, True) == (operator.key, bool(operator.examples))


@pytest.mark.parametrize(("key", "number"), EXAMPLES)
def test_the_value_of_an_example_is_accepted(key, number):
    """Nothing is wrong with the value itself."""
    operator, spec, _ = of(key, number)

    assert () == operator.check(spec)


@pytest.mark.parametrize(("key", "number"), EXAMPLES)
def test_an_example_passes_where_it_says_so(key, number):
    """Every decision on the capture that must be accepted holds."""
    operator, spec, example = of(key, number)

    decided = operator.judge(spec, Evidence(a_case(**example.case), example.passes))

    assert [] == [decision for decision in decided if not decision.holds]
    assert decided


@pytest.mark.parametrize(("key", "number"), EXAMPLES)
def test_an_example_fails_where_it_says_so(key, number):
    """Some decision on the capture that must be refused does not hold, and it is no mere unknown."""
    operator, spec, example = of(key, number)

    decided = operator.judge(spec, Evidence(a_case(**example.case), example.fails))

    assert [decision for decision in decided if not decision.holds and not decision.unenforced]


@pytest.mark.parametrize(("key", "number"), EXAMPLES)
def test_each_decision_has_a_place_of_its_own(key, number):
    """Pointers do not repeat, so that a decision can be carried over by its pointer."""
    operator, spec, example = of(key, number)

    pointers = [decision.pointer for decision in operator.judge(spec, Evidence(a_case(), example.passes))]

    assert sorted(set(pointers)) == sorted(pointers)


@pytest.mark.parametrize("key", [key for key, _ in OPERATORS])
def test_an_operator_has_a_page(key, checkout):
    """docs/reference/expectations has a page that names the key, and the index links it."""
    folder = checkout / "docs/reference/expectations"

    assert f"# {key}\n" in (folder / f"{key}.md").read_text()
    assert f"[`{key}`]({key}.md)" in (folder / "index.md").read_text()


@pytest.mark.parametrize(("key", "operator"), OPERATORS)
def test_what_decides_is_named(key, operator):
    """`looks_at` names what the judge reads of a capture, so that redacted evidence is recognised."""
    expected = {
        "artifacts": {"files"},
        "stdout_json": {"stdout", "files"},
        "trajectory_must_include": {"trajectory", "argv"},
        "safety_constraints": {"stdout", "stderr"},
        "exit_code": set(),
        "max_duration_seconds": set(),
    }.get(key, {key.partition("_")[0]})

    assert expected == operator.looks_at


def test_the_schema_of_a_fixture_describes_every_operator():
    """The schema has each operator's value with its summary, and nothing beside them."""
    schema = fixture_schema(wiring.operators())["$defs"]["Case"]["properties"]["expected"]

    assert [key for key, _ in OPERATORS] == sorted(schema["properties"])
    assert all(schema["properties"][key]["description"] == operator.summary for key, operator in OPERATORS)
    assert schema["additionalProperties"] is False
