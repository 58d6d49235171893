"""What holds for every document, in all three syntaxes."""

import io
import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from agentic_evals import wiring
from agentic_evals.model.canonical import json_equal
from agentic_evals.rules.parse.fixture import parse_fixture
from agentic_evals.rules.parse.json_text import read_json
from agentic_evals.rules.parse.positions import escape
from agentic_evals.rules.parse.syntax import of_pointer, syntax_of
from agentic_evals.rules.parse.toml_text import read_toml
from agentic_evals.rules.parse.yaml_text import read_yaml

CHARACTERS = st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t")
TEXT = st.text(CHARACTERS, max_size=8)
TRICKY = st.sampled_from(
    ["yes", "no", "null", "~", "1", "1.0", "0x1", "2024-01-01", "<<", "- a", "a: b", "#", "é😀", "'", '"', "\\"]
)
STRINGS = TEXT | TRICKY
SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    STRINGS,
)


def tree(scalars):
    """Return documents whose leaves are these."""
    return st.dictionaries(
        STRINGS,
        st.recursive(
            scalars,
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
            max_leaves=10,
        ),
        max_size=4,
    )


WITHOUT_NULL = tree(SCALARS)
DOCUMENTS = tree(SCALARS | st.none())


def quoted(text):
    """Write a string as TOML and YAML both read it."""
    return (
        '"'
        + re.sub(
            r'[\x00-\x1f\x7f-\x9f"\\\u2028\u2029\ufeff\ufffe\uffff]', lambda match: f"\\u{ord(match[0]):04x}", text
        )
        + '"'
    )


def toml(value):
    """Write a value of TOML, on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(key)} = {toml(item)}" for key, item in value.items()) + "}"
    return repr(value).replace("e", ".0e") if re.fullmatch(r"-?\d+e[-+]?\d+", repr(value)) else repr(value)


def toml_document(document):
    """Write a TOML document; tables and lists of tables have headers."""
    plain = [f"{quoted(key)} = {toml(value)}" for key, value in document.items() if not is_table(value)]
    tables = []
    for key, value in document.items():
        if is_table(value):
            many = isinstance(value, list)
            for item in value if many else [value]:
                head = f"[[{quoted(key)}]]" if many else f"[{quoted(key)}]"
                tables += ["", head, *(f"{quoted(name)} = {toml(inner)}" for name, inner in item.items())]
    return "\n".join([*plain, *tables]) + "\n"


def is_table(value):
    """Tell whether a value is written under headers."""
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)
    )


def yaml_document(document):
    """Write a YAML document in block style, as another program does."""
    stream = io.StringIO()
    writer = YAML()
    writer.width = 10_000
    writer.dump(document, stream)
    return stream.getvalue()


def same(left, right):
    """Compare types too: 1 is not 1.0 where a model asks for an integer."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


@given(document=DOCUMENTS)
@settings(deadline=None)
def test_json_and_yaml_are_the_same_document(document):
    """What JSON says, YAML says in its own words, and JSON's words are YAML too."""
    read = read_json(json.dumps(document).encode(), "a.json")

    assert (True, ()) == (same(document, read.value), read.findings)
    if not any("\x7f" <= character <= "\x9f" for character in json.dumps(document, ensure_ascii=False)):
        flow = read_yaml(json.dumps(document, ensure_ascii=False).encode(), "a.yaml")
        assert json_equal(document, flow.value) or flow.findings


@given(document=DOCUMENTS)
@settings(deadline=None)
def test_yaml_that_another_program_wrote_is_the_same_document(document):
    """Block style, quotes where they are needed, texts over several lines."""
    read = read_yaml(yaml_document(document).encode(), "a.yaml")

    refused = {finding.rule for finding in read.findings}
    assert json_equal(document, read.value) or refused <= {"yaml-feature", "yaml-syntax"}
    assert "<<" in json.dumps(document) or not refused


@given(document=WITHOUT_NULL)
@settings(deadline=None)
def test_json_and_toml_are_the_same_document(document):
    """What JSON says without null, TOML says in its own words."""
    read = read_toml(toml_document(document).encode(), "a.toml")

    assert () == read.findings
    assert same(document, read.value)


@given(
    names=st.lists(STRINGS.filter(bool), min_size=1, max_size=3, unique=True),
    words=st.lists(STRINGS.filter(lambda text: "\0" not in text), min_size=1, max_size=3),
    needle=STRINGS.filter(bool),
    equals=SCALARS,
)
@settings(deadline=None)
def test_a_fixture_in_three_syntaxes_is_one_fixture(names, words, needle, equals):
    """Cases and expectations are equal, whatever the file is called."""
    document = {
        "version": 2,
        "skill": "any",
        "cases": [
            {
                "name": name,
                "type": "positive",
                "command": words,
                "expected": {
                    "exit_code": 0,
                    "stdout_contains": [needle],
                    "artifacts": [{"path": "out", "json_pointer": "/a", "equals": equals}],
                },
            }
            for name in names
        ],
    }
    texts = {"a.json": json.dumps(document), "a.yaml": yaml_document(document), "a.toml": toml_document(document)}
    suites = [parse_fixture(text.encode(), file, wiring.operators()) for file, text in texts.items()]

    assert [()] * 3 == [suite.findings for suite in suites]
    assert suites[0].fixture == suites[1].fixture == suites[2].fixture
    specs = [[[check.spec for check in case.checks] for case in suite.cases] for suite in suites]
    assert specs[0] == specs[1] == specs[2]


@given(document=WITHOUT_NULL)
@settings(deadline=None)
def test_every_value_has_a_place_of_its_own_line(document):
    """In all three syntaxes, a key of the top level is found on the line where it is written."""
    texts = {
        "a.json": json.dumps(document, indent=1, ensure_ascii=False),
        "a.toml": toml_document({key: [value] for key, value in document.items()}),
    }
    for file, text in texts.items():
        for key in document:
            line, column = of_pointer(text.encode(), file, f"/{escape(key)}")
            written = json.dumps(key, ensure_ascii=False) if file == "a.json" else quoted(key)
            assert text.split("\n")[line - 1][column - 1 :].lstrip("[").startswith(written)


@given(data=st.binary(max_size=80), file=st.sampled_from(["a.json", "a.yaml", "a.toml"]))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_a_document_or_a_finding(data, file):
    """Nothing crashes, and every finding has the file's name."""
    read = syntax_of(file).read(data, file)

    assert all(file == finding.location.file and finding.message for finding in read.findings)


@given(
    text=st.text(st.sampled_from(list("{}[]:,-?&*!|>'\"#%@`=.ab10 \n\t")), max_size=60),
    file=st.sampled_from(["a.json", "a.yaml", "a.toml"]),
)
@settings(max_examples=600, deadline=None)
def test_any_punctuation_is_a_document_or_a_finding(text, file):
    """The signs that the syntaxes are made of, in any order, crash neither the reader nor the search for places."""
    suite = parse_fixture(text.encode(), file, wiring.operators())

    assert suite.findings
    assert of_pointer(text.encode(), file, "/a/0")[0] >= 1
