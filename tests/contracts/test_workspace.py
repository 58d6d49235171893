"""What every workspace must say of the files around a fixture."""

import os

import pytest

from agentic_evals.adapters.workspace import Files
from agentic_evals.model.errors import DocumentRejected
from tests.fakes.workspace import FakeWorkspace

SKILL = b"---\nname: sample\n---\n"
FILES = {"SKILL.md": SKILL, "fixtures/agentic_eval.json": b"{}", "scripts/run.sh": b"true\n"}


@pytest.fixture(params=["files", "fake"])
def workspace(request, tmp_path):
    """Return each workspace with the folder that the skill lies in."""
    if request.param == "fake":
        return FakeWorkspace({f"/skill/{name}": data for name, data in FILES.items()}), "/skill"
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    return Files(None), os.path.realpath(tmp_path)


def test_a_document_is_its_bytes(workspace):
    """Reading returns exactly what is there."""
    files, root = workspace

    assert SKILL == files.read(f"{root}/SKILL.md")


def test_a_missing_document_is_refused_with_a_finding(workspace):
    """The finding names the path and the reason."""
    files, root = workspace

    with pytest.raises(DocumentRejected) as caught:
        files.read(f"{root}/missing.json")

    (finding,) = caught.value.findings
    assert ("document-unreadable", f"{root}/missing.json") == (finding.rule, finding.location.file)
    assert "No such file" in finding.message


def test_the_facts_name_the_skill_and_its_files(workspace):
    """Root, folders and files are told relative to the workspace, and the skill's name is that of SKILL.md."""
    files, root = workspace
    facts = files.facts(f"{root}/fixtures/agentic_eval.json")

    assert (root, "fixtures", ".", "sample") == (facts.root, facts.fixture, facts.skill, facts.skill_name)
    assert set(FILES) == set(facts.files)
    assert {".", "fixtures", "scripts"} <= set(facts.folders)
    assert "name: sample" in facts.skill_text
    assert facts.repository.root is None
    assert not facts.own_program
    assert facts.complete
