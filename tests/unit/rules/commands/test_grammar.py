"""The grammar: trees for what bash accepts, reasons for the rest, and bounds for what is hostile."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import agentic_evals
from agentic_evals.rules.commands import parse_command
from agentic_evals.rules.commands.grammar import Node, parse_shell


def test_the_text_of_a_node_is_its_source():
    """Places are counted in characters, whatever they are."""
    tree = parse_shell("echo 'é' ü")

    assert ["echo", "'é'", "ü"] == [child.text for child in tree.children[0].children]


@pytest.mark.parametrize("text", ["'", "if", "a &&", "(", "$(", "${", "a )"])
def test_an_error_is_a_reason(text):
    """A text that does not parse has no tree."""
    assert "does not parse" in parse_shell(text)


@pytest.mark.parametrize("text", ["\u00b2{\U0010d136\n", "\u00b2{a", "echo \ud800", "\uffff\u3000=x", "x\u00e9=1"])
def test_no_character_beyond_ascii_breaks_the_scanner(text):
    """The parser never sees them, and the words keep them."""
    result = parse_shell(text)

    assert isinstance(result, str) or text.strip() == result.text.strip()


def test_a_name_beyond_ascii_is_no_variable():
    """Bash takes the assignment for a command, and so do we."""
    command = parse_command(["bash", "-c", "x\u00e9=1 ./run.sh"]).commands[0]

    assert ["x\u00e9=1", "./run.sh"] == [word.text for word in command.words]


def test_a_here_document_ends_at_its_own_mark():
    """Marks beyond ASCII look alike to the parser, and are refused."""
    assert parse_command(["bash", "-c", "cat <<\u00c9\n\u00c8\n./run.sh\n\u00c9"]).problems


def test_an_error_is_placed():
    """The reason names the line."""
    assert "line 3" in parse_shell("a\nb\nc )\n")


@pytest.mark.parametrize(
    "text",
    [
        "a\x00b",
        "#" * 1_000_001,
        "x=(" * 1000,
        "a|" * 2000,
        "`" * 1000,
        ">@(" * 30_000,
        "(" * 5000 + "a" + ")" * 5000,
        "$(" * 5000 + "a" + ")" * 5000,
        "if a; then " * 5000 + "b;" + " fi;" * 5000,
        "${x:-" * 5000 + "}" * 5000,
    ],
    ids=["nul", "big", "arrays", "pipes", "backticks", "tangled", "subshells", "substitutions", "ifs", "defaults"],
)
def test_hostile_text_is_refused_at_once(text):
    """Nothing sends the parser round for ever, and depth costs no stack."""
    assert isinstance(parse_shell(text), str)


@pytest.mark.parametrize(
    "text",
    ["a && " * 5000 + "./b", "a;" * 5000 + "./b", "./b " + "x " * 50_000, "./b '" + "x" * 100_000 + "'"],
    ids=["list", "sequence", "words", "string"],
)
def test_long_text_is_walked(text):
    """Length alone is no reason."""
    assert "./b" == parse_command(["bash", "-c", text]).commands[-1].program_path


@pytest.mark.parametrize(
    "text",
    [
        "f0(){ :; };" + "".join(f"f{n}(){{ f{n - 1}; f{n - 1}; }};" for n in range(1, 40)) + "f39",
        "f() { f; f; }; f",
        "eval " * 20_000,
        "a=(1 2 3);" + 'a+=("${a[@]}" "${a[@]}");' * 40 + "./r ${a[@]}",
        "{a,b}" * 40,
        'f() { ./r "$@" "$@"; }; g() { f "$@" "$@"; }; g 1 2 3',
    ],
    ids=["doubling", "recursion", "eval", "arrays", "braces", "parameters"],
)
def test_nothing_unfolds_without_end(text):
    """A short text that stands for a very long one is given up."""
    assert len(parse_command(["bash", "-c", text]).commands) < 20_000


def test_descendants_keep_the_order_of_the_source():
    """A node comes before what is below it, and the left before the right."""
    tree = parse_shell("a b; c")

    assert ["a", "b", "c"] == [node.text for node in tree.descendants() if node.kind == "word"]


def test_a_node_is_found_among_its_children():
    """The first child of a kind, or none."""
    tree = parse_shell("a b")

    assert isinstance(tree.child("command"), Node)
    assert tree.child("list") is None
    assert "command" == tree.first


def test_an_argv_without_a_shell_loads_no_grammar():
    """Start-up time is a feature: the parser is imported when shell text appears."""
    program = (
        "import sys; from agentic_evals.rules.commands import parse_command;"
        "parse_command(['env', 'A=b', './run.sh']); print('tree_sitter' in sys.modules);"
        "parse_command(['bash', '-c', 'a']); print('tree_sitter' in sys.modules)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(agentic_evals.__file__).parents[1])}
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )

    assert ["False", "True"] == result.stdout.split()
