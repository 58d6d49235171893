"""What a case must exercise stands in a command that it runs."""

import pytest

from agentic_evals.rules.contract.must_exercise_missing import RULE
from tests.unit.rules.contract.subjects import case, message, said, shell, subject

RUN = {
    "the program": (case("./run.sh", "samples/poem.txt"), "run.sh"),
    "words after each other": (case("./run.sh", "count", "samples/poem.txt"), "count samples/poem.txt"),
    "the last parts of a path": (case("python3", "./scripts/count.py"), "scripts/count.py"),
    "through wrappers": (case("env", "A=1", "timeout", "5", "bash", "-lc", "./run.sh samples/poem.txt"), "run.sh"),
    "in a pipeline": (shell("cat samples/poem.txt | ./run.sh - | sort"), "run.sh -"),
    "in another folder": (shell("cd scripts && python3 count.py ../samples/poem.txt"), "scripts/count.py"),
    "under a condition": (shell("if test -f samples/poem.txt; then ./run.sh samples/poem.txt; fi"), "run.sh"),
}
NOT_RUN = {
    "in a comment": (shell("./run.sh samples/poem.txt # scripts/count.py"), "scripts/count.py"),
    "an argument of echo": (shell("./run.sh samples/poem.txt; echo scripts/count.py"), "scripts/count.py"),
    "in dead code": (shell("./run.sh samples/poem.txt; exit 0; python3 scripts/count.py"), "scripts/count.py"),
    "in a function that nobody calls": (shell("f() { python3 scripts/count.py; }; ./run.sh x"), "scripts/count.py"),
    "not consecutive": (case("./run.sh", "--json", "out", "samples/poem.txt"), "run.sh samples/poem.txt"),
    "a part of a word": (case("./run.sh", "samples/poem.txt"), "poem"),
    "not at all": (case("./run.sh", "samples/poem.txt"), "scripts/count.py"),
}


@pytest.mark.parametrize(("one", "entry"), RUN.values(), ids=RUN.keys())
def test_what_is_run_is_accepted(one, entry):
    """An entry whose words a command really runs keeps the rule."""
    assert [] == said(RULE, subject(one | {"must_exercise": [entry]}))


@pytest.mark.parametrize(("one", "entry"), NOT_RUN.values(), ids=NOT_RUN.keys())
def test_what_is_not_run_is_refused(one, entry):
    """An entry that nothing runs breaks it, at the entry, and the message repeats it."""
    about = subject(one | {"must_exercise": ["run.sh", entry]})

    assert [("error", "/cases/0/must_exercise/1")] == said(RULE, about)
    assert repr(entry) in message(RULE, about)
