"""Asking one operator: values as an author writes them, captures as a test describes them."""

import json

from pydantic import TypeAdapter

from agentic_evals import wiring
from agentic_evals.model.fixture import Case
from agentic_evals.model.trial import Blob, Capture, Exited, Observed
from agentic_evals.rules.operator import Evidence
from agentic_evals.rules.parse.fixture import parse_fixture


class Spooled:
    """Bytes that are read in chunks, any number of times, and that count how often."""

    def __init__(self, *chunks):
        """Keep the chunks."""
        self.chunks = chunks
        self.readings = 0

    def __iter__(self):
        """Yield the chunks again."""
        self.readings += 1
        yield from self.chunks


def spooled(*chunks):
    """Return a blob that is not in memory as a whole."""
    size = sum(map(len, chunks))
    return Blob(size, "0" * 64, b"".join(chunks[:1])[:64], b"".join(chunks[-1:])[-64:], Spooled(*chunks))


def out(text, **more):
    """Return the capture of a command that printed a text and exited 0."""
    return Capture(Exited(0), stdout=Blob.of(text if isinstance(text, bytes) else text.encode()), **more)


def err(text, **more):
    """Return the capture of a command that printed a text on standard error and exited 0."""
    return Capture(Exited(0), stderr=Blob.of(text if isinstance(text, bytes) else text.encode()), **more)


def wrote(**files):
    """Return the capture of a command that wrote files; a name's `_` stands for its dot."""
    seen = {}
    for name, content in files.items():
        path = name.replace("_", ".")
        seen[path] = Observed(path, "file", len(content), fresh=True, blob=Blob.of(content))
    return Capture(Exited(0), observed=seen)


def a_case(**more):
    """Return some case."""
    return Case(name="any", type="positive", command=["x"], expected={"exit_code": 0}, **more)


def decisions(key, value, capture, **case):
    """Judge a value, as an author writes it, on a capture."""
    operator = wiring.operators()[key]
    spec = TypeAdapter(operator.spec).validate_python(value, strict=True)
    assert () == operator.check(spec)
    return operator.judge(spec, Evidence(a_case(**case), capture))


def held(key, value, capture, **case):
    """Return pointer and verdict of each decision."""
    return [(decision.pointer, decision.holds) for decision in decisions(key, value, capture, **case)]


def holds(key, value, capture, **case):
    """Return whether everything holds."""
    return all(decision.holds for decision in decisions(key, value, capture, **case))


def said(key, value, capture, **case):
    """Return what was seen, in one text."""
    return "; ".join(decision.observation for decision in decisions(key, value, capture, **case))


def refusals(key, value):
    """Return pointer below `expected` and message of each finding about a value in a fixture."""
    document = {
        "version": 2,
        "skill": "any",
        "cases": [{"name": "any", "type": "positive", "command": ["x"], "expected": {"exit_code": 0, key: value}}],
    }
    suite = parse_fixture(json.dumps(document).encode(), "any.json", wiring.operators())
    start = "/cases/0/expected/"
    return [(finding.location.pointer.removeprefix(start), finding.message) for finding in suite.findings]


def refused_at(key, value):
    """Return the pointers below `expected` at which something is wrong with a value."""
    return [pointer for pointer, _ in refusals(key, value)]
