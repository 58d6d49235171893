"""Inline Python: what it demonstrably does."""

import pytest

from agentic_evals.rules.commands import python_source


@pytest.mark.parametrize(
    ("source", "acts"),
    [
        ("print(1)", False),
        ("import json, math, sys\nsys.exit(1)", False),
        ("import pathlib", True),
        ("from . import x", True),
        ("from os import path", True),
        ("open('x')", True),
        ("eval('1')", True),
        ("f = open", True),
        ("not python (", False),
    ],
)
def test_only_the_demonstrable_counts(source, acts):
    """A program that does not parse does nothing."""
    assert acts is python_source.acts(source)


def test_imports_that_always_run_are_listed():
    """At the top, also inside `try` and `with`."""
    source = "import a.b, c\nfrom d import e\ntry:\n import f\nexcept ImportError:\n import g\nif 1:\n import h"

    assert ("a.b", "c", "d", "f") == python_source.imported_modules(source)


def test_folders_added_to_the_path_are_listed():
    """Where they are literal."""
    assert ("src", "/x") == python_source.added_paths("import sys\nsys.path.insert(0, 'src')\nsys.path.append('/x')")


@pytest.mark.parametrize(
    ("source", "paths"),
    [
        ("open('a', 'w').write('x')", ("a",)),
        ("open('a', mode='ab')", ("a",)),
        ("open('a')", ()),
        ("open(name, 'w')", ()),
        ("from pathlib import Path\nPath('a').write_text('x')", ("a",)),
        ("import shutil\nshutil.copy('g', 'a')", ("a",)),
    ],
)
def test_literal_paths_that_are_written_are_listed(source, paths):
    """And no others."""
    assert paths == python_source.written_paths(source)


@pytest.mark.parametrize(
    ("source", "starts"),
    [
        ("open('a', 'w')", False),
        ("import json, shutil, os", False),
        ("import subprocess", True),
        ("import os\nos.system('x')", True),
        ("import pkg", True),
        ("(", True),
    ],
)
def test_what_could_make_its_output_starts_something(source, starts):
    """A program that only moves bytes starts nothing; one that does not parse is given the benefit of the doubt."""
    assert starts is python_source.starts(source)


def test_a_deep_program_is_no_danger():
    """The parser's own limits are not ours."""
    assert not python_source.acts("(" * 100_000)
