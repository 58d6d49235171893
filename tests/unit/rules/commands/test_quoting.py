"""Quote removal."""

import pytest

from agentic_evals.rules.commands import quoting


@pytest.mark.parametrize(
    ("unquote", "source", "value"),
    [
        (quoting.bare, "a\\ b\\\\c\\\nd", "a b\\cd"),
        (quoting.double_quoted, '\\$x \\"y\\" \\n \\\\', '$x "y" \\n \\'),
        (quoting.here_document, '\\$x \\"y\\"', '$x \\"y\\"'),
        (quoting.ansi_quoted, "\\t\\x41\\101\\u00e9\\U0001F600\\cA\\'\\q", "\tAA\u00e9\U0001f600\x01'\\q"),
        (quoting.ansi_quoted, "a\\0b\\UFFFFFFFF", "ab"),
    ],
)
def test_each_kind_of_quotes_has_its_escapes(unquote, source, value):
    """A backslash means something else in each of them."""
    assert value == unquote(source)


@pytest.mark.parametrize(
    ("source", "glob"), [("*.json", True), ("a?", True), ("[ab]", True), ("\\*", False), ("[", False), ("a", False)]
)
def test_patterns_are_told_from_text(source, glob):
    """An escaped star is a star."""
    assert glob is quoting.is_glob(source)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("a{b,c}d", ["abd", "acd"]),
        ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
        ("{a}", ["{a}"]),
        ("a", ["a"]),
        ("{,x}y", ["y", "xy"]),
    ],
)
def test_lists_in_braces_are_unfolded(source, words):
    """A single item in braces is no list."""
    assert words == list(quoting.brace_alternatives(source))
