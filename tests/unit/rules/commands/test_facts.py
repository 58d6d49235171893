"""Facts: paths of commands resolved to the workspace."""

from pathlib import PurePosixPath

import pytest

from agentic_evals.rules.commands import Facts, origin

FACTS = Facts(
    PurePosixPath("skills/a"),
    PurePosixPath("skills/a/fixtures"),
    "/work/repo",
    frozenset({"skills/a/run.sh", "skills/b/run.sh"}),
)


@pytest.mark.parametrize(
    ("path", "cwd", "resolved"),
    [
        ("../run.sh", ".", "skills/a/run.sh"),
        ("run.sh", "..", "skills/a/run.sh"),
        ("./x/../run.sh", "..", "skills/a/run.sh"),
        ("../../..", ".", "."),
        ("../../../..", ".", None),
        ("/work/repo/skills/a/run.sh", ".", "skills/a/run.sh"),
        ("/work/repo", None, "."),
        ("/work/repository/x", ".", None),
        ("/work/repo/../other", ".", None),
        ("{workspace}/skills", None, "skills"),
        ("{workspace}/../x", None, None),
        ("x", "{workspace}/skills", "skills/x"),
        ("{cwd}/x", "/elsewhere", "skills/a/fixtures/x"),
        ("x", "/elsewhere", None),
        ("x", None, None),
        ("~/x", ".", None),
        ("{temporary}/x", ".", None),
        ("x\x00", ".", None),
    ],
)
def test_a_path_is_resolved_from_its_folder(path, cwd, resolved):
    """To one relative to the workspace, or to nothing where it leads outside or is unknown."""
    assert resolved == FACTS.resolve(path, cwd)


def test_files_and_folders_are_looked_up():
    """Folders follow from the files in them."""
    assert FACTS.is_file("skills/a/run.sh")
    assert not FACTS.is_file("skills/a")
    assert FACTS.is_folder("skills/a")
    assert FACTS.is_folder(".")
    assert FACTS.exists("skills")
    assert not FACTS.exists("skills/c")


@pytest.mark.parametrize(("path", "inside"), [("skills/a", True), ("skills/a/x", True), ("skills/ab/x", False)])
def test_the_skill_folder_is_a_folder_not_a_prefix(path, inside):
    """Names that begin alike are others."""
    assert inside is FACTS.in_skill(path)


def test_a_skill_may_be_the_whole_workspace():
    """Then everything lies inside it, also where the workspace is the root of the machine."""
    facts = Facts(PurePosixPath(), PurePosixPath("fixtures"), "/", frozenset({"run.sh"}))

    assert facts.in_skill("run.sh")
    assert "run.sh" == facts.resolve("../run.sh")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://Example.org/a?b", "https://example.org"),
        ("https://example.org:443", "https://example.org"),
        ("http://user:pw@localhost:8080/x", "http://localhost:8080"),
        ("ftp://example.org", None),
        ("example.org", None),
    ],
)
def test_an_origin_is_scheme_host_and_port(address, expected):
    """Without credentials, path and default port."""
    assert expected == origin(address)
