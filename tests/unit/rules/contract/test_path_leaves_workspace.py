"""Files that a case reads, writes or runs in lie in the workspace."""

import pytest

from agentic_evals.rules.contract.path_leaves_workspace import RULE
from tests.unit.rules.contract.subjects import HONEST, ROOT, case, facts, said, subject


def asserting(path, **more):
    """Return a case that asserts a file."""
    return case("./run.sh", "x", expected={"exit_code": 0, "artifacts": [{"path": path, "exists": True}]}, **more)


INSIDE = {
    "below the working directory": asserting("out/report.json"),
    "beside it": asserting("../fixtures/out.json", workdir="../samples"),
    "a file as input": case("./run.sh", stdin={"file": "../samples/poem.txt"}),
    "an older file": asserting("out.json", reuses=["../fixtures/stub.txt"], workdir="../samples"),
    "no working directory": HONEST | {"workdir": "."},
}
OUTSIDE = {
    "above the workspace": (asserting("../out.json"), "/cases/0/expected"),
    "an absolute path": (asserting("/tmp/out.json"), "/cases/0/expected"),
    "an absolute path of the workspace": (asserting(f"{ROOT}/out.json"), "/cases/0/expected"),
    "a detour": (asserting("a/../../out.json"), "/cases/0/expected"),
    "the working directory": (HONEST | {"workdir": "../.."}, "/cases/0/workdir"),
    "an absolute working directory": (HONEST | {"workdir": ROOT}, "/cases/0/workdir"),
    "the input": (case("./run.sh", stdin={"file": "../../poem.txt"}), "/cases/0/stdin/file"),
    "an older file": (asserting("out.json", reuses=["../../old.json"]), "/cases/0/reuses/0"),
}


@pytest.mark.parametrize("one", INSIDE.values(), ids=INSIDE.keys())
def test_paths_inside_are_accepted(one):
    """A path that stays in the workspace keeps the rule, by whichever way it goes."""
    assert [] == said(RULE, subject(one))


@pytest.mark.parametrize(("one", "pointer"), OUTSIDE.values(), ids=OUTSIDE.keys())
def test_paths_outside_are_refused(one, pointer):
    """A path that leaves it breaks the rule, at its own place."""
    assert [("error", pointer)] == said(RULE, subject(one))


def test_every_path_is_told_at_once():
    """A working directory outside does not hide an input outside."""
    one = HONEST | {"workdir": "../..", "stdin": {"file": "/etc/hostname"}}

    assert [("error", "/cases/0/stdin/file"), ("error", "/cases/0/workdir")] == said(RULE, subject(one))


def test_absolute_paths_may_be_allowed():
    """`allow_absolute_paths` lets assertions name them, but lets no relative path leave."""
    assert [] == said(RULE, subject(asserting("/tmp/out.json"), allow_absolute_paths=True))
    assert [("error", "/cases/0/expected")] == said(RULE, subject(asserting("../../x"), allow_absolute_paths=True))


def test_the_repository_is_the_workspace():
    """A skill in a folder of a repository may assert files elsewhere in the repository."""
    around = facts(skill="skills/example-skill")

    assert [] == said(RULE, subject(asserting("../../build/out.json"), around=around))
    assert [("error", "/cases/0/expected")] == said(RULE, subject(asserting("../../../out.json"), around=around))
