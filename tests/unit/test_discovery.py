"""Leaves are found by their file names and imported when they are used."""

import sys

import pytest

from agentic_evals.discovery import LeafError, leaves
from agentic_evals.model.errors import ExitCode


@pytest.fixture
def package(tmp_path, monkeypatch, request):
    """Return a function that writes files of a package and returns its name."""
    name = f"leaves_{request.node.name.replace('[', '_').replace(']', '_')}"

    def write(**files):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        for stem, text in files.items():
            (folder / f"{stem}.py").write_text(text)
        return name

    monkeypatch.syspath_prepend(str(tmp_path))
    yield write
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]


def test_the_file_name_is_the_key(package):
    """Keys come sorted from the listing of the folder."""
    found = leaves(package(two="LEAF = 2", one="LEAF = 1"), "LEAF", int)

    assert ["one", "two"] == list(found)
    assert (1, 2, 2) == (found["one"], found["two"], len(found))


def test_private_files_are_no_leaves(package):
    """A name that begins with an underscore is left alone; one that ends with it is a leaf without it."""
    found = leaves(package(_shared="raise SystemExit", json_="LEAF = 3"), "LEAF", int)

    assert ["json"] == list(found)
    assert 3 == found["json"]


def test_nothing_is_imported_before_it_is_used(package):
    """Listing, counting and asking for a key import no leaf."""
    found = leaves(package(broken="raise SystemExit", whole="LEAF = 1"), "LEAF", int)

    assert "broken" in found
    assert 2 == len(found)
    assert 1 == found["whole"]


def test_an_unknown_key_is_a_key_error(package):
    """A catalogue is a mapping like any other."""
    found = leaves(package(one="LEAF = 1"), "LEAF", int)

    assert "two" not in found
    with pytest.raises(KeyError):
        found["two"]


@pytest.mark.parametrize("text", ["", "LEAF = 'text'", "OTHER = 1"])
def test_a_file_without_the_constant_is_named(package, text):
    """The error says which file must define what, and is no bug of the program."""
    found = leaves(package(one=text), "LEAF", int)

    with pytest.raises(LeafError, match=r"one\.py must define LEAF: int") as caught:
        found["one"]

    assert ExitCode.ENVIRONMENT == caught.value.exit_code


def test_a_leaf_is_imported_once(package):
    """The same object is returned every time."""
    found = leaves(package(one="LEAF = [1]"), "LEAF", list)

    assert found["one"] is found["one"]
