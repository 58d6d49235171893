"""A second reading needs a file to read."""

from agentic_evals.rules.contract.readback_without_artifacts import RULE
from tests.unit.rules.contract.subjects import HONEST, case, said, subject

FILE = {"exit_code": 0, "artifacts": [{"path": "report.json", "json_pointer": "/words", "equals": 14}]}


def test_a_readback_of_a_file_is_accepted():
    """A case that asserts a file may ask for its readback."""
    command = ("./run.sh", "samples/poem.txt", "--json", "report.json")

    assert [] == said(RULE, subject(case(*command, expected=FILE, readback=True)))


def test_a_readback_of_nothing_is_refused():
    """A case that asserts no file may not, wherever it stands."""
    assert [("error", "/cases/1/readback")] == said(RULE, subject(HONEST, HONEST | {"readback": True}))


def test_without_readback_nothing_is_asked():
    """Streams are enough for a case that asks for no readback."""
    assert [] == said(RULE, subject(HONEST))
