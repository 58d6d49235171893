"""The operator stdout_json."""

import pytest

from agentic_evals.model.trial import Blob, Capture, Exited, Observed
from tests.unit.rules.expectations.asking import held, holds, out, refused_at, said, spooled

KEY = "stdout_json"


def test_each_comparator_is_a_decision():
    """Every key of an assertion is decided, at its own place."""
    value = [{"json_pointer": "/a", "equals": 1, "type_of": "string"}, {"json_pointer": "/b", "not_exists": True}]

    assert [("/0/equals", True), ("/0/type_of", False), ("/1/not_exists", True)] == held(KEY, value, out('{"a": 1}'))


def test_without_a_pointer_the_whole_document_is_meant():
    """An assertion without a pointer compares everything that was printed."""
    assert holds(KEY, [{"equals": {"a": [1]}}, {"type_of": "object"}, {"exists": True}], out('{"a": [1.0]}'))


def test_a_regex_without_a_pointer_is_about_the_text():
    """The text is matched, JSON or not."""
    assert [("/0/matches_regex", True)] == held(KEY, [{"matches_regex": "^done"}], out("done"))


@pytest.mark.parametrize("text", ["", " ", "done\n{}", "{}{}", "{'a': 1}", '{"a": NaN}', '{"a": 1, "a": 2}'])
def test_output_that_is_not_one_json_document_fails_with_its_reason(text):
    """Nothing beside the document is passed over."""
    assert not holds(KEY, [{"json_pointer": "/b", "not_exists": True}], out(text))
    assert "stdout: " in said(KEY, [{"json_pointer": "/b", "not_exists": True}], out(text))


def test_null_is_a_value_that_can_be_asked_for():
    """`equals: null` is given, and is not the same as leaving it out."""
    assert [("/0/equals", True)] == held(KEY, [{"json_pointer": "/a", "equals": None}], out('{"a": null}'))
    assert not holds(KEY, [{"json_pointer": "/a", "equals": None}], out('{"a": 0}'))


def test_a_value_is_compared_with_one_in_a_file_of_the_trial():
    """`equals_artifact` reads a file that the command wrote; an older one does not count."""
    value = [{"json_pointer": "/a", "equals_artifact": {"path": "f", "json_pointer": "/b"}}]
    blob = Blob.of(b'{"b": [1]}')
    fresh, stale = (Observed("f", "file", blob.size, fresh=fresh, blob=blob) for fresh in (True, False))

    assert holds(KEY, value, out('{"a": [1]}', observed={"f": fresh}))
    assert not holds(KEY, value, out('{"a": [1]}', observed={"f": stale}))
    assert not holds(KEY, value, out('{"a": [1]}'))


def test_output_is_read_as_json_once():
    """Many assertions on a spooled stream read it one time."""
    stream = spooled(b'{"a": 1', b"}")

    assert holds(KEY, [{"json_pointer": "/a", "equals": 1}] * 5, Capture(Exited(0), stdout=stream))
    assert 1 == stream.whole.readings


def test_a_document_of_more_than_16_mib_is_not_read():
    """Memory stays bounded: it fails with its reason."""
    stream = spooled(b'"', *[b"x" * 1024 * 1024] * 16, b'"')

    assert "too many to be read" in said(KEY, [{"exists": True}], Capture(Exited(0), stdout=stream))
    assert 0 == stream.whole.readings


@pytest.mark.parametrize(
    ("assertion", "place"),
    [
        ({}, ""),
        ({"for_claim": "c"}, ""),
        ({"path": "a", "equals": 1}, "/path"),
        ({"min_bytes": 1}, "/min_bytes"),
        ({"json_pointer": "a", "equals": 1}, "/json_pointer"),
        ({"json_pointer": "/a"}, "/json_pointer"),
        ({"json_pointer": "/a~2", "equals": 1}, "/json_pointer"),
        ({"not_exists": True}, "/not_exists"),
        ({"json_pointer": "", "not_exists": True}, "/not_exists"),
        ({"json_pointer": "/a", "not_exists": True, "equals": 1}, "/not_exists"),
        ({"json_pointer": "/a", "exists": False}, "/exists"),
        ({"json_pointer": "/a", "exists": 1}, "/exists"),
        ({"json_pointer": "/a", "exists": None}, "/exists"),
        ({"json_pointer": "/a", "type_of": None}, "/type_of"),
        ({"json_pointer": "/a", "type_of": "float"}, "/type_of"),
        ({"json_pointer": None, "equals": 1}, "/json_pointer"),
        ({"matches_regex": ""}, "/matches_regex"),
        ({"json_pointer": "/a", "equals_artifact": {"path": "f"}}, "/equals_artifact/json_pointer"),
        (
            {"json_pointer": "/a", "equals_artifact": {"path": "f", "json_pointer": "x"}},
            "/equals_artifact/json_pointer",
        ),
    ],
)
def test_an_assertion_that_asks_wrongly_is_refused_where_it_does(assertion, place):
    """Each mistake is named at its place."""
    assert [f"{KEY}/0{place}"] == refused_at(KEY, [assertion])
