"""Reading YAML documents as JSON values."""

import pytest

from agentic_evals.rules.parse.yaml_text import MAX_BYTES, of_pointer, read_yaml


def findings(text):
    """Return rule, pointer, line and column of each finding."""
    read = read_yaml(text if isinstance(text, bytes) else text.encode(), "any.yaml")
    return [(found.rule, found.location.pointer, found.location.line, found.location.column) for found in read.findings]


def rules(text):
    """Return the rules that refuse a text."""
    return [rule for rule, *_ in findings(text)]


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("FALSE", False),
        ("yes", "yes"),
        ("on", "on"),
        ("12", 12),
        ("-12", -12),
        ("012", 12),
        ("0o14", 12),
        ("0xC", 12),
        ("1_000", "1_000"),
        ("1.5", 1.5),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1:30", "1:30"),
        ("2024-01-31", "2024-01-31"),
        ("2024-01-31T10:00:00Z", "2024-01-31T10:00:00Z"),
        ("=", "="),
        ("'12'", "12"),
        ('"true"', "true"),
        ('"\\u00e9\\n"', "é\n"),
    ],
)
def test_scalars_are_those_of_the_core_schema(scalar, value):
    """Dates and `yes` are strings, and whatever is in quotes is a string."""
    read = read_yaml(f"a: {scalar}\n".encode(), "any.yaml")

    assert ({"a": value}, type(value), ()) == (read.value, type(read.value["a"]), read.findings)


def test_block_and_flow_are_read():
    """Both styles, texts over several lines, and aliases."""
    text = b"a: &x [1, {b: c}]\nd:\n  - |\n    one\n    two\n  - >\n    one\n    two\ne: *x\n"

    assert {"a": [1, {"b": "c"}], "d": ["one\ntwo\n", "one two\n"], "e": [1, {"b": "c"}]} == read_yaml(text, "f").value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2\n", [("yaml-duplicate-key", "/b/c", 4, 3)]),
        ("a: 1\n1: 2\n", [("yaml-feature", "", 2, 1)]),
        ("a: {true: 2}\n", [("yaml-feature", "/a", 1, 5)]),
        ("? [a]\n: 1\n", [("yaml-feature", "", 1, 3)]),
        (
            "a: !!str 1\nb: !x {c: d}\n",
            [("yaml-feature", "/a", 1, 4), ("yaml-feature", "/b", 2, 4)],
        ),
        ("a: ! x\n", [("yaml-feature", "/a", 1, 4)]),
        ("a: &a {b: 1}\nc:\n  <<: *a\n", [("yaml-feature", "/c", 3, 3)]),
        ("a: 1\n---\nb: 2\n", [("yaml-feature", "", 2, 1)]),
        ("%YAML 1.1\n---\na: 1\n", [("yaml-feature", "", 2, 1)]),
        (
            "a: [.inf, -.INF, .nan]\n",
            [("json-not-finite", f"/a/{index}", 1, column) for index, column in ((0, 5), (1, 11), (2, 18))],
        ),
        ("a: 1e999\n", [("json-not-finite", "/a", 1, 1)]),
        ("a: " + "1" * 1001, [("json-number-too-long", "/a", 1, 1)]),
        ("a: 0x" + "f" * 1000, [("json-number-too-long", "/a", 1, 1)]),
        ('a: "\\ud83d\\ude00"\n', [("json-lone-surrogate", "/a", 1, 1)]),
        ("a: *b\n", [("yaml-syntax", "/a", 1, 4)]),
        ("a: &b [*b]\n", [("yaml-syntax", "/a/0", 1, 8)]),
        ("a: [1\n", [("yaml-syntax", "/a/1", 2, 1)]),
        ("\ta: 1\n", [("yaml-syntax", "", 1, 1)]),
        ("a: b: c\n", [("yaml-syntax", "", 1, 5)]),
        ("a: \0\n", [("yaml-syntax", "", 1, 4)]),
        (b"a: \xff\n", [("document-not-utf8", "", 1, 4)]),
        (b"x" * (MAX_BYTES + 1), [("document-too-large", "", None, None)]),
    ],
)
def test_what_json_does_not_have_is_refused_where_it_stands(text, expected):
    """Each has its rule and its place."""
    assert expected == findings(text)


def test_several_problems_are_found_at_once():
    """One reading names them all."""
    assert ["yaml-duplicate-key", "yaml-feature", "yaml-feature"] == rules("a: 1\na: 2\n3: 4\nb: !t 1\n")


def test_nesting_is_limited():
    """A hundred levels are read, in either style; more is one finding, however many."""
    assert [] == findings("[" * 100 + "]" * 100)
    assert ["document-too-deep"] == rules("[" * 101 + "]" * 101)
    assert ["document-too-deep"] == rules("[" * 10_000)
    assert ["document-too-deep"] == rules("{a: " * 10_000)
    assert ["document-too-deep"] == rules("- " * 10_000)
    assert ["document-too-deep"] == rules("\n".join(" " * level + "a:" for level in range(600)))


def test_an_alias_counts_as_a_copy():
    """Nine lines that stand for a billion values are refused before they are one."""
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 10)
    )

    assert ["document-too-many-values"] == rules(bomb)


def test_aliases_do_not_hide_depth():
    """Nesting that aliases put together is nesting."""
    deep = "a0: &a0 [x]\n" + "".join(f"a{level}: &a{level} [*a{level - 1}]\n" for level in range(1, 120))

    assert ["document-too-deep"] == rules(deep)


def test_a_run_of_tags_takes_no_time():
    """What the scanner would take minutes for is refused unread."""
    assert ["yaml-feature"] == rules("!" * 400_000)


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", (2, 1)),
        ("/version", (2, 1)),
        ("/cases", (3, 1)),
        ("/cases/0", (4, 5)),
        ("/cases/0/name", (4, 5)),
        ("/cases/0/command/1", (5, 24)),
        ("/cases/0/expected/exit_code", (7, 7)),
        ("/cases/0/no/such", (4, 5)),
        ("/cases/1", (8, 5)),
        ("/cases/1/a~1b/1", (8, 18)),
        ("/again", (9, 1)),
        ("/again/a~1b/0", (8, 15)),
    ],
)
def test_a_pointer_leads_to_line_and_column(pointer, place):
    """To the key where there is one; inside an alias to where the value is written."""
    text = """# é
version: 2
cases:
  - name: é
    command: [python3, x.py]
    expected:
      exit_code: 0
  - &x {a/b: [1, 2]}
again: *x
"""

    assert place == of_pointer(text.encode(), pointer)
