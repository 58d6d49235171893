"""Writes: asserted files that a command is seen to put in place itself."""

from pathlib import PurePosixPath

import pytest

from agentic_evals.rules.commands import Facts, parse_command, writes_by_trivial_program

FACTS = Facts(
    PurePosixPath("a"),
    PurePosixPath("a"),
    "/work/repo",
    frozenset({"a/run.sh", "a/golden.json", "a/dir/keep"}),
)


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("echo {} > out.json", "echo"),
        ("printf x >> out.json", "printf"),
        ("cat <<E > out.json\nx\nE", "cat"),
        ("cat golden.json > out.json", "cat"),
        ("cat > out.json < golden.json", "cat"),
        ("echo x | tee out.json", "tee"),
        ("echo x | tee -a log out.json >/dev/null", "tee"),
        ("echo x | cat > out.json", "cat"),
        ("cp golden.json out.json", "cp"),
        ("cp -t . x/out.json", "cp"),
        ("cp x/out.json .", "cp"),
        ("mv golden.json out.json", "mv"),
        ("ln -s golden.json out.json", "ln"),
        ("install -m 644 golden.json out.json", "install"),
        ("touch out.json", "touch"),
        ("dd if=golden.json of=out.json", "dd"),
        ("> out.json", ">"),
        ("{ echo a; echo b; } > out.json", "echo"),
        ("exec > out.json; echo hi", "echo"),
        ("(cd ..; echo x > a/out.json)", "echo"),
        ('echo x > "$PWD/out.json"', "echo"),
        ("echo x &> out.json", "echo"),
        ("x=out.json; echo y > $x", "echo"),
        ("./run.sh; echo {} > out.json", "echo"),
        ("./run.sh > out.json; echo {} > out.json", "echo"),
        ("./run.sh | echo x > out.json", "echo"),
        ("./o || echo x > out.json", "echo"),
        ("python -c \"open('out.json', 'w').write('{}')\"", "python"),
        ("python - <<'E'\nimport shutil\nshutil.copy('golden.json', 'out.json')\nE", "python"),
        ("node -e \"require('fs').writeFileSync('out.json', '{}')\"", "node"),
        ("bash -c 'echo {} > out.json'", "echo"),
        ("f() { echo {} > out.json; }; f", "echo"),
        ("echo $(date) > out.json", "echo"),
    ],
)
def test_a_trivial_write_is_seen(text, program):
    """By redirection, by a copy, by a constant program."""
    parsed = parse_command(["bash", "-c", text])

    assert ("out.json", program) in writes_by_trivial_program(parsed, ["out.json"], FACTS)


@pytest.mark.parametrize(
    "text",
    [
        "./run.sh > out.json",
        "./run.sh | tee out.json",
        "./run.sh | cat > out.json",
        "./run.sh | sort | head > out.json",
        "./run.sh | tee log | cat > out.json",
        "./run.sh > >(tee out.json)",
        "./run.sh --out out.json",
        "{ echo a; ./run.sh; } > out.json",
        'x=$(./run.sh); echo "$x" > out.json',
        'echo "$(./run.sh)" > out.json',
        "cat <<E > out.json\n$(./run.sh)\nE",
        "./run.sh > tmp && mv tmp out.json",
        "./run.sh > tmp; cat tmp > out.json",
        "> out.json; ./run.sh >> out.json",
        "./run.sh > out.json; echo end >> out.json",
        './run.sh | while read l; do echo "$l"; done > out.json',
        "./run.sh | python -c \"import sys; open('out.json','w').write(sys.stdin.read())\"",
        "python -c \"import subprocess; open('out.json', 'w').write(subprocess.check_output(['./run.sh']))\"",
        "echo x > other.json",
        "echo out.json",
        "echo x 2> out.json",
        "exit; echo x > out.json",
        'echo x > "$UNKNOWN/out.json"',
        "cp out.json /tmp/kept",
        "touch dir/out.json",
    ],
)
def test_what_a_real_program_made_is_left_alone(text):
    """Through pipes, substitutions and files that it was seen to write."""
    assert () == writes_by_trivial_program(parse_command(["bash", "-c", text]), ["out.json"], FACTS)
