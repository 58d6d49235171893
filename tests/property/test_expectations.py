"""What holds for every expectation, whatever its value."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentic_evals import wiring
from agentic_evals.model.canonical import json_equal
from agentic_evals.model.trial import Blob, Capture, Exited
from agentic_evals.model.verdict import Outcome
from agentic_evals.rules import pointer
from agentic_evals.rules.expectations._json import NotJson, load, shown
from agentic_evals.rules.expectations._regex import matching
from agentic_evals.rules.expectations._streams import found
from agentic_evals.rules.judge import judge
from agentic_evals.rules.nullcapture import is_vacuous, null_capture, null_captures
from agentic_evals.rules.parse.fixture import parse_fixture

WORDS = st.sampled_from(["run", "total 42", "done", "x", "{", '{"a": 1}', "[1]", "--flag"])
TEXTS = st.lists(WORDS, min_size=1, max_size=3)
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=5)
)
JSON = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
ASSERTIONS = st.lists(
    st.one_of(
        st.fixed_dictionaries({"json_pointer": st.sampled_from(["", "/a", "/0"]), "equals": JSON}),
        st.fixed_dictionaries({"json_pointer": st.sampled_from(["/a", "/b"]), "not_exists": st.sampled_from([True])}),
        st.fixed_dictionaries({"type_of": st.sampled_from(["object", "array", "null"])}),
        st.fixed_dictionaries({"matches_regex": st.sampled_from(["total", "^$", "1"])}),
    ),
    min_size=1,
    max_size=2,
)
REGEXES = st.lists(st.sampled_from(["total [0-9]+", "^$", "x", "(?m)^done$", "."]), min_size=1, max_size=2)
BY_KEY = {
    "exit_code": st.sampled_from([0, 1, -9]),
    "max_duration_seconds": st.floats(min_value=0.001, max_value=100),
    "stdout_json": ASSERTIONS,
    "artifacts": st.lists(
        st.one_of(
            st.just({"path": "out", "exists": True}),
            st.just({"path": "out", "absent": True}),
            st.just({"path": "out", "max_bytes": 0}),
            ASSERTIONS.map(lambda found: {"path": "out", "json_pointer": ""} | found[0]),
        ),
        min_size=1,
        max_size=2,
    ).filter(lambda found: all("type_of" not in item or "json_pointer" in item for item in found)),
    "trajectory_must_include": TEXTS
    | st.builds(lambda markers, ordered: {"markers": markers, "ordered": ordered}, TEXTS, st.booleans()),
    "safety_constraints": st.lists(
        st.builds(
            lambda more, severity, action: {**more, "severity": severity, "action": action},
            st.sampled_from(
                [
                    {"type": "no_new_files_outside_temp"},
                    {"type": "no_network_unless_allowed"},
                    {"type": "no_fork_bomb_clusters", "max_processes": 3},
                    {"type": "no_secret_in_output"},
                    {"type": "max_memory", "max_bytes": 1},
                    {"type": "max_output", "max_bytes": 0},
                ]
            ),
            st.sampled_from(["error", "warn", "info"]),
            st.sampled_from(["flag", "monitor"]),
        ),
        min_size=1,
        max_size=2,
    ),
} | {
    f"{stream}_{kind}": values
    for stream in ("stdout", "stderr")
    for kind, values in (("contains", TEXTS), ("excludes", TEXTS), ("matches", REGEXES))
}


def compiled(expected, command):
    """Return a case as the judge works on it, or `None` where its value is refused."""
    case = {"name": "any", "type": "positive", "command": command, "expected": {"exit_code": 0} | expected}
    suite = parse_fixture(
        json.dumps({"version": 2, "skill": "s", "cases": [case]}).encode(), "any.json", wiring.operators()
    )
    return suite.cases[0] if suite.readable else None


def passes(case, capture):
    """Return whether nothing fails on a capture; what nobody can observe is no failure."""
    verdict = judge(case, capture)
    return verdict.outcome is Outcome.PASS or verdict.unenforced


def test_every_operator_has_values_here():
    """No operator escapes these properties."""
    assert set() == set(BY_KEY) - set(wiring.operators())


@pytest.mark.parametrize("key", sorted(BY_KEY))
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_a_case_is_vacuous_where_some_null_capture_passes(key, data):
    """Vacuity is the judge's own verdict on captures of doing nothing; the plain one is among them."""
    case = compiled({key: data.draw(BY_KEY[key])}, ["run", *data.draw(TEXTS)])
    if case is None:
        return

    assert any(passes(case, capture) for capture in null_captures(case)) is is_vacuous(case)
    assert null_capture(case) == next(null_captures(case))
    assert is_vacuous(case) or not passes(case, null_capture(case))


@given(expected=st.fixed_dictionaries({}, optional=BY_KEY), command=TEXTS)
@settings(max_examples=80, deadline=None)
def test_a_further_expectation_never_makes_a_case_vacuous(expected, command):
    """What a no-op cannot pass, it cannot pass with more asked of it."""
    case = compiled(expected, ["run", *command])
    if case is None or not is_vacuous(case):
        return

    for key in set(expected) - {"exit_code"}:
        fewer = compiled({name: value for name, value in expected.items() if name != key}, ["run", *command])
        assert is_vacuous(fewer)


@pytest.mark.parametrize("key", sorted(BY_KEY))
@given(data=st.data(), stdout=st.binary(max_size=40), stderr=st.binary(max_size=40))
@settings(max_examples=40, deadline=None)
def test_judging_never_crashes_and_places_are_distinct(key, data, stdout, stderr):
    """Whatever bytes come, every part is decided once, and decided alike the next time."""
    case = compiled({key: data.draw(BY_KEY[key])}, ["run"])
    if case is None:
        return
    capture = Capture(Exited(0), stdout=Blob.of(stdout), stderr=Blob.of(stderr), trajectory=Blob.of(stdout))

    verdict = judge(case, capture)

    pointers = [decision.pointer for decision in verdict.decisions]
    assert len(set(pointers)) == len(pointers)
    assert verdict == judge(case, capture)


@given(data=st.binary(max_size=200))
def test_reading_json_never_crashes(data):
    """Any bytes are a document or have a reason."""
    try:
        value = load(Blob.of(data))
    except NotJson as error:
        reason = str(error)
    else:
        reason = "" if json_equal(value, json.loads(data)) else None

    assert reason is not None


@given(value=JSON)
def test_json_that_was_written_is_read_and_equal_to_itself(value):
    """Writing and reading changes nothing, and a value can be shown."""
    read = load(Blob.of(json.dumps(value).encode("utf-8", "surrogatepass")))

    assert json_equal(value, read)
    assert len(shown(read)) <= 1500


@given(value=JSON)
def test_every_value_has_a_pointer(value):
    """Walking down by keys and indexes arrives where the pointer does."""
    stack = [(value, "")]
    while stack:
        inner, at = stack.pop()
        assert inner is pointer.resolve(value, at)
        pairs = inner.items() if isinstance(inner, dict) else enumerate(inner) if isinstance(inner, list) else ()
        stack += [(item, f"{at}/{str(key).replace('~', '~0').replace('/', '~1')}") for key, item in pairs]


@given(data=st.binary(max_size=60), needles=st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=4))
def test_a_needle_is_found_where_its_bytes_are(data, needles):
    """Searching is comparing bytes."""
    assert {needle for needle in needles if needle.encode("utf-8", "surrogatepass") in data} == found(
        Blob.of(data), needles
    )


@pytest.mark.usefixtures("small_windows")
@given(cuts=st.lists(st.integers(0, 300), max_size=6), at=st.integers(0, 294))
def test_windows_hide_nothing(cuts, at):
    """Wherever the chunks and windows of a stream end, a needle and a match are found, and only those."""
    data = b"." * at + b"needle" + b"." * (294 - at)
    edges = [0, *sorted(cuts), len(data)]
    blob = Blob(len(data), "", b"", b"", [data[start:end] for start, end in pairwise(edges)])

    assert {"needle"} == found(blob, ["needle", "needles"])
    assert {"ne+dle", r"\A[.n]", r"[.e]\z"} == matching(
        blob, ["ne+dle", r"\A[.n]", r"[.e]\z", r"(?m)^\.{0,60}$", r"\Ae"]
    )


@pytest.fixture(scope="module")
def small_windows():
    """Make windows of 64 bytes with an overlap of 16, so that a short stream has many."""
    from agentic_evals.rules.expectations import _streams

    patch = pytest.MonkeyPatch()
    patch.setattr(_streams, "WHOLE_BYTES", 64)
    patch.setattr(_streams, "OVERLAP_BYTES", 16)
    patch.setattr(_streams, "_PIECE_BYTES", 8)
    yield
    patch.undo()
