"""Reading TOML documents as JSON values."""

import pytest

from agentic_evals.rules.parse.toml_text import MAX_BYTES, of_pointer, read_toml


def findings(text):
    """Return rule, pointer, line and column of each finding."""
    read = read_toml(text if isinstance(text, bytes) else text.encode(), "any.toml")
    return [(found.rule, found.location.pointer, found.location.line, found.location.column) for found in read.findings]


def rules(text):
    """Return the rules that refuse a text."""
    return [rule for rule, *_ in findings(text)]


def test_toml_is_read():
    """Tables, lists of tables, inline tables and texts; a byte order mark is passed over."""
    text = "\ufeffa.b = 1\n[[c]]\nd = [1.5, 'x', {e = true}]\n[c.f]\ng = '''\nh'''\n"

    assert {"a": {"b": 1}, "c": [{"d": [1.5, "x", {"e": True}], "f": {"g": "h"}}]} == read_toml(
        text.encode(), "f"
    ).value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1\na = 2\n", [("toml-syntax", "", 2, 6)]),
        ("a = null\n", [("toml-syntax", "", 1, 5)]),
        ("a = 'x", [("toml-syntax", "", 1, 7)]),
        ("a = '\0'", [("toml-syntax", "", 1, 6)]),
        ('a = "\\ud800"', [("toml-syntax", "", 1, 12)]),
        ("[a]\n[a]\n", [("toml-syntax", "", 2, 3)]),
        ("x = 1\na = [1, 1979-05-27]\n", [("toml-datetime", "/a/1", 2, 9)]),
        ("a = 1979-05-27T07:32:00Z\n", [("toml-datetime", "/a", 1, 1)]),
        ("[a]\nb = 07:32:00\n", [("toml-datetime", "/a/b", 2, 1)]),
        ("a = [inf, nan]\n", [("json-not-finite", "/a/0", 1, 6), ("json-not-finite", "/a/1", 1, 11)]),
        ("a = 1e999\n", [("json-not-finite", "/a", 1, 1)]),
        ("a = " + "1" * 1001, [("json-number-too-long", "/a", 1, 1)]),
        ("a = " + "1" * 100_000, [("json-number-too-long", "", None, None)]),
        (b"a = '\xff'", [("document-not-utf8", "", 1, 6)]),
        (b"x" * (MAX_BYTES + 1), [("document-too-large", "", None, None)]),
    ],
)
def test_what_json_does_not_have_is_refused_where_it_stands(text, expected):
    """Each has its rule and its place."""
    assert expected == findings(text)


def test_nesting_is_limited():
    """Lists, inline tables, headers and dotted keys: more than a hundred levels are one finding, however many."""
    assert [] == findings("a = " + "[" * 98 + "]" * 98)
    assert ["document-too-deep"] == rules("a = " + "[" * 101 + "]" * 101)
    assert ["document-too-deep"] == rules("a = " + "[" * 10_000)
    assert ["document-too-deep"] == rules("a = " + "{a = " * 10_000)
    assert ["document-too-deep"] == rules("[" + ".".join("a" * 10_000) + "]")
    assert ["document-too-deep"] == rules(".".join("a" * 10_000) + " = 1")
    assert ["document-too-deep"] == rules(".".join("a" * 200_000))
    assert ["document-too-deep"] == rules("\n".join(f"k{line}." + ".".join("a" * 900) + " = 1" for line in range(200)))


def test_dots_in_a_text_are_no_nesting():
    """Only what could be a key is counted."""
    text = "a = '''\n" + ("." * 79 + "\n") * 6000 + "'''\n"

    assert [] == findings(text)


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", (1, 1)),
        ("/version", (2, 1)),
        ("/é.b", (3, 1)),
        ("/env", (5, 1)),
        ("/env/set/A", (6, 5)),
        ("/cases", (8, 1)),
        ("/cases/0", (8, 1)),
        ("/cases/0/command/1", (10, 24)),
        ("/cases/0/command/2", (11, 3)),
        ("/cases/0/expected", (13, 1)),
        ("/cases/0/expected/exit_code", (14, 1)),
        ("/cases/0/expected/artifacts/0/equals/b/1", (15, 46)),
        ("/cases/0/expected/artifacts/1/path", (16, 4)),
        ("/cases/0/no/such", (8, 1)),
        ("/cases/1", (17, 1)),
        ("/cases/1/name", (18, 1)),
    ],
)
def test_a_pointer_leads_to_line_and_column(pointer, place):
    """To the key or the header where there is one."""
    text = r'''# é
version = 2
"\u00e9.b" = 1

[env]
set.A = "1"

[[cases]]
name = "a # no comment"
command = ["é ]\" , ", 'x.py', # a comment ]
  """several " lines
"""", ]
[cases.expected]
exit_code = 0
artifacts = [ {path = "a", equals = {b = [1, 2]}},
  {path = "b"} ]
[[cases]]
name = "b"
'''

    assert place == of_pointer(text.encode(), pointer)
