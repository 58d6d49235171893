"""Every rule has a page, and the examples of a page are refused and accepted as it says."""

import ast
import re
import subprocess

import pytest

from agentic_evals import wiring
from tests.e2e.program import READY, REJECTED, USAGE
from tests.house.support import CHECKOUT, commit_all
from tests.programs.example_skill import FILES, lay_out

FOLDER = CHECKOUT / "docs" / "reference" / "rules"
SOURCE = CHECKOUT / "src" / "agentic_evals"
PAGES = {page.stem: page.read_text() for page in sorted(FOLDER.glob("*.md")) if page.stem != "README"}

REFUSED, ACCEPTED = "## Example that is refused", "## Example that is accepted"
SHUT, OPEN = "## Example that keeps the gate shut", "## Example that opens it"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ADMITTED_PAGES = [name for name, text in PAGES.items() if REFUSED in text]
RUN_PAGES = [name for name, text in PAGES.items() if SHUT in text]
NOT_RUN = {
    "null-trial-unknown",
    "interrupted",
    "worker-lost",
    "samples-identical",
    "report-unknown-schema",
    "report-value",
}
"""Pages of what happens to a run from outside, or of documents that are no fixtures."""

KEBAB = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+|leaked|interrupted")
NO_RULES = {"utf-8", "utf-8-sig"}
SAYING = {"Finding", "Obstacle", "Rule", "refused", "refuse", "error", "warning", "_error", "_repeated", "_undeclared"}
PARTS_OF_A_FINDING = 3
"""Some modules hand on a finding as its id, its message and its hint."""
TRIAL_PROBLEMS = {"leaked", "output-limit", "worker-lost"}
"""Problems of a trial that begin with an id."""


def section(name, heading):
    """Return the prose of a page's section, and the language and text of its block."""
    text = PAGES[name].split(f"{heading}\n", 1)[1].split("\n## ", 1)[0]
    block = BLOCK.search(text)
    return text[: block.start()], block[1], block[2]


def put(folder, language, text):
    """Write an example where its skill has its fixture; return its path."""
    path = lay_out(folder)
    if language == "sh":
        subprocess.run(["sh", "-c", text], cwd=path.parent, check=True)
        return path
    path = path.with_suffix(f".{language}")
    path.write_text(text)
    return path


def admit(folder, name, heading):
    """Admit the example below a heading by the real flow."""
    _, language, text = section(name, heading)
    return wiring.admit()(str(put(folder, language, text)))


@pytest.fixture
def folder(tmp_path):
    """Return where the example's skill lies: below no git repository."""
    return tmp_path / "example-skill"


@pytest.mark.parametrize("name", ADMITTED_PAGES)
def test_the_refused_example_is_refused_by_its_rule(name, folder):
    """The fixture that the page shows as refused is not admitted, and the rule is among the reasons."""
    if name == "tier-removed":
        put(folder, *section(name, ACCEPTED)[1:])
        commit_all(folder)

    admission = admit(folder, name, REFUSED)

    assert not admission.admitted
    assert name in {finding.rule for finding in admission.findings}


@pytest.mark.parametrize("name", ADMITTED_PAGES)
def test_the_accepted_example_is_admitted(name, folder):
    """The fixture that the page shows as accepted is admitted, and no rule has anything to say of it."""
    admission = admit(folder, name, ACCEPTED)

    assert ([], True) == (list(admission.findings), admission.admitted)


@pytest.mark.long
@pytest.mark.parametrize("name", ADMITTED_PAGES)
def test_the_accepted_example_is_ready(name, folder, program):
    """What is accepted is no dead letter: the example skill passes it, but for claims, which nothing judges yet."""
    path = put(folder, *section(name, ACCEPTED)[1:])

    done, report = program.evaluate(path)

    assert done.returncode == READY or ["claims-unscored"] == [one["rule"] for one in report["obstacles"]], done.stdout


@pytest.mark.parametrize("name", RUN_PAGES)
def test_the_example_of_an_obstacle_keeps_the_gate_shut(name, folder, program):
    """A run of the example, with the flags that the page names, does not exit 0, and its report says the rule."""
    prose, language, text = section(name, SHUT)
    flags = re.search(r"Run with `(.*)`:", prose)
    arguments = [flag.replace("*", " ") for flag in flags[1].split()] if flags else []

    done, report = program.evaluate(put(folder, language, text), *arguments)

    assert done.returncode not in {READY, REJECTED, USAGE}, done.stderr
    said = {one["rule"] for one in report["obstacles"]}
    said |= {problem.partition(":")[0] for case in report["cases"] for problem in case["problems"]}
    assert name in said


@pytest.mark.parametrize("name", RUN_PAGES)
def test_the_other_example_of_an_obstacle_opens_the_gate(name, folder, program):
    """A run of the example that the page shows as the remedy is READY."""
    _, language, text = section(name, OPEN)

    done, _ = program.evaluate(put(folder, language, text))

    assert READY == done.returncode, done.stdout


def words(node):
    """Return the constants below a node that look like an id."""
    return {
        found.value
        for found in ast.walk(node)
        if isinstance(found, ast.Constant) and isinstance(found.value, str) and KEBAB.fullmatch(found.value)
    }


def ids_in(tree):
    """Return the ids that a module says: arguments of what makes findings, and what is assigned to `rule`."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in SAYING:
            found |= set().union(*(words(argument) for argument in node.args if not isinstance(argument, ast.Call)))
        elif isinstance(node, ast.Assign) and any("rule" in ast.unparse(target) for target in node.targets):
            found |= words(node.value)
        elif isinstance(node, ast.Tuple) and node.elts and isinstance(node.elts[0], ast.Constant):
            found |= words(node.elts[0]) if len(node.elts) == PARTS_OF_A_FINDING else set()
        elif isinstance(node, ast.arguments) and any(argument.arg == "rule" for argument in node.args):
            found |= set().union(*map(words, node.defaults))
    return found - NO_RULES


def every_id():
    """Return every rule id that the program can say."""
    found = set(TRIAL_PROBLEMS)
    for file in sorted(SOURCE.rglob("*.py")):
        if "worker" not in file.relative_to(SOURCE).parts:
            found |= ids_in(ast.parse(file.read_text()))
    return found


def test_the_ids_of_a_module_are_found():
    """The reader of the source sees ids in calls, in conditions and in assignments to `rule`, and no other words."""
    text = 'Finding("a-b", x, "utf-8")\nrule = "c-d" if y else "e-f"\ncode, rule = 1, "g-h"\nother("i-j")\n'

    assert {"a-b", "c-d", "e-f", "g-h"} == ids_in(ast.parse(text))


def test_every_rule_has_a_page_and_every_page_a_rule():
    """Whoever meets an id finds its page, and no page speaks of a rule that is gone."""
    assert every_id() == set(PAGES)


def test_a_rule_of_the_contract_is_named_as_its_file():
    """The id of a contract rule is its file's name with hyphens."""
    files = {path.stem.replace("_", "-") for path in (SOURCE / "rules" / "contract").glob("[!_]*.py")}

    assert files == {rule.id for rule in wiring.contract_rules().values()}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_its_parts(name):
    """A page begins with its id and one sentence, and says why, by which example, and what to do."""
    text = PAGES[name]
    first, second, *_ = text.split("\n\n")
    headings = [line for line in text.splitlines() if line.startswith("## ")]

    assert f"# {name}" == first
    assert second.endswith(".")
    assert "\n" not in second
    assert "## Why" == headings[0]
    assert "## Remedy" == headings[-1]
    assert name in NOT_RUN or headings[1:-1] in ([REFUSED, ACCEPTED], [SHUT, OPEN])


def test_the_index_lists_every_page(update_golden):
    """docs/reference/rules/README.md ends with each page and its first sentence, in order."""
    index = FOLDER / "README.md"
    head, heading, shown = index.read_text().partition("## The list\n\n")
    pages = wiring.pages()
    lines = "".join(f"* [{name}]({name}.md): {pages.summary(name)}\n" for name in PAGES)
    if update_golden:
        index.write_text(head + heading + lines)

    assert lines == (lines if update_golden else shown)


def test_the_index_describes_the_skill_of_the_examples():
    """Every file of the example skill stands in the index, so that a reader knows what the examples refer to."""
    text = (FOLDER / "README.md").read_text()

    assert [] == [name for name in FILES if f"\n{name} " not in text]


def test_explain_prints_the_page(program, tmp_path):
    """`explain ID` prints the page as it stands."""
    done = program("explain", "trials-too-few", cwd=tmp_path)

    assert (READY, PAGES["trials-too-few"], "") == (done.returncode, done.stdout, done.stderr)


def test_explain_lists_every_rule(program, tmp_path):
    """`explain` without an argument has a line for each rule, with the first sentence of its page."""
    done = program("explain", cwd=tmp_path)

    assert READY == done.returncode
    assert list(PAGES) == [line.split()[0] for line in done.stdout.splitlines()]
    assert "Every case is optional, so there is nothing to score." in done.stdout


def test_explain_suggests_what_was_meant(program, tmp_path):
    """An id that there is not is an error of usage, with the nearest one as a hint."""
    done = program("explain", "trial-too-few", cwd=tmp_path)

    assert USAGE == done.returncode
    assert "trials-too-few" in done.stderr
    assert "Traceback" not in done.stderr
