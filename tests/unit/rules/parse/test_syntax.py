"""Which syntax a document is written in."""

import subprocess
import sys

import pytest

from agentic_evals.rules.parse.syntax import kept_name, of_pointer, syntax_of


@pytest.mark.parametrize(
    ("file", "suffix"),
    [
        ("fixtures/agentic_eval.json", ".json"),
        ("a.yaml", ".yaml"),
        ("a.YML", ".yaml"),
        ("a.toml", ".toml"),
        ("yaml", ".json"),
        ("a.yaml.bak", ".json"),
        ("-", ".json"),
    ],
)
def test_the_end_of_the_name_decides(file, suffix):
    """Whatever is neither YAML nor TOML is JSON."""
    assert (suffix, f"input/fixture{suffix}") == (syntax_of(file).suffix, kept_name(file))


@pytest.mark.parametrize(("file", "text"), [("a.json", '{\n"a": 1}'), ("a.yml", "\na: 1"), ("a.toml", "\na = 1")])
def test_a_place_is_found_in_each_syntax(file, text):
    """One way to ask, whatever the syntax."""
    assert (2, 1) == of_pointer(text.encode(), file, "/a")


@pytest.mark.parametrize(
    ("file", "text", "wanted"),
    [("a.json", "{}", set()), ("a.yaml", "a: 1", {"ruamel"}), ("a.toml", "a = 1", {"tomllib"})],
)
def test_only_what_is_needed_is_imported(file, text, wanted, checkout):
    """A JSON fixture never pays for YAML or TOML."""
    program = (
        "import sys\n"
        "from agentic_evals.rules.parse.fixture import parse_fixture\n"
        f"parse_fixture({text.encode()!r}, {file!r}, {{}})\n"
        "print(*sorted({'ruamel', 'tomllib'} & set(sys.modules)))\n"
    )
    environment = {"PYTHONPATH": str(checkout / "src")}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)

    assert wanted == set(done.stdout.split())
