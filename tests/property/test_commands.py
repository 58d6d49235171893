"""What holds of parsed commands for any text."""

import shlex
from pathlib import PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentic_evals.rules.commands import (
    Facts,
    Reach,
    commands_from_markdown,
    invocations,
    is_trivial,
    literal_words,
    must_exercise,
    parse_command,
    samples,
    stub_inputs,
    writes_by_trivial_program,
)

FACTS = Facts(
    PurePosixPath("a"),
    PurePosixPath("a"),
    "/work/repo",
    frozenset({"a/run.sh", "a/fixtures/x.json", "a/m.py", "a/tests/test_x.py"}),
    programs=frozenset({"mytool"}),
)
TOKENS = st.sampled_from(
    """
    ./run.sh echo true false exit return break cd .. f f() { } ( ) ; ;; & && || | ! if then elif else fi while for in do
    done case esac x=1 x=$(a) $x "$x" $RANDOM '$RANDOM' $( ` " ' \\ # > >> < << <<< EOF 2>&1 [[ ]] [ ] (( )) eval source
    bash -c env timeout 5 A=b xargs uv run python -m pytest fixtures/x.json *.json {a,b} --samples 64 --help --out alias
    trap set -e exec "$@" ${x:-y} x=(a) function
    """.split()
)
SOUP = st.lists(st.one_of(TOKENS, st.sampled_from([" ", "\n", "\t"])), max_size=40).map(" ".join)
TEXTS = st.one_of(st.text(max_size=60), SOUP)
COMMANDS = st.sampled_from(
    [
        "./run.sh x",
        "./run.sh 'a b' --in fixtures/x.json",
        "python m.py --help",
        "python -m m",
        "pytest tests",
        "mytool do",
        "curl https://a.example/x",
        "./run.sh --samples 64",
    ]
)


def invoked(argv):
    """Return what a command invokes, without the place where it was found."""
    found = invocations(parse_command(argv), FACTS)
    return [(each.kind, each.name, each.paths, each.only_help, each.reach) for each in found]


@given(st.lists(TEXTS, max_size=5), st.none() | TEXTS)
@example(["bash", "-c", "\ud800"], "\ud800")
@example(["bash", "-c", "\x00"], None)
@example([], None)
@example([""], "")
def test_any_argv_is_parsed(argv, stdin):
    """Nothing raises, and the same command is always parsed alike."""
    parsed = parse_command(argv, stdin)

    assert parsed == parse_command(argv, stdin)
    for command in parsed.commands:
        is_trivial(command)
    invocations(parsed, FACTS)
    stub_inputs(parsed, FACTS, ["out"])
    samples(parsed)
    writes_by_trivial_program(parsed, ["out", "a/../out"], FACTS)
    must_exercise("./run.sh x", parsed)


@given(TEXTS)
def test_any_shell_text_is_parsed(text):
    """What is no shell text is a problem, and then there is no evidence."""
    parsed = parse_command(["bash", "-c", "--", text])

    assert text == parsed.shell_text
    invocations(parsed, FACTS)
    stub_inputs(parsed, FACTS)
    samples(parsed)
    writes_by_trivial_program(parsed, ["out"], FACTS)


@given(TEXTS)
def test_any_markdown_is_read(text):
    """In a block, in a block without an end, and in prose; what is found is never empty."""
    for framed in (text, f"```bash\n{text}\n```", f"```\n$ {text}", f"`{text}`"):
        programs, origins = commands_from_markdown(framed)

        assert all(programs)
        assert all("://" in origin for origin in origins)


@given(COMMANDS, st.lists(st.sampled_from(["env", "bash", "timeout", "nice", "env -i A=b", "sh", "nohup"]), max_size=4))
def test_wrapping_changes_nothing(command, wrappers):
    """A wrapper, or a shell around it, starts the same program."""
    text = command
    for wrapper in wrappers:
        if wrapper in {"bash", "sh"}:
            text = f"{wrapper} -c {shlex.quote(text)}"
        else:
            text = f"{wrapper} 5 {text}" if wrapper == "timeout" else f"{wrapper} {text}"

    assert invoked(shlex.split(command)) == invoked(shlex.split(text))


@given(COMMANDS, st.text(st.characters(blacklist_characters="\n\r\x00", codec="utf-8"), max_size=40))
def test_a_comment_changes_nothing(command, comment):
    """Whatever it says."""
    assert invoked(["bash", "-c", command]) == invoked(["bash", "-c", f"{command} # {comment}"])
    assert invoked(["bash", "-c", command]) == invoked(["bash", "-c", f"# {comment}\n{command}"])


@given(COMMANDS, st.text(st.characters(blacklist_characters="\x00", codec="utf-8"), max_size=40))
def test_a_quoted_word_invokes_nothing(command, text):
    """Whatever it holds."""
    assert invoked(["bash", "-c", command]) == invoked(["bash", "-c", f"echo {shlex.quote(text)}; {command}"])


@given(
    COMMANDS,
    st.sampled_from(["exit 0;", "false &&", "true ||", "exec true;", "set -n;", "if false; then :; fi; exit;"]),
)
def test_nothing_is_reached_behind_a_dead_end(command, before):
    """A command that never runs is no evidence."""
    found = invocations(parse_command(["bash", "-c", f"{before} {command}"]), FACTS)

    assert {Reach.DEAD} == {each.reach for each in found}


@given(COMMANDS, st.sampled_from(["x ||", "if x; then", "for i in a; do", "while x; do", "case $x in a)"]))
def test_nothing_is_surely_reached_under_a_condition(command, before):
    """A body may run, or may not."""
    end = {"if": "; fi", "fo": "; done", "wh": "; done", "ca": ";; esac"}.get(before[:2], "")
    found = invocations(parse_command(["bash", "-c", f"{before} {command}{end}"]), FACTS)

    assert {Reach.CONDITIONAL} == {each.reach for each in found if each.name != "x"}


@given(st.text(st.characters(blacklist_characters="\x00", codec="utf-8"), min_size=1, max_size=30), st.booleans())
def test_a_needle_in_the_command_is_found_in_its_literal_words(needle, quoted):
    """An oracle that looks for it could not fail."""
    argv = ["bash", "-c", f"echo {shlex.quote(needle)}"] if quoted else ["./run.sh", f"a{needle}b"]

    assert any(needle in piece for piece in literal_words(argv))


@pytest.mark.parametrize(
    "fragment",
    [
        "(",
        "$(",
        "{ ",
        "if a; then ",
        "x=(",
        "a|",
        "a && ",
        "`",
        '"',
        "'",
        "<<a ",
        ">@(",
        "${x:-",
        "eval ",
        "f(){ f;};f;",
        "a ",
    ],
)
def test_a_long_text_ends(fragment):
    """100 kB of anything is read or refused, without recursion and in bounded time."""
    parsed = parse_command(["bash", "-c", fragment * (100_000 // len(fragment))])

    assert len(parsed.commands) <= 100_000
