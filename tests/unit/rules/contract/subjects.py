"""Builds what a contract rule looks at, from values alone: a fixture's cases, and the names of the files around it."""

import json

from agentic_evals import wiring
from agentic_evals.model.workspace import RepositoryFacts, WorkspaceFacts
from agentic_evals.rules.parse.fixture import parse_fixture
from agentic_evals.rules.subject import Subject
from tests.programs.example_skill import FILES, NAME

ROOT = "/home/somebody/repository"
COUNTS = {"exit_code": 0, "stdout_contains": ["words: 14"]}
REFUSES = {"exit_code": 2, "stderr_contains": ["refused: "]}
CLAIM = {"id": "counts", "criticality": "critical", "evidence_required": ["deterministic"]}
SEAM = {"seam_id": "reading", "seam_type": "input", "criticality": "important", "required_evidence": ["deterministic"]}


def case(*command, **more):
    """Return a positive case that runs a command in the skill folder."""
    return {
        "name": "counts",
        "type": "positive",
        "workdir": "..",
        "command": list(command),
        "expected": COUNTS,
        **more,
    }


def shell(text, program="bash", flag="-c", **more):
    """Return a positive case whose command is a text for a shell."""
    return case(program, flag, text, **more)


HONEST = case("./run.sh", "samples/poem.txt", real_world=True)
ATTACK = case("./run.sh", "samples/none.txt", name="refuses", type="negative", expected=REFUSES)


def facts(
    *more_files,
    skill=".",
    fixture=None,
    text=FILES["SKILL.md"],
    name=NAME,
    root=ROOT,
    declared_compliance=False,
    without=(),
):
    """Return what is known of a workspace that holds the example skill."""
    below = "" if skill == "." else f"{skill}/"
    files = {f"{below}{path}" for path in FILES if path not in without} | {f"{below}fixtures/agentic_eval.json"}
    files |= set(more_files)
    folders = {path.rpartition("/")[0] for path in files if "/" in path}
    return WorkspaceFacts(
        root=root,
        fixture=fixture or f"{below}fixtures",
        skill=skill,
        skill_name=name,
        skill_text=text,
        files=frozenset(files),
        folders=frozenset({".", *folders}),
        repository=RepositoryFacts(root=root, declared_compliance=declared_compliance),
    )


def subject(*cases, around=None, trials=None, set_by=None, **manifest):
    """Return a readable fixture of some cases, which gets a name for each, with the files around it."""
    seen = {}
    for one in cases:
        seen.setdefault(one["name"], []).append(one)
    numbered = [one | {"name": f"{one['name']} {index}"} if len(seen[one["name"]]) > 1 else one
                for index, one in enumerate(cases)]  # fmt: skip
    document = {"version": 2, "skill": NAME, "trials": 2, **manifest, "cases": numbered}
    suite = parse_fixture(json.dumps(document).encode(), "agentic_eval.json", wiring.operators())
    assert suite.readable, suite.findings
    return Subject(
        suite.fixture, suite.cases, around or facts(), trials if trials is not None else suite.fixture.trials, set_by
    )


def said(rule, about):
    """Return what a rule finds, as pairs of severity and pointer; every finding names it and says what to do."""
    found = list(rule.check(about))
    assert all(rule.id == finding.rule and finding.message and finding.hint for finding in found)
    return [(finding.severity.word, finding.location.pointer) for finding in found]


def message(rule, about):
    """Return the message of the one thing that a rule finds."""
    (finding,) = rule.check(about)
    return finding.message


def fragments(rule, about):
    """Return the texts to paste of what a rule finds."""
    return [finding.fragment for finding in rule.check(about)]
