"""Reading JSON documents strictly."""

import pytest

from agentic_evals.rules.parse.document import MAX_DEPTH
from agentic_evals.rules.parse.json_text import MAX_BYTES, read_json


def findings(text):
    """Return rule, line and column of each finding."""
    data = text if isinstance(text, bytes) else text.encode()
    read = read_json(data, "any.json")
    return [(finding.rule, finding.location.line, finding.location.column) for finding in read.findings]


def first(text):
    """Return the first finding."""
    return read_json(text.encode(), "any.json").findings[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [("{}", {}), ("\ufeff[1]", [1]), ("1.0", 1.0), ('"\\ud83d\\ude00"', "😀"), ("1" * 1000, int("1" * 1000))],
)
def test_json_is_read(text, value):
    """A byte order mark is passed over, and surrogate pairs are one character."""
    read = read_json(text.encode(), "any.json")

    assert (value, ()) == (read.value, read.findings)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [("json-syntax", 1, 1)]),
        ("{", [("json-syntax", 1, 2)]),
        ('{"a": 1}\n{}', [("json-syntax", 2, 1)]),
        ('{"a": "\0"}', [("json-syntax", 1, 8)]),
        ('{"é": 1,\n "é": 2}', [("json-duplicate-key", 2, 2)]),
        ('{"a": 1, "\\u0061": 2}', [("json-duplicate-key", 1, 10)]),
        ('[{"x": {"a": 1, "a": 1}}, NaN]', [("json-duplicate-key", 1, 17), ("json-not-finite", 1, 27)]),
        ('{"a": [1,\n  NaN, -Infinity, 1e999]}', [("json-not-finite", 2, column) for column in (3, 8, 19)]),
        ('{"é": "é", "b":\t' + "1" * 1001 + "}", [("json-number-too-long", 1, 12)]),
        ('{"a": "\\ud800"}', [("json-lone-surrogate", 1, 2)]),
        ('{"\\udc00": 1}', [("json-lone-surrogate", 1, 1)]),
        (b'{"a":\n "\xc3\xa9\xff"}', [("document-not-utf8", 2, 4)]),
        ('{"a": 1}'.encode("utf-16"), [("document-not-utf8", 1, 1)]),
    ],
)
def test_what_is_no_document_is_refused_where_it_is_not(text, expected):
    """Every oddity has its rule, and line and column counted in characters."""
    assert expected == findings(text)


def test_the_byte_order_mark_is_no_column():
    """An editor does not show it, so it does not count."""
    assert [("json-duplicate-key", 1, 10)] == findings('\ufeff{"a": 1, "a": 2}')


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('{"a": 1,}', "trailing commas"),
        ("[1,\n]", "trailing commas"),
        ('{"a": 1} // x', "comments"),
        ("/* x */ {}", "comments"),
        ("# x\n{}", "comments"),
        ("{'a': 1}", "double quotes"),
        ('"a\nb"', "line break"),
        ("", "empty"),
    ],
)
def test_a_common_mistake_has_its_remedy(text, hint):
    """Comments, trailing commas and other quotes are named as what they are."""
    assert hint in (first(text).hint or "")


def test_nesting_is_limited():
    """A hundred levels are read; more is one finding, however many."""
    fine, deep = (b"[" * levels + b"]" * levels for levels in (MAX_DEPTH, MAX_DEPTH + 1))

    assert [] == findings(fine)
    assert [("document-too-deep", None, None)] == findings(deep)
    assert [("document-too-deep", None, None)] == findings(b"[" * 10_000 + b"]" * 10_000)
    assert [("document-too-deep", None, None)] == findings(b'{"a":' * 100_000)


def test_size_is_limited():
    """More than 16 MiB is refused before anything of it is read."""
    assert [("document-too-large", None, None)] == findings(b"\xff" * (MAX_BYTES + 1))


def test_the_number_of_values_is_limited():
    """A million small values are more than any author wrote."""
    assert [("document-too-many-values", None, None)] == findings(b"[" + b"0," * 1_000_000 + b"0]")


def test_a_long_key_above_many_values_takes_no_memory():
    """Pointers are put together only for what is wrong."""
    text = b'{"' + b"k" * 4_000_000 + b'": [' + b"0," * 200_000 + b"0]}"

    assert [] == findings(text)


def test_repeated_keys_are_listed_up_to_a_limit():
    """Not every one of very many is listed, and the document is refused."""
    found = findings('{"a": 0' + ', "a": 0' * 5000 + "}")

    assert 1000 < len(found) < 1100
