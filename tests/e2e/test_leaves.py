"""A leaf is one file: dropped into a copy of the package, it is used through the command line with no other edit."""

import json
import shutil

import pytest

from tests.e2e.program import ENVIRONMENT, NOT_READY, READY, REJECTED, Program, case, make_skill, problems
from tests.house.support import CHECKOUT

OPERATOR = '''
"""How often a word must occur in standard output."""
from agentic_evals.model.trial import Blob, Capture, Exited
from agentic_evals.model.verdict import Decision
from agentic_evals.rules.operator import Example, Operator

def _judge(spec, evidence):
    times = sum(chunk.count(b"twice") for chunk in evidence.capture.stdout.chunks())
    return (Decision("", holds=times == spec, observation=f"twice occurs {times} times, expected {spec}"),)

OPERATOR = Operator(
    "twice_occurs", "How often a word occurs.", int, _judge,
    (Example(1, Capture(Exited(0), stdout=Blob.of(b"twice")), Capture(Exited(0))),),
)
'''
RULE = '''
"""A suite must name what it was exercised on."""
from agentic_evals.rules.subject import Rule, error

def _check(subject):
    if subject.fixture.what_was_exercised is None:
        yield error("exercise-unnamed", "nothing is named", "/cases", "Say what was exercised.")

RULE = Rule("exercise-unnamed", "The suite says what it exercises.", _check)
'''
FORMAT = '''
"""The report as one shout."""
from agentic_evals.reports._format import Format

FORMAT = Format("shout", ".shout", "One loud line.", lambda report: report.headline.upper() + "!\\n")
'''
EXECUTOR = '''
"""An executor that carries out nothing and says that the machine was busy."""
from agentic_evals.model.trial import Blob, Capture, Exited
from agentic_evals.ports import ExecutorFactory

class Busy:
    def __init__(self, jobs):
        del jobs
    def run(self, jobs):
        for job in jobs:
            yield job, Capture(Exited(75), stdout=Blob.of(b"the cluster is busy"), argv=job.argv)

EXECUTOR = ExecutorFactory("busy", "Carries out nothing.", Busy)
'''
RUNTIME = '''
"""An agent that is always there."""
class Steady:
    name, summary = "steady", "Steady agent"
    def usable(self, which, environment):
        return True, "always at hand"

RUNTIME = Steady()
'''
FORGE = '''
"""A forge that is recognised by one variable."""
class Anvil:
    name, summary = "anvil", "Anvil"
    def usable(self, environment):
        return "ANVIL" in environment, "the hammer is at hand"

FORGE = Anvil()
'''
IMPORTER = '''
"""Suites of an invented tool."""
class Scrolls:
    name, summary = "scrolls", "Scrolls"
    def recognises(self, document):
        return "a scroll of old" if isinstance(document, dict) and "scroll" in document else None

IMPORTER = Scrolls()
'''


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Return a copy of the package into which one leaf of each kind was dropped."""
    folder = tmp_path_factory.mktemp("copy")
    package = folder / "agentic_evals"
    shutil.copytree(CHECKOUT / "src" / "agentic_evals", package, ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in {
        "rules/expectations/twice_occurs.py": OPERATOR,
        "rules/contract/exercise_unnamed.py": RULE,
        "reports/shout.py": FORMAT,
        "adapters/executors/busy.py": EXECUTOR,
        "adapters/runtimes/steady.py": RUNTIME,
        "adapters/forges/anvil.py": FORGE,
        "adapters/importers/scrolls.py": IMPORTER,
    }.items():
        assert not (package / path).exists()
        (package / path).write_text(text.lstrip())
    return folder


@pytest.fixture
def extended(copy, tmp_path):
    """Return the program of the copy."""
    return Program(tmp_path / "home", copy)


def test_a_new_operator_a_new_rule_and_a_new_format(extended, skill):
    """The operator judges, the rule is asked and the format is printed; the file's name is the key of each."""
    counted = case("counts", "echo twice, twice", {"exit_code": 0, "twice_occurs": 2})
    wrong = case("miscounts", "echo twice, twice", {"exit_code": 0, "twice_occurs": 3})
    fixture = make_skill(skill, counted, wrong, what_was_exercised="everything")

    done, report = extended.evaluate(fixture, "--format", "shout")

    assert NOT_READY == done.returncode, done.stderr
    assert done.stdout.startswith("USABLE_WITH_GAPS")
    assert done.stdout.endswith("!\n")
    assert [] == problems(report, "counts")
    assert ["expected/twice_occurs: twice occurs 2 times, expected 3"] == problems(report, "miscounts")


def test_a_new_rule_refuses(extended, skill):
    """`validate` names the new rule with pointer and remedy."""
    done = extended("validate", make_skill(skill), cwd=skill)

    assert REJECTED == done.returncode
    assert "error[exercise-unnamed]: nothing is named" in done.stdout
    assert "Say what was exercised." in done.stdout


def test_a_new_operator_is_strict_and_in_the_schema(extended, skill):
    """The value of the new key is checked as that of any other, and `schema` describes it."""
    wrong = case("counts", "echo twice", {"exit_code": 0, "twice_occurs": "2"})
    refused = extended("validate", make_skill(skill, wrong), cwd=skill)
    schema = json.loads(extended("schema", "fixture", cwd=skill).stdout)

    assert REJECTED == refused.returncode
    assert "/cases/2/expected/twice_occurs" in refused.stdout
    assert "integer" == schema["$defs"]["Case"]["properties"]["expected"]["properties"]["twice_occurs"]["type"]


def test_a_new_executor(extended, skill):
    """`--executor` takes the new one, and what it brings back is judged here."""
    fixture = make_skill(skill, what_was_exercised="everything")

    done, report = extended.evaluate(fixture, "--executor", "busy")

    assert NOT_READY == done.returncode, done.stderr
    assert "expected/exit_code: exit code 75, expected exit code 0" in problems(report, "doubles")


def test_a_new_runtime_a_new_forge_and_a_new_importer(extended, tmp_path):
    """`doctor` lists the first two and `validate` says what the third recognises."""
    (tmp_path / "old.json").write_text('{"scroll": []}')

    listed = json.loads(extended("doctor", "--format", "json", cwd=tmp_path, ANVIL="1").stdout)
    said = extended("validate", "old.json", cwd=tmp_path)

    assert {"usable": True, "why": "always at hand"} == listed["runtimes"]["steady"]
    assert {"usable": True, "why": "the hammer is at hand"} == listed["forges"]["anvil"]
    assert "Scrolls" == listed["importers"]["scrolls"]
    assert REJECTED == said.returncode
    assert "a scroll of old" in said.stdout


@pytest.mark.parametrize(
    ("text", "constant"),
    [("VERSION = 1\n", "OPERATOR"), ("OPERATOR = 'twice'\n", "OPERATOR")],
    ids=["no constant", "another type"],
)
def test_a_leaf_without_its_constant_is_named(copy, tmp_path, skill, text, constant):
    """Whoever uses a leaf that is none reads its file and what is missing there, and no traceback."""
    shutil.copytree(copy, tmp_path / "copy")
    leaf = tmp_path / "copy" / "agentic_evals" / "rules" / "expectations" / "empty_leaf.py"
    leaf.write_text(f'"""No leaf."""\n{text}')
    program = Program(tmp_path / "home", tmp_path / "copy")
    unused = make_skill(skill / "unused", what_was_exercised="everything", git=False)
    used = make_skill(skill / "used", case("any", "true", {"exit_code": 0, "empty_leaf": 1}), git=False)

    done = program("validate", used, cwd=skill)

    assert ENVIRONMENT == done.returncode
    assert f"error: {leaf} must define {constant}: Operator" in done.stderr
    assert "Traceback" not in done.stderr
    assert READY == program("validate", unused, cwd=skill).returncode
