"""Which commands of a shell text are reached: decoys are not, whatever they look like."""

import pytest

from agentic_evals.rules.commands import Reach, parse_command

REACHED = [
    "./run.sh",
    "true; ./run.sh",
    "cd . && ./run.sh",
    "./other && ./run.sh",
    "./run.sh || echo no",
    "./run.sh | cat",
    "echo x | ./run.sh",
    "(./run.sh)",
    "{ ./run.sh; }",
    "! ./run.sh",
    "./run.sh &",
    "x=$(./run.sh)",
    'echo "$(./run.sh)"',
    "echo `./run.sh`",
    "echo $(( $(./run.sh) + 1 ))",
    "echo ${x:-$(./run.sh)}",
    "diff <(./run.sh) <(true)",
    "echo x > >(./run.sh)",
    "cat <<EOF\n$(./run.sh)\nEOF",
    "export x=$(./run.sh)",
    "[[ $(./run.sh) == x ]]",
    "if ./run.sh; then :; fi",
    "while ./run.sh; do break; done",
    "case $(./run.sh) in x) ;; esac",
    "for x in $(./run.sh); do :; done",
    "f() { ./run.sh; }; f",
    "function f { ./run.sh; }; f",
    "f() ( ./run.sh ); f x | cat",
    "f() { g; }; g() { ./run.sh; }; f",
    "f() { return 0; }; f; ./run.sh",
    'f() { [ -n "$1" ] || return 0; }; f; ./run.sh',
    "f() { ./run.sh; f; }; f",
    "exec ./run.sh",
    "exec > log; ./run.sh",
    "eval './run.sh'",
    "set -euo pipefail; ./run.sh",
    "set -e; ./other; ./run.sh",
    "./other || exit 1; ./run.sh",
    "./other || { echo no >&2; exit 2; }; ./run.sh",
    "if ! command -v jq; then echo no; exit 2; fi; ./run.sh",
    "(exit 0); ./run.sh",
    "exit 0 | cat; ./run.sh",
    "exit 0 & ./run.sh",
    "trap 'rm -f x' EXIT; ./run.sh",
    "true && ./run.sh",
    "false; ./run.sh",
    "! false && ./run.sh",
    "a=b ./run.sh",
    "cat <<EOF && ./run.sh\nx\nEOF",
    "cat <<'EOF' | ./run.sh > out\nx\nEOF",
    "cat <<EOF > out\nx\nEOF\n./run.sh",
    "a | b | c && ./run.sh",
    "a && b 2>&1 | c && ./run.sh 2>&1 | d",
    "./run.sh \\\n  --flag",
    "bash -c './run.sh'",
    "bash -c \"bash -c './run.sh'\"",
    "echo './run.sh' | bash",
    "bash <<EOF\n./run.sh\nEOF",
    "bash <<< './run.sh'",
    "command ./run.sh",
    "time ./run.sh",
    "\\./run.sh",
    "'./run.sh'",
    "./'run'.sh",
    "x() { :; }; unset -f x; ./run.sh",
    "break; ./run.sh",
]

CONDITIONAL = [
    "./other || ./run.sh",
    "if ./other; then ./run.sh; fi",
    "if ./other; then :; else ./run.sh; fi",
    "if ./other; then :; elif ./run.sh; then :; fi",
    "if true; then ./run.sh; fi",
    "for x in a b; do ./run.sh; done",
    "for ((i = 0; i < 3; i++)); do ./run.sh; done",
    "while ./other; do ./run.sh; done",
    "until ./other; do ./run.sh; done",
    "select x in a b; do ./run.sh; done",
    "case $x in a) ./run.sh ;; esac",
    "case a in *) ./run.sh ;; esac",
    "./other && exit 0; ./run.sh",
    "./other && exit 1; ./run.sh",
    "./other || exit 0; ./run.sh",
    "if ./other; then exit 0; fi; ./run.sh",
    "for x in a; do exit 1; done; ./run.sh",
    "case $x in a) exit 0 ;; esac; ./run.sh",
    "f() { ./other && exit 0; }; f; ./run.sh",
    "trap ./run.sh EXIT",
    "find . -exec ./run.sh {} +",
    "echo x | xargs ./run.sh",
    "if ./other; then f() { ./run.sh; }; fi; f",
    "return; ./run.sh",
    "if ./other; then false; fi && ./run.sh",
    "(./other && exit 1; :) && ./run.sh",
]

DEAD = [
    "true || ./run.sh",
    "false && ./run.sh",
    "echo x || ./run.sh",
    "false && true && ./run.sh",
    "! true && ./run.sh",
    "exit 0; ./run.sh",
    "exit; ./run.sh",
    "{ exit; }; ./run.sh",
    "exec true; ./run.sh",
    "f() { exit 3; }; f; ./run.sh",
    "f() { return; ./run.sh; }; f",
    "if false; then ./run.sh; fi",
    "if true; then :; else ./run.sh; fi",
    "if ! true; then ./run.sh; fi",
    "while false; do ./run.sh; done",
    "until true; do ./run.sh; done",
    "while ./other; do break; ./run.sh; done",
    "f() { ./run.sh; }",
    "f() { ./run.sh; }; unset -f f; f",
    "f() { ./run.sh; }; g() { f; }",
    "f() { ./run.sh; }; f() { :; }; f",
    "[ -z x ] && ./run.sh",
    "test 1 -eq 2 && ./run.sh",
    "[[ a == b ]] && ./run.sh",
    "((0)) && ./run.sh",
    "(exit 1) && ./run.sh",
    "bash -c 'exit 1' && ./run.sh",
    "x=$(false) && ./run.sh",
    "set -e; false; ./run.sh",
    "set -n; ./run.sh",
    "bash -n -c './run.sh'",
    "bash -o noexec -c './run.sh'",
    "if ./other; then exit 0; else exit 0; fi; ./run.sh",
]

NOT_THERE = [
    "# ./run.sh",
    "echo x # && ./run.sh",
    "echo ./run.sh",
    ": ./run.sh",
    "echo 'x && ./run.sh'",
    "cat <<EOF\n./run.sh\nEOF",
    "cat <<'EOF'\n$(./run.sh)\nEOF",
    "x=./run.sh; echo $x",
    "x='$(./run.sh)'; echo $x",
    "./run.sh() { echo ok; }; ./run.sh",
    "function ./run.sh { echo ok; }; ./run.sh",
    "printf './run.sh' > x",
    "alias r=./run.sh",
]


def reaches(text):
    """Return how surely each call of the script is reached."""
    return [command.reach for command in parse_command(["bash", "-c", text]).commands if _is_the_script(command)]


def _is_the_script(command):
    return command.program_path == "./run.sh" and command.words[0].names_a_program


@pytest.mark.parametrize("text", REACHED)
def test_what_always_runs_is_reached(text):
    """The sequence, pipelines, the right of `&&`, substitutions, and functions that are called."""
    assert [Reach.REACHED] == reaches(text)


@pytest.mark.parametrize("text", CONDITIONAL)
def test_what_may_run_is_conditional(text):
    """The right of `||`, bodies of `if`, `case` and loops, and what stands behind a way out."""
    assert [Reach.CONDITIONAL] == reaches(text)


@pytest.mark.parametrize("text", DEAD)
def test_what_never_runs_is_dead(text):
    """Behind `exit`, in functions that nothing calls, and under conditions that are constant."""
    assert {Reach.DEAD} == set(reaches(text))


@pytest.mark.parametrize("text", NOT_THERE)
def test_text_is_no_command(text):
    """Comments, strings, here-documents and arguments invoke nothing."""
    assert [] == reaches(text)


@pytest.mark.parametrize(
    "text",
    [
        "x=./run.sh; $x",
        "x=run.sh; ./$x",
        '"$RUN"',
        "./r*.sh",
        "$(echo ./run.sh)",
        "alias r=./run.sh; r",
        "${x:-./run.sh}",
    ],
)
def test_a_program_behind_a_variable_or_an_alias_is_no_evidence(text):
    """What the text does not spell is not taken for the program."""
    assert [] == reaches(text)


@pytest.mark.parametrize(
    "text",
    [
        "./run.sh; 'open",
        "./run.sh; if true; then",
        "./run.sh; ((",
        "./run.sh;; echo",
        "time { ./run.sh; }",
        "true | ! ./run.sh",
        "./run.sh; cat <<EOF; echo\nx\nEOF",
    ],
)
def test_what_cannot_be_parsed_is_no_evidence(text):
    """Nothing of a text with a syntax error is kept, and the problem is."""
    parsed = parse_command(["bash", "-c", text])

    assert () == parsed.commands
    assert parsed.problems


def test_a_problem_inside_leaves_what_is_outside():
    """A text that a nested shell cannot parse costs only itself."""
    parsed = parse_command(["bash", "-c", "./run.sh; bash -c 'if'"])

    assert ["./run.sh"] == [command.program_path for command in parsed.commands]
    assert parsed.problems


@pytest.mark.parametrize(
    ("text", "cwd"),
    [
        ("./run.sh", "."),
        ("cd ..; ./run.sh", ".."),
        ("cd ../a && cd b; ./run.sh", "../a/b"),
        ("cd a; cd ..; ./run.sh", "."),
        ("(cd a); ./run.sh", "."),
        ("cd a | cat; ./run.sh", "."),
        ("cd a; cd -; ./run.sh", "."),
        ("pushd a; popd; ./run.sh", "."),
        ("pushd a; ./run.sh", "a"),
        ("cd /abs; ./run.sh", "/abs"),
        ('cd "$X"; ./run.sh', None),
        ("cd; ./run.sh", None),
        ("if ./other; then cd a; fi; ./run.sh", None),
        ("cd a || exit 1; ./run.sh", "a"),
        ('cd "$(git rev-parse --show-toplevel)/x" && ./run.sh', "{workspace}/x"),
        ("root=$(git rev-parse --show-toplevel); cd $root/x; ./run.sh", "{workspace}/x"),
        ("cd $(mktemp -d); ./run.sh", "{temporary}"),
        ('cd "$PWD/a"; ./run.sh', "a"),
        ('here="$(cd .. && pwd)"; cd "$here"; ./run.sh', ".."),
        ("d=a; cd $d/b; ./run.sh", "a/b"),
        ("f() { cd a; }; f; ./run.sh", "a"),
        ("env -C a ./run.sh", "a"),
    ],
)
def test_the_folder_is_followed(text, cwd):
    """Each command carries the folder that it runs in, or None where that is unknown."""
    commands = parse_command(["bash", "-c", text]).commands

    assert [cwd] == [command.cwd for command in commands if command.program_path == "./run.sh"]


def test_a_pipe_names_its_sources():
    """A command knows which others it reads from."""
    commands = parse_command(["bash", "-c", "{ echo a; ./x; } | ./y | cat"]).commands

    assert [(), (), (0, 1), (2,)] == [command.piped_from for command in commands]
    assert [0, 0, 1, 2] == [command.pipeline_position for command in commands]


def test_a_group_hands_its_redirections_down():
    """What is inside a group writes where the group does."""
    commands = parse_command(["bash", "-c", "{ echo a; ./x; } > out"]).commands

    assert [["out"], ["out"]] == [[redirect.target.text for redirect in command.inherited] for command in commands]


def test_scripts_are_read_where_they_can_be():
    """With a reader, what a script invokes follows the script, with its parameters."""
    scripts = {"../eval.sh": 'cd .. && ./run.sh "$1"', "../fake.sh": "echo ok"}
    parsed = parse_command(["bash", "../eval.sh", "x"], read_script=scripts.get)

    assert [("../eval.sh",), ("../eval.sh",)] == [command.scripts for command in parsed.commands[1:]]
    assert ["./run.sh", "x"] == [word.text for word in parsed.commands[-1].words]


def test_scripts_that_read_each_other_end():
    """A script that starts itself is read once."""
    parsed = parse_command(["./a.sh"], read_script=lambda _path: "./a.sh; source ./a.sh")

    assert 3 == len(parsed.commands)
