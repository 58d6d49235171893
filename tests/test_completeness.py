"""Nothing is left out: every leaf has its page and its test, every module its sentence, every test its fact."""

import ast
import re
import statistics
from pathlib import Path

import pytest

from agentic_evals import wiring
from tests.house.support import CHECKOUT

SOURCE = CHECKOUT / "src" / "agentic_evals"
MODULES = sorted(SOURCE.rglob("*.py"))
TESTS = sorted(path for path in (CHECKOUT / "tests").rglob("*.py") if "programs" not in path.parts)
REFERENCE = CHECKOUT / "docs" / "reference"
MOST_LINES = 400
MEDIAN_LINES = range(40, 141)


def shown(path):
    """Return a path as a developer would write it."""
    return str(path.relative_to(CHECKOUT))


def tree(path):
    """Return a module's syntax tree."""
    return ast.parse(path.read_text())


def lines(path):
    """Count the lines of a file."""
    return len(path.read_text().splitlines())


def test_every_module_opens_with_a_sentence():
    """The first statement of a module is a docstring whose first line is a sentence."""
    silent = [shown(path) for path in MODULES if not re.match(r"\S.*[.:]$", first_line(ast.get_docstring(tree(path))))]

    assert [] == silent


def first_line(text):
    """Return the first line of a docstring, or nothing."""
    return (text or "").splitlines()[0] if text else ""


def test_no_module_is_longer_than_a_reader_can_hold():
    """No module of the source has more than 400 lines."""
    assert [] == [f"{shown(path)}: {lines(path)}" for path in MODULES if lines(path) > MOST_LINES]


def test_modules_are_small():
    """The median module has about a hundred lines; the files that only name a package are not counted."""
    counted = [lines(path) for path in MODULES if path.name != "__init__.py" or lines(path) > 1]

    assert int(statistics.median(counted)) in MEDIAN_LINES


def functions(path):
    """Yield each function of a test file that pytest would call."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node


def test_every_test_states_a_fact():
    """Every test function has a docstring, and it is a sentence."""
    silent = [
        f"{shown(path)}::{node.name}"
        for path in TESTS
        for node in functions(path)
        if not (ast.get_docstring(node) or "").rstrip().endswith(".")
    ]

    assert [] == silent


def test_every_test_can_fail():
    """Every test function asserts something, or calls a checker of its own file that does."""
    idle = []
    for path in TESTS:
        checkers = {
            node.name for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef) and can_fail(node, set())
        }
        idle += [f"{shown(path)}::{node.name}" for node in functions(path) if not can_fail(node, checkers)]

    assert [] == idle


def can_fail(node, checkers):
    """Return whether a function asserts, expects an exception, or calls one of the checkers."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assert):
            return True
        if isinstance(inner, ast.Call):
            name = inner.func.attr if isinstance(inner.func, ast.Attribute) else getattr(inner.func, "id", "")
            if name in {"raises", "fail", *checkers} or name.startswith(("assert_", "check")):
                return True
    return False


def test_no_test_uses_a_mock():
    """Fakes of ports stand in for the world; nothing is patched to look as if it were called."""
    users = [
        shown(path)
        for path in TESTS
        if re.search(r"^(from|import) (unittest\.)?mock\b", path.read_text(), re.MULTILINE)
    ]
    users += [
        shown(path) for path in TESTS if re.search(r"^from unittest import .*\bmock\b", path.read_text(), re.MULTILINE)
    ]

    assert [] == users


LEAVES = {
    "rules/expectations": (wiring.operators, "key"),
    "rules/contract": (wiring.contract_rules, "id"),
    "reports": (wiring.formats, "name"),
    "adapters/executors": (wiring.executors, "name"),
    "adapters/runtimes": (wiring.runtimes, "name"),
    "adapters/forges": (wiring.forges, "name"),
    "adapters/importers": (wiring.importers, "name"),
}


@pytest.mark.parametrize("kind", LEAVES)
def test_a_leaf_calls_itself_what_its_file_is_called(kind):
    """The file's name is the key, so a leaf has no second name: a rule's id has hyphens for underscores."""
    catalogue, attribute = LEAVES[kind]
    named = {key: str(getattr(leaf, attribute)).replace("-", "_") for key, leaf in catalogue().items()}

    assert {key: key for key in named} == named


@pytest.mark.parametrize("kind", LEAVES)
def test_a_leaf_has_its_test_file(kind):
    """Each leaf is tested in the file that mirrors it; executors are tested by the suite of their port."""
    if kind == "adapters/executors":
        assert "wiring.executors()" in (CHECKOUT / "tests" / "contracts" / "test_executor.py").read_text()
        return
    files = [path.stem for path in (SOURCE / kind).glob("*.py") if not path.name.startswith("_")]
    folder = CHECKOUT / "tests" / "unit" / kind

    assert [] == sorted(f"{kind}/{name}" for name in files if not (folder / f"test_{name}.py").is_file())


def test_an_operator_has_its_page():
    """docs/reference/expectations/<key>.md says what the operator means."""
    assert [] == [key for key in wiring.operators() if not (REFERENCE / "expectations" / f"{key}.md").is_file()]


def test_an_operators_page_is_about_an_operator():
    """No page is left of an operator that is gone."""
    pages = {path.stem for path in (REFERENCE / "expectations").glob("*.md")} - {"README", "index"}

    assert [] == sorted(pages - set(wiring.operators()))


def test_an_operator_can_refuse():
    """Every operator brings an example that it accepts and one that it refuses."""
    assert [] == [key for key, operator in wiring.operators().items() if not operator.examples]


FINDERS = {"Finding", "Obstacle", "Rule", "error", "warning", "refused", "_error", "_repeated", "_undeclared"}
RULE_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")


def rule_ids():
    """Return every rule id that the source makes a finding or an obstacle with."""
    found = {rule.id for rule in wiring.contract_rules().values()}
    for path in MODULES:
        if "worker" in path.parts:
            continue  # what a worker answers is no rule
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in FINDERS:
                texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
                found |= {text for text in texts if RULE_ID.fullmatch(text)}
    return found


def test_every_rule_has_its_page():
    """Each rule id that a report can show has docs/reference/rules/<id>.md, which `explain` prints."""
    assert len(rule_ids()) > len(wiring.contract_rules())
    assert [] == sorted(rule for rule in rule_ids() if not (REFERENCE / "rules" / f"{rule}.md").is_file())


def test_a_rules_page_is_about_a_rule():
    """No page is left of a rule that is gone: each page's id stands somewhere in the source."""
    source = "\n".join(path.read_text() for path in MODULES)
    pages = {path.stem for path in (REFERENCE / "rules").glob("*.md")} - {"README", "index"}

    assert [] == sorted(page for page in pages if f'"{page}"' not in source and f'"{page}: ' not in source)


def test_a_page_is_headed_by_its_name():
    """A reference page of a rule or an operator has its id as its heading."""
    pages = [path for kind in ("rules", "expectations") for path in (REFERENCE / kind).glob("*.md")]
    pages = [path for path in pages if path.stem not in {"README", "index"}]

    assert [] == [shown(path) for path in pages if path.read_text().splitlines()[0].strip("# `") != path.stem]


def test_every_folder_of_tests_is_explained():
    """CONTRIBUTING.md says what each folder of tests is for."""
    text = (CHECKOUT / "CONTRIBUTING.md").read_text()
    folders = {path.parent for path in TESTS if path.parent != CHECKOUT / "tests"}
    tops = {path.relative_to(CHECKOUT / "tests").parts[0] for path in map(Path, folders)}

    assert [] == sorted(top for top in tops if f"`tests/{top}`" not in text)
