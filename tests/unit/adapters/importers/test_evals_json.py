"""The importer evals_json."""

import pytest

from agentic_evals.adapters.importers.evals_json import IMPORTER


@pytest.mark.parametrize(
    ("document", "number"),
    [
        ([{"prompt": "Say hello."}], 1),
        ({"evals": [{"query": "a"}, {"question": "b"}]}, 2),
        ({"skill_name": "greeter", "evals": [{"id": 1, "prompt": "a", "expected_output": "b"}]}, 1),
    ],
)
def test_a_suite_of_prompts_is_recognised(document, number):
    """A list of entries with a prompt, at the top or below `evals`, is such a suite, and its size is told."""
    assert f"an evals.json suite of {number} prompts" in IMPORTER.recognises(document)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        "prompt",
        7,
        {"evals": {}},
        {"evals": []},
        [{"prompt": "a"}, {"name": "b"}],
        ["prompt"],
        {"version": 2, "skill": "sample", "cases": [{"name": "a", "command": ["true"]}]},
    ],
)
def test_anything_else_is_not(document):
    """No other document, and no fixture of ours, is taken for one."""
    assert IMPORTER.recognises(document) is None
