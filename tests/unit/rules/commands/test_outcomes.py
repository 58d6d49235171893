"""What a command is known to print, and whether it is known to succeed."""

import pytest

from agentic_evals.rules.commands import parse_command
from agentic_evals.rules.commands.outcomes import constant_test, output_of, status_of_test


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("echo a  'b c'", "a b c\n"),
        ("echo -n a", "a"),
        ("echo -e 'a\\tb'", "a\tb\n"),
        ("printf '%s\\n' a b", "a\nb\n"),
        ("printf 'x%%y'", "x%y"),
        ("printf -- '%s' a", "a"),
        ("printf '%05d' 1", None),
        ("echo $x", None),
        ("echo a > f", None),
        ("echo a 2> f", "a\n"),
        ("cat <<E\nx\nE", "x\n"),
        ("cat - <<< x", "x\n"),
        ("cat file", None),
        ("./run.sh", None),
    ],
)
def test_literal_output_is_known(text, printed):
    """Of `echo`, `printf` and `cat` with a here-document; of nothing else."""
    assert printed == output_of(parse_command(["bash", "-c", text]).commands[0])


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        ("", False),
        ("a", True),
        ("-z a", False),
        ("-n a", True),
        ("! -n a", False),
        ("a = a", True),
        ("a != a", False),
        ("1 -lt 2", True),
        ("2 -le 1", False),
        ("-f a", None),
        ("a -nt b", None),
        ("a -o b -a c", None),
    ],
)
def test_constant_tests_are_decided(words, holds):
    """Those that look at files are not."""
    assert holds is constant_test(words.split())


@pytest.mark.parametrize(
    ("raw", "holds"),
    [("[ a = b ]", False), ("[[ a == a ]]", True), ("[[ $x == a ]]", None), ("[[ a == a* ]]", None), ("[ 'x ]", None)],
)
def test_brackets_are_read_as_they_are_written(raw, holds):
    """An expansion or a pattern leaves it open."""
    assert holds is status_of_test(raw)
