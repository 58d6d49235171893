"""Reading fixtures: one model, three syntaxes, every problem at once."""

import json

import pytest

from agentic_evals import wiring
from agentic_evals.model.finding import Severity
from agentic_evals.rules.parse.fixture import parse_fixture

JSON = """{
  "version": 2,
  "skill": "words",
  "cases": [
    {
      "name": "counts",
      "type": "positive",
      "command": ["python3", "count.py"],
      "expected": {"exit_code": 0, "stdout_contains": ["words: 3"]}
    }
  ]
}
"""
YAML = """
version: 2
skill: words
cases:
  - name: counts
    type: positive
    command: [python3, count.py]
    expected:
      exit_code: 0
      stdout_contains: ["words: 3"]
"""
TOML = """
version = 2
skill = "words"
[[cases]]
name = "counts"
type = "positive"
command = ["python3", "count.py"]
expected = {exit_code = 0, stdout_contains = ["words: 3"]}
"""


def parse(text, file="any.json"):
    """Read a fixture."""
    data = text if isinstance(text, bytes) else text.encode()
    return parse_fixture(data, file, wiring.operators())


def placed(suite):
    """Return rule, pointer and line of each finding."""
    return [(finding.rule, finding.location.pointer, finding.location.line) for finding in suite.findings]


def test_three_syntaxes_are_one_fixture():
    """The same document is the same fixture with the same expectations."""
    suites = [parse(text, file) for text, file in ((JSON, "a.json"), (YAML, "a.yaml"), (TOML, "a.toml"))]

    assert [True] * 3 == [suite.readable for suite in suites]
    assert suites[0].fixture == suites[1].fixture == suites[2].fixture
    assert suites[0].document == suites[1].document == suites[2].document
    assert 1 == len({str([(check.pointer, check.spec) for check in suite.cases[0].checks]) for suite in suites})


@pytest.mark.parametrize(
    ("text", "file", "lines"),
    [
        (
            JSON.replace('"words: 3"', '""').replace('"positive"', '"fine"').replace('"skill"', '"skil"'),
            "a.json",
            (3, 7, 9),
        ),
        (YAML.replace('"words: 3"', '""').replace("positive", "fine").replace("skill", "skil"), "a.yaml", (3, 6, 10)),
        (
            TOML.replace('"words: 3"', '""').replace('"positive"', '"fine"').replace("skill", "skil"),
            "a.toml",
            (3, 6, 8),
        ),
    ],
)
def test_every_problem_is_placed_in_each_syntax(text, file, lines):
    """One reading names them all, each with pointer and line."""
    unknown, wrong_type, empty = lines
    top = 1 if file.endswith(".json") else 2 if file.endswith(".yaml") else 1

    assert [
        ("unknown-key", "/skil", unknown),
        ("fixture-missing-key", "/skill", top),
        ("fixture-value", "/cases/0/type", wrong_type),
        ("fixture-value", "/cases/0/expected/stdout_contains/0", empty),
    ] == placed(parse(text, file))


@pytest.mark.parametrize("file", ["a.json", "a.yaml", "a.toml"])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"\xff\xfe",
        b"[" * 10_000,
        b"{" * 10_000,
        b'{"a":' * 10_000,
        b"a = " + b"[" * 10_000,
        b"- " * 10_000,
        b"9" * 50_000,
        b"a = " + b"9" * 50_000,
        b"a: " + b"9" * 50_000,
        b'"\\ud800"',
        b"1e999",
        b"a = 1e999",
        b"// comment\n{}",
        b'{"a": 1,}',
        b"x" * 20_000_000,
        b"\xef\xbb\xbf",
        b"---\n---\n",
        b"a: &a [*a]",
        b"a = 1\r\nb = \r",
        b"null",
        b"[]",
        b"true",
    ],
)
def test_a_hostile_document_is_a_finding(file, data):
    """Whatever comes, it is refused with a reason and never with a traceback."""
    suite = parse(data, file)

    assert not suite.readable
    assert any(finding.severity is Severity.ERROR for finding in suite.findings)


def test_an_unknown_expectation_is_an_error():
    """It would hold for everything; the nearest known one is named."""
    (finding,) = parse(JSON.replace("stdout_contains", "stdout_contain")).findings

    assert ("unknown-expectation", "/cases/0/expected/stdout_contain") == (finding.rule, finding.location.pointer)
    assert "stdout_contains" in finding.hint


def test_the_exit_code_is_required():
    """A case without it is refused at its expectations."""
    assert [("exit-code-required", "/cases/0/expected", 9)] == placed(parse(JSON.replace('"exit_code": 0, ', "")))


def test_a_document_that_is_no_object_is_one_finding():
    """There is nothing else to say about it."""
    assert [("fixture-value", "", 1)] == placed(parse("[]"))


@pytest.mark.parametrize(
    "change",
    [
        {f"key {number}": 0 for number in range(5000)},
        {"cases": [{}] * 5000},
        {"cases": [{}] * 100_000},
        {"cases": [{"name": "a", "type": "positive", "command": ["x"], "expected": {f"k{n}": 0 for n in range(5000)}}]},
        {"cases": [{"name": "a", "type": "positive", "command": ["x"], "expected": {"exit_code": 0}}] * 3000},
        {"credentials": [0] * 100_000},
        {"k" * 1_000_000: 0},
    ],
)
def test_very_many_problems_take_bounded_time(change):
    """Not every one is listed where no author made so many, and errors come before warnings."""
    document = {**json.loads(JSON), **change}

    found = parse(json.dumps(document)).findings

    assert 0 < len(found) <= 1001
    assert len(change) == 1 or found[-1].rule == "document-too-many-problems"


def test_what_is_left_out_refuses_the_fixture():
    """A thousand warnings do not hide an error behind them."""
    document = {**json.loads(JSON), **{f"remark {number}": 0 for number in range(2000)}}
    document["cases"][0]["expected"]["no_such"] = 1

    suite = parse(json.dumps(document))

    assert not suite.readable
    assert Severity.ERROR is suite.findings[0].severity
