"""A file that `echo`, `cp` or `touch` writes is no result of the skill."""

import pytest

from agentic_evals.rules.contract.trivial_write import RULE
from tests.unit.rules.contract.subjects import case, message, said, shell, subject

WRITTEN = {"exit_code": 0, "artifacts": [{"path": "out.json", "json_pointer": "/words", "equals": 14}]}
RUN = "./run.sh samples/poem.txt"
DECOYS = {
    "echo": f"{RUN}; echo '{{\"words\": 14}}' > out.json",
    "printf through tee": f"{RUN}; printf '{{\"words\": 14}}' | tee out.json",
    "cp of the expected file": f"{RUN}; cp fixtures/expected.json out.json",
    "mv": f"{RUN} && mv fixtures/expected.json out.json",
    "touch": f"{RUN}; touch out.json",
    "a here-document": f"{RUN}; cat > out.json <<'END'\n{{\"words\": 14}}\nEND",
    "in another folder": f"{RUN}; cd samples; echo 14 > ../out.json",
    "a longer way": f"{RUN}; echo 14 > samples/../out.json",
    "install": f"{RUN}; install -m 644 fixtures/expected.json out.json",
}
HONEST = {
    "its own option": f"{RUN} --json out.json",
    "a redirection of the skill": f"{RUN} > out.json",
    "through tee": f"{RUN} | tee out.json",
    "through cat": f"{RUN} | cat > out.json",
    "another file": f"{RUN} --json out.json; echo done > done.txt; touch log.txt",
    "a folder for it": f"mkdir -p out && rm -f out.json && {RUN} --json out.json",
}


@pytest.mark.parametrize("text", DECOYS.values(), ids=DECOYS.keys())
def test_asserted_files_written_by_trivial_programs_are_refused(text):
    """A case that writes the asserted file by itself breaks the rule, and the message names the file."""
    about = subject(shell(text, expected=WRITTEN))

    assert [("error", "/cases/0/command")] == said(RULE, about)
    assert "'out.json'" in message(RULE, about)


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST.keys())
def test_files_that_the_skill_writes_are_accepted(text):
    """Whichever way the output of the skill gets into the file, it keeps the rule."""
    assert [] == said(RULE, subject(shell(text, expected=WRITTEN)))


def test_output_below_fixtures_is_accepted():
    """The skill may write its output inside `fixtures`."""
    inside = {"exit_code": 0, "artifacts": [{"path": "fixtures/out.json", "exists": True}]}
    one = case("./run.sh", "samples/poem.txt", "--json", "fixtures/out.json", expected=inside)

    assert [] == said(RULE, subject(one))


def test_a_copy_without_a_shell_is_refused():
    """Plain words that copy the asserted file break it too, and no kind is exempt."""
    one = case("cp", "fixtures/expected.json", "out.json", expected=WRITTEN)

    assert [("error", "/cases/0/command")] == said(RULE, subject(one))
    assert frozenset() == RULE.exempt_kinds
