"""The pages of operators tell the truth: their examples are judged as they say."""

import json
import re
from pathlib import Path

import pytest

from agentic_evals import wiring
from agentic_evals.model.trial import Blob, Capture, Exited, Observed
from agentic_evals.model.verdict import Outcome
from agentic_evals.rules.judge import judge
from agentic_evals.rules.parse.fixture import parse_fixture

FOLDER = Path(__file__).resolve().parents[4] / "docs" / "reference" / "expectations"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.stem != "index")
EXAMPLE = re.compile(r"^## Example that (passes|fails)\n\n```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
READ = {"exit_code", "stdout", "stderr", "files", "trajectory", "argv", "duration_ms"}


def examples(page):
    """Return each example of a page, and whether it passes."""
    return [(found[1] == "passes", json.loads(found[2])) for found in EXAMPLE.finditer(page.read_text())]


def capture(seen):
    """Make the capture that an example describes."""
    assert set(seen) <= READ
    files = {path: text.encode() for path, text in seen.get("files", {}).items()}
    return Capture(
        Exited(seen.get("exit_code", 0)),
        stdout=Blob.of(seen.get("stdout", "").encode()),
        stderr=Blob.of(seen.get("stderr", "").encode()),
        trajectory=Blob.of(seen["trajectory"].encode()) if "trajectory" in seen else None,
        observed={
            path: Observed(path, "file", len(data), fresh=True, blob=Blob.of(data)) for path, data in files.items()
        },
        duration_ms=seen.get("duration_ms", 0.0),
        argv=tuple(seen.get("argv", ())),
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_are_judged_as_it_says(page):
    """One passes, one fails, and both are about the operator of the page."""
    shown = examples(page)
    outcomes = []
    for _, example in shown:
        case = {"name": "any", "type": "positive", "command": ["x"], "expected": example["expected"]}
        text = json.dumps({"version": 2, "skill": "any", "cases": [case]})
        suite = parse_fixture(text.encode(), "any.json", wiring.operators())
        assert () == suite.findings
        assert page.stem in example["expected"]
        outcomes.append(judge(suite.cases[0], capture(example["observed"])).outcome)

    assert [True, False] == [passes for passes, _ in shown]
    assert [Outcome.PASS, Outcome.FAIL] == outcomes


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_says_what_a_no_op_shows(page):
    """Whoever writes an expectation learns whether it can fail."""
    assert re.search(r"^## Its value\n", page.read_text(), re.MULTILINE)
    assert re.search(r"^## What a no-op shows\n\n\S", page.read_text(), re.MULTILINE)
