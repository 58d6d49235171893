"""Folders and paths as text."""

import pytest

from agentic_evals.rules.commands.folders import joined, normalised


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", "."),
        ("a//./b/", "a/b"),
        ("a/../b", "b"),
        ("../../a", "../../a"),
        ("a/../../b", "../b"),
        ("/../a", "/a"),
        ("{workspace}/../a", "{workspace}/../a"),
        ("~/../a", "~/../a"),
    ],
)
def test_a_path_is_normalised_as_far_as_its_root_allows(path, expected):
    """What lies above a place that is only known by name stays."""
    assert expected == normalised(path)


@pytest.mark.parametrize(
    ("folder", "path", "expected"),
    [
        ("a", "b", "a/b"),
        ("a", "/b", "/b"),
        (None, "/b", "/b"),
        (None, "b", None),
        ("a", "{workspace}/b", "{workspace}/b"),
        ("/x", "{cwd}/b", "b"),
        ("/x", "{cwd}", "."),
        ("a", "b\x00", None),
    ],
)
def test_a_path_is_joined_to_its_folder(folder, path, expected):
    """Unless it stands for itself, or cannot be known."""
    assert expected == joined(folder, path)
