"""Where reports go, and in which format."""

import pytest

from agentic_evals.cli import documents
from agentic_evals.model.errors import UsageError
from tests.unit.reports.samples import failed, findings_report, report


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("out.json", ("json", "out.json")),
        ("out.xml", ("junit", "out.xml")),
        ("out.md", ("markdown", "out.md")),
        ("out.sarif", ("sarif", "out.sarif")),
        ("out.txt", ("terminal", "out.txt")),
        ("out.unknown", ("json", "out.unknown")),
        ("out", ("json", "out")),
        ("sarif:out.json", ("sarif", "out.json")),
        ("codequality:gl.json", ("codequality", "gl.json")),
        ("c:out.json", ("json", "c:out.json")),
        ("json:", ("json", "json:")),
    ],
)
def test_the_format_is_named_or_follows_from_the_suffix(text, expected):
    """`FORMAT:FILE` says it; else the suffix does; else it is JSON."""
    assert expected == documents.format_and_path(text)


def test_a_file_that_cannot_be_written_is_refused_before_anything_runs(tmp_path):
    """A folder, a missing folder, and a place without permission are usage errors."""
    for path in (tmp_path, tmp_path / "missing" / "x.json", "/proc/x.json"):
        with pytest.raises(UsageError):
            documents.writable_files([str(path)])


def test_a_report_is_written_whole(tmp_path):
    """The file holds what is printed, and no temporary file is left."""
    target = tmp_path / "out.md"
    documents.write(report(), documents.writable_files([str(target)]))

    assert documents.document(report(), "markdown") == target.read_text()
    assert [target] == list(tmp_path.iterdir())


def test_a_report_on_standard_output_has_no_colours_unless_forced(capsys, monkeypatch):
    """A pipe gets plain text."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    documents.show(failed(), "terminal")
    plain = capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    documents.show(failed(), "terminal")
    coloured = capsys.readouterr().out

    assert "\x1b" not in plain
    assert "\x1b[31mFAIL\x1b[0m" in coloured


@pytest.mark.parametrize("form", ["terminal", "json", "sarif", "markdown", "junit", "codequality"])
def test_a_check_is_written_in_every_format(form):
    """One value serves every writer."""
    assert "some-rule" in documents.document(findings_report(), form)
