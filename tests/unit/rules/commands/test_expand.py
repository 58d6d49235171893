"""Words: what is certain of them after quoting and expansion."""

import pytest

from agentic_evals.rules.commands import parse_command


def words(text, program="./r"):
    """Return the arguments of the last call of the program."""
    commands = parse_command(["bash", "-c", text]).commands
    return next(command.arguments for command in reversed(commands) if command.program_path == program)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("./r a 'b c' \"d e\"", ["a", "b c", "d e"]),
        ("./r a\\ b 'it'\"'\"'s'", ["a b", "it's"]),
        ("./r $'a\\tb\\x41\\u00e9\\n'", ["a\tbA\u00e9\n"]),
        ('./r "a\\"b" "\\$x" "\\n"', ['a"b', "$x", "\\n"]),
        ("./r '' \"\"", ["", ""]),
        ("x=a; ./r $x ${x} \"$x\" '$x' pre$x.post", ["a", "a", "a", "$x", "prea.post"]),
        ("x='a b'; ./r $x \"$x\"", ["a", "b", "a b"]),
        ("x=' a '; ./r 1$x'2'", ["1", "a", "2"]),
        ('x=; ./r $x "$x"', [""]),
        ("x=a; x+=b; ./r $x", ["ab"]),
        ("a=(x 'y z'); ./r \"${a[@]}\"", ["x", "y z"]),
        ("a=(x); a+=(y); ./r ${a[@]}", ["x", "y"]),
        ("./r {a,b}.json x{1,2}{3,4}", ["a.json", "b.json", "x13", "x14", "x23", "x24"]),
        ("./r {seed}", ["{seed}"]),
        ('f() { ./r "$1" "$@"; }; f a \'b c\'', ["a", "a", "b c"]),
        ("bash -c './r $1' name x", ["x"]),
        ("set -- p q; ./r $2", ["q"]),
        ("x=$(echo hi); ./r $x", ["hi"]),
        ("x=$(printf '%s-%s' a b); ./r $x", ["a-b"]),
        ("./r $(dirname a/b/c) $(basename a/b/c)", ["a/b", "c"]),
        ('./r "$PWD/x"', ["{cwd}/x"]),
        ('cd a; ./r "$(pwd)/x"', ["{cwd}/a/x"]),
        ("x=; ./r ${x:-d}", ["d"]),
        ("x=v; ./r ${x:-d}", ["v"]),
        ("export X=1; bash -c './r $X'", ["1"]),
        ("X=1 bash -c './r $X'", ["1"]),
        ("f() { local x=b; }; x=a; f; ./r $x", ["a"]),
    ],
)
def test_what_is_certain_is_resolved(text, expected):
    """Quotes are removed, and literal values take the place of their variables."""
    assert expected == [word.text for word in words(text)]


@pytest.mark.parametrize(
    "text",
    [
        "./r $x",
        "./r ${x}",
        "./r ${x#a}",
        "x=a; if ./o; then x=b; fi; ./r $x",
        "x=a; for i in 1 2; do x=b; done; ./r $x",
        "x=a; ./o || x=b; ./r $x",
        "read x; ./r $x",
        "x=$(./o); ./r $x",
        "./r *.json",
        "./r ?",
        "./r $((1 + 1))",
        "./r ${x:-d}",
        "./r $?",
        "./r {1..3}",
        "x=a; bash -c './r $x'",
        "x=a; unset x; ./r $x",
        "x=1; ((x++)); ./r $x",
        "x=aaaaaaaaaaaaaaaa;" + "x=$x$x;" * 60 + "./r $x",
    ],
)
def test_what_is_not_certain_is_unknown(text):
    """A value that depends on the run, the environment or the files is None."""
    assert [None] == [word.text for word in words(text)]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("x=a; if ./o; then x=b; fi; ./r $x", {"a", "b"}),
        ("for f in a b; do ./r d/$f; done", {"d/a", "d/b"}),
        ("./r d/*.json", {"d/*.json"}),
        ("./r ${x:-d}", {"\x00", "d"}),
    ],
)
def test_what_a_word_may_be_is_kept(text, options):
    """Alternatives are not lost: what is fed in one of them is still fed."""
    assert options == set(words(text)[0].options)


@pytest.mark.parametrize(
    ("text", "sampled"),
    [
        ("./r $RANDOM", True),
        ("./r a-${RANDOM}-b", True),
        ('./r "$SRANDOM"', True),
        ("./r $((RANDOM % 9))", True),
        ("x=$RANDOM; ./r $x", True),
        ("x=$RANDOM; y=$x; ./r $y", True),
        ("./r $(echo $RANDOM)", True),
        ("./r '$RANDOM'", False),
        ("./r \\$RANDOM", False),
        ("RANDOM=7; ./r $RANDOM", False),
        ("./r $OTHER", False),
        ("sh -c './r $RANDOM'", False),
        ("bash -c './r $RANDOM'", True),
        ("x='$RANDOM'; ./r $x", False),
    ],
)
def test_random_is_sampled_where_it_is_evaluated(text, sampled):
    """Not in single quotes, not when it is set, not in a shell that has none."""
    assert [sampled] == [word.sampled for word in words(text)]


def test_no_shell_looks_at_argv():
    """Without a shell, a dollar is a dollar."""
    parsed = parse_command(["./r", "$RANDOM", "*.json", "a b"])

    assert ["$RANDOM", "*.json", "a b"] == [word.text for word in parsed.commands[0].arguments]
    assert not any(word.sampled for word in parsed.commands[0].words)
