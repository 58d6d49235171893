"""Command lines: the precedence of the shell, whatever the grammar nests."""

import pytest

from agentic_evals.rules.commands.found import Unreadable
from agentic_evals.rules.commands.grammar import parse_shell
from agentic_evals.rules.commands.lines import pipelines, split_lines


def shape(text):
    """Write a line as operators and pipelines."""
    node = parse_shell(text).children[0]
    return [
        (
            item.operator.strip(),
            "!" * item.negations + "|".join(stage.node.text if stage.node else "" for stage in item.stages),
        )
        for item in pipelines(node)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a && b || c", [("", "a"), ("&&", "b"), ("||", "c")]),
        ("a | b | c && d", [("", "a|b|c"), ("&&", "d")]),
        ("a && b 2>&1 | c && d 2>&1 | e", [("", "a"), ("&&", "b|c"), ("&&", "d|e")]),
        ("a || b | c", [("", "a"), ("||", "b|c")]),
        ("! a | b && c", [("", "!a|b"), ("&&", "c")]),
        ("a && ! b", [("", "a"), ("&&", "!b")]),
        ("a |& b", [("", "a|b")]),
        ("cat <<E && b\nx\nE", [("", "cat"), ("&&", "b")]),
        ("cat <<E | b && c\nx\nE", [("", "cat|b"), ("&&", "c")]),
        ("a && cat <<E || b\nx\nE", [("", "a"), ("&&", "cat"), ("||", "b")]),
    ],
)
def test_pipes_bind_tighter_than_and_or(text, expected):
    """Pipelines are joined by `&&` and `||` from the left."""
    assert expected == shape(text)


def test_redirections_belong_to_the_command_before_them():
    """Also where the grammar puts the whole line below them."""
    items = pipelines(parse_shell("a && b > x | c 2> y").children[0])

    assert [[0], [1, 1]] == [[len(stage.redirects) for stage in item.stages] for item in items]


def test_words_after_a_here_document_are_arguments():
    """`cat <<E -` has an argument."""
    items = pipelines(parse_shell("cat <<E -n\nx\nE").children[0])

    assert ["-n"] == [word.text for word in items[0].stages[0].words]


def test_a_negation_inside_a_pipeline_is_an_error():
    """Bash refuses it, and so nothing of the text runs."""
    with pytest.raises(Unreadable):
        pipelines(parse_shell("a | ! b").children[0])


def test_one_line_is_one_command():
    """A backslash joins lines, a line end does not."""
    assert 1 == len(split_lines(parse_shell("a \\\n b").children[0]))
