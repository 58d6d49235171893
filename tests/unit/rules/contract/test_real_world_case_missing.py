"""Some required case runs the real thing, on input that is no stub."""

import pytest

from agentic_evals.rules.contract.real_world_case_missing import RULE
from tests.unit.rules.contract.subjects import ATTACK, HONEST, case, facts, fragments, message, said, shell, subject

SKILL = "./run.sh samples/poem.txt"


def real(one, **more):
    """Say of a case that it is a real-world case."""
    return one | {"real_world": True} | more


REAL = {
    "a script of the skill": (case("./run.sh", "samples/poem.txt"), {}),
    "from the fixture's folder": (case("../run.sh", "../samples/poem.txt", workdir="."), {}),
    "by its interpreter": (case("python3", "scripts/count.py", "samples/poem.txt"), {}),
    "by uv": (case("uv", "run", "scripts/count.py", "samples/poem.txt"), {}),
    "by uv and python": (case("uv", "run", "--no-project", "python", "scripts/count.py", "samples/poem.txt"), {}),
    "a module": (case("python3", "-m", "scripts.count", "samples/poem.txt"), {}),
    "through wrappers": (case("env", "A=1", "timeout", "9", "nice", "bash", "-lc", SKILL), {}),
    "a pipeline ending in cat": (shell(f"{SKILL} | cat"), {}),
    "a process substitution": (shell(f"{SKILL} > >(tee log)"), {}),
    "strict mode": (shell("set -euo pipefail; cd samples; ../run.sh poem.txt"), {}),
    "left of ||": (shell(f"{SKILL} || exit 9"), {}),
    "a function that is called": (shell(f"f() {{ {SKILL}; }}; f"), {}),
    "tests of the skill": (case("python3", "-m", "pytest", "tests/"), {}),
    "tests below tests/fixtures": (
        case("pytest", "tests/fixtures/test_more.py"), {"files": ["tests/fixtures/test_more.py"]}),
    "a runner that finds its tests": (case("npm", "test"), {"files": ["package.json"]}),
    "cargo without cargo": (case("cargo", "test"), {"files": ["Cargo.toml"]}),
    "a program that SKILL.md names": (case("word-count", "samples/poem.txt"), {}),
    "output inside fixtures": (
        case("./run.sh", "samples/poem.txt", "--json", "fixtures/out.json",
             expected={"exit_code": 0, "artifacts": [{"path": "fixtures/out.json", "exists": True}]}),
        {},
    ),
    "an address that SKILL.md names": (
        case("curl", "-fsS", "http://localhost:8080/count?text=a"),
        {"text": "```sh\ncurl http://localhost:8080/health\n```\n"},
    ),
    "a script of the repository beside it": (
        shell("../shared/prepare.sh && ./run.sh samples/poem.txt"),
        {"files": ["skills/shared/prepare.sh"], "skill": "skills/example-skill"},
    ),
    "an input of its own": (case("./run.sh", "-", stdin="fourteen words\n"), {}),
}  # fmt: skip


def around(files=(), **more):
    """Return the workspace of a table's entry."""
    return facts(*files, **more)


@pytest.mark.parametrize(("one", "there"), REAL.values(), ids=REAL.keys())
def test_the_real_thing_is_accepted(one, there):
    """A required case that surely reaches an entry point, on real input, keeps the rule."""
    assert [] == said(RULE, subject(real(one), around=around(**there)))


def test_a_checkout_below_fixtures_is_no_stub():
    """Where the whole checkout lies below a folder named `fixtures`, its inputs are no stubs."""
    below = facts(root="/home/somebody/fixtures/repository")

    assert [] == said(RULE, subject(HONEST, around=below))


NOT_REAL = {
    "a foreign program": (case("git", "--version"), {}, "no entry point of the skill: `git`"),
    "a foreign program that works": (case("git", "log", "-1"), {}, "SKILL.md names no such command"),
    "a program that prose names": (
        case("word-count", "samples/poem.txt"), {"text": "Use word-count to count.\n"}, "`word-count`"),
    "the wrong working directory": (
        case("./run.sh", "samples/poem.txt", workdir="."), {},
        "`./run.sh` lies in the skill folder, and the command runs in `fixtures` (see `workdir`)"),
    "tests that are not there": (
        case("pytest", "tests/test_none.py"), {}, "`pytest` is given no test that is there"),
    "a script that is not there": (case("./walk.sh", "samples/poem.txt"), {}, "`./walk.sh` is no file of it"),
    "a trivial program": (shell("cat run.sh"), {}, "runs nothing that belongs to the skill"),
    "the skill as text": (shell(f"echo {SKILL}"), {}, "runs nothing"),
    "a comment": (shell(f"true # {SKILL}"), {}, "runs nothing"),
    "a condition": (shell(f'if [ -n "$CI" ]; then {SKILL}; fi'), {}, "only under a condition"),
    "a loop": (shell(f"for x in $LIST; do {SKILL}; done"), {}, "only under a condition"),
    "right of ||": (shell(f"git status || {SKILL}"), {}, "only under a condition"),
    "after an exit": (shell(f"git status; exit 0; {SKILL}"), {}, "no entry point"),
    "a function that nobody calls": (shell(f"f() {{ {SKILL}; }}; git status"), {}, "no entry point"),
    "a variable program": (shell("$PROGRAM samples/poem.txt"), {}, "runs nothing"),
    "help": (case("./run.sh", "--help"), {}, "only asks for help or a version"),
    "a version, wrapped": (case("env", "bash", "-lc", "./run.sh --version"), {}, "only asks for help or a version"),
    "collecting tests": (case("pytest", "--collect-only", "tests/"), {}, "only asks for help or a version"),
    "a script of the repository alone": (
        case("../shared/report.sh"), {"files": ["skills/shared/report.sh"], "skill": "skills/example-skill"},
        "runs a script of the repository, but none of the skill"),
    "another address": (
        case("curl", "http://localhost:9/count"), {"text": "`curl http://localhost:8080/count`\n"},
        "SKILL.md names no such address as http://localhost:9/count"),
    "unparsed": (shell(f"{SKILL}; if"), {}, "cannot be parsed"),
    "a stub as argument": (case("./run.sh", "fixtures/stub.txt"), {}, "feeds itself a stub: fixtures/stub.txt"),
    "a stub through the working directory": (shell("cd fixtures && ../run.sh < stub.txt"), {}, "feeds itself a stub"),
    "a stub from the fixture's folder": (case("../run.sh", "stub.txt", workdir="."), {}, "feeds itself a stub"),
    "a stub as input": (case("./run.sh", "-", stdin={"file": "stub.txt"}), {}, "feeds itself a stub: stub.txt"),
    "a stub through a pipe": (shell("cat fixtures/stub.txt | ./run.sh -"), {}, "feeds itself a stub"),
    "a stub by an option": (case("./run.sh", "--input=fixtures/stub.txt"), {}, "feeds itself a stub"),
    "mocked": (case("./run.sh", "samples/poem.txt", mocked=True), {}, "declared as mocked"),
    "a stub, declared": (case("./run.sh", "samples/poem.txt", uses_stub=True), {}, "declared as mocked"),
    "vacuous": (case("./run.sh", "poem.txt", expected={"exit_code": 0}), {}, "passes for a program that does nothing"),
    "a needle of the command": (
        shell(f"{SKILL}; echo words: 14"), {}, "passes for a program that does nothing"),
}  # fmt: skip


@pytest.mark.parametrize(("one", "there", "told"), NOT_REAL.values(), ids=NOT_REAL.keys())
def test_a_label_without_substance_is_refused_and_told_why(one, there, told):
    """What only says that it is real-world breaks the rule, at the case, with the reason."""
    about = subject(real(one), around=around(**there))

    assert [("error", "/cases/0")] == said(RULE, about)
    assert told in message(RULE, about)


def test_a_suite_without_the_label_is_refused():
    """Without any real-world case the suite as a whole is told, with the key to paste."""
    about = subject(HONEST | {"real_world": False}, ATTACK)

    assert [("error", "/cases")] == said(RULE, about)
    assert ['"real_world": true'] == fragments(RULE, about)


def test_an_optional_case_does_not_carry_the_contract():
    """A real-world case that is optional is none."""
    assert [("error", "/cases")] == said(RULE, subject(HONEST | {"required": False}, ATTACK))


def test_a_mocked_fixture_has_no_real_world_case():
    """`mocked` on the fixture speaks for all its cases."""
    assert [("error", "/cases/0")] == said(RULE, subject(HONEST, mocked=True))


def test_one_that_counts_is_enough():
    """Beside a case that counts, others that carry the label are not refused."""
    assert [] == said(RULE, subject(HONEST, real(case("git", "log"))))


def test_a_program_by_name_only_is_no_exemption():
    """A file that is called like a test runner and is not the skill's is none of the skill."""
    one = real(case("/usr/bin/run.sh", "samples/poem.txt"))

    assert [("error", "/cases/0")] == said(RULE, subject(one))


def test_the_same_tree_gives_the_same_answer_without_the_program():
    """Whether a program is installed is not asked: only the names of files and the words of SKILL.md count."""
    one = real(case("word-count", "samples/poem.txt"))

    assert [] == said(RULE, subject(one))
    assert [("error", "/cases/0")] == said(RULE, subject(one, around=facts(text="# Example skill\n")))
