"""The operator artifacts."""

import hashlib

import pytest
from pydantic import TypeAdapter

from agentic_evals import wiring
from agentic_evals.model.trial import Blob, Capture, Exited, Observe, Observed
from tests.unit.rules.expectations.asking import a_case, held, holds, refused_at, said, spooled, wrote

KEY = "artifacts"
SHA = hashlib.sha256(b"hello").hexdigest()


def value(content, **comparators):
    """Return whether an assertion on `/a` of a file holds."""
    return holds(KEY, [{"path": "f.json", "json_pointer": "/a", **comparators}], wrote(f_json=content))


@pytest.mark.parametrize(
    ("content", "comparators", "expected"),
    [
        (b'{"a": 1}', {"equals": 1.0}, True),
        (b'{"a": true}', {"equals": 1}, False),
        (b'{"a": null}', {"equals": None}, True),
        (b"{}", {"equals": None}, False),
        (b'{"a": {"x": 1, "y": 2}}', {"equals": {"y": 2, "x": 1}}, True),
        (b'{"a": [1, 2]}', {"equals": [2, 1]}, False),
        (b'{"a": 1}', {"not_equals": None}, True),
        (b"{}", {"not_equals": 1}, False),
        (b'{"a": "b1"}', {"matches_regex": "[0-9]"}, True),
        (b'{"a": 1}', {"matches_regex": "1"}, False),
        (b'{"a": "\\ud800"}', {"matches_regex": "x"}, False),
        (b'{"a": null}', {"type_of": "null"}, True),
        (b'{"a": true}', {"type_of": "boolean"}, True),
        (b'{"a": 1}', {"type_of": "integer"}, True),
        (b'{"a": 1.0}', {"type_of": "integer"}, True),
        (b'{"a": 1.5}', {"type_of": "integer"}, False),
        (b'{"a": true}', {"type_of": "number"}, False),
        (b'{"a": 1}', {"type_of": "number"}, True),
        (b'{"a": "x"}', {"type_of": "string"}, True),
        (b'{"a": []}', {"type_of": "array"}, True),
        (b'{"a": {}}', {"type_of": "object"}, True),
        (b'{"a": null}', {"exists": True}, True),
        (b"{}", {"exists": True}, False),
        (b"{}", {"not_exists": True}, True),
        (b'{"a": null}', {"not_exists": True}, False),
        (b'{"a": 12345678901234567890}', {"equals": 12345678901234567891}, False),
    ],
)
def test_values_are_compared_as_json(content, comparators, expected):
    """Numbers by value, `true` is not 1, and null is a value."""
    assert expected is value(content, **comparators)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty, not JSON"),
        (b"{", "not JSON"),
        (b'{"a": NaN}', "NaN is not a number of JSON"),
        (b'{"a": -Infinity}', "-Infinity is not a number"),
        (b'{"a": 1e999}', "too large to be read"),
        (b'{"a": ' + b"1" * 5000 + b"}", "5,000 digits is too long"),
        (b'{"a": 1, "a": 1}', 'the key "a" stands twice'),
        (b'{"a": {"b": 1, "b": 2}}', 'the key "b" stands twice'),
        ('{"a": 1}'.encode("utf-16"), "UTF-16, not UTF-8"),
        (b'{"a": "\xff"}', "byte 0xff is not UTF-8"),
        (b'{"a": ' + b"[" * 201 + b"]" * 201 + b"}", "more than 200 levels"),
        (b"[" * 100_000, "more than 200 levels"),
        (b'{"b": 1}', "no key 'a' at the top"),
        (b"[1]", "no index 'a' at the top"),
        (b"1", "nothing below the top"),
    ],
)
def test_what_cannot_be_read_fails_with_its_reason(content, reason):
    """Nothing crashes, and nothing is guessed."""
    assertion = [{"path": "f.json", "json_pointer": "/a", "equals": 1}]

    assert [("/0/equals", False)] == held(KEY, assertion, wrote(f_json=content))
    assert reason in said(KEY, assertion, wrote(f_json=content))


def test_a_byte_order_mark_is_passed_over():
    """UTF-8 with a mark is still UTF-8."""
    assert value(b"\xef\xbb\xbf" + b'{"a": 1}', equals=1)


def test_values_nested_as_deep_as_allowed_are_compared_and_shown():
    """200 levels are no danger for a comparison."""
    deep = b'{"a": ' + b"[" * 199 + b"]" * 199 + b"}"
    assertion = [{"path": "f.json", "json_pointer": "/a", "equals_artifact": {"path": "g.json", "json_pointer": "/a"}}]

    assert holds(KEY, assertion, wrote(f_json=deep, g_json=deep))


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ('/k"l', 6),
        ("/ ", 7),
        ("/m~0n", 8),
    ],
)
def test_pointers_are_read_as_rfc_6901_says(pointer, expected):
    """The examples of section 5 of RFC 6901."""
    document = rb'{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}'

    assert holds(KEY, [{"path": "f", "json_pointer": pointer, "equals": expected}], wrote(f=document))


@pytest.mark.parametrize(
    "pointer", ["/foo/-1", "/foo/-", "/foo/01", "/foo/2", "/foo/+1", "/foo/ 1", "/foo/1e0", "/foo/\u0660"]
)
def test_only_a_plain_index_leads_into_a_list(pointer):
    """`-1`, leading zeros and whatever else is no index."""
    assert not holds(KEY, [{"path": "f", "json_pointer": pointer, "exists": True}], wrote(f=b'{"foo": [1, 2]}'))


def test_the_empty_pointer_is_the_whole_document():
    """`""` is the document itself, and `/` its key of no characters."""
    assert holds(KEY, [{"path": "f", "json_pointer": "", "equals": {"": 1}}], wrote(f=b'{"": 1}'))


@pytest.mark.parametrize(
    ("assertion", "expected"),
    [
        ({"min_bytes": 5}, True),
        ({"min_bytes": 6}, False),
        ({"max_bytes": 5}, True),
        ({"max_bytes": 4}, False),
        ({"sha256": SHA}, True),
        ({"sha256": f"sha256:{SHA.upper()}"}, True),
        ({"sha256": "0" * 64}, False),
        ({"contains": "ell"}, True),
        ({"contains": ["h", "z"]}, False),
        ({"matches_regex": "^h.*o$"}, True),
        ({"matches_regex": "^e"}, False),
        ({"exists": True}, True),
        ({"absent": True}, False),
        ({"readback": True}, False),
    ],
)
def test_the_file_itself_is_compared(assertion, expected):
    """Size, digest, text: on the bytes of the file, JSON or not."""
    assert expected is holds(KEY, [{"path": "f", **assertion}], wrote(f=b"hello"))


def test_each_key_of_an_assertion_is_decided():
    """No key that is given is passed over."""
    assertion = {
        "path": "f",
        "json_pointer": "/a",
        "equals": "x",
        "not_equals": "y",
        "equals_artifact": {"path": "f", "json_pointer": "/b"},
        "matches_regex": "x",
        "type_of": "string",
        "exists": True,
        "for_claim": "c",
        "min_bytes": 1,
        "max_bytes": 100,
        "contains": "x",
        "sha256": hashlib.sha256(b'{"a": "x", "b": "x"}').hexdigest(),
    }

    assert set(assertion) - {"path", "json_pointer", "for_claim"} == {
        pointer.removeprefix("/0/")
        for pointer, verdict in held(KEY, [assertion], wrote(f=b'{"a": "x", "b": "x"}'))
        if verdict
    }


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (None, "was not observed"),
        (Observed("f", "missing"), "is missing"),
        (Observed("f", "directory"), "is a directory"),
        (Observed("f", "other"), "is not a regular file"),
        (Observed("f", "outside"), "leads out of the workspace"),
        (Observed("f", "error", message="Permission denied"), "Permission denied"),
        (Observed("f", "file", 10**9, fresh=True, message="larger than 5 bytes: not read"), "larger than 5 bytes"),
        (Observed("f", "file", 2, blob=Blob.of(b"{}")), "was not written during this trial"),
    ],
)
def test_a_file_that_is_no_evidence_fails_with_its_reason(seen, why):
    """What is missing, unreadable, elsewhere or old proves nothing."""
    capture = Capture(Exited(0), observed={"f": seen} if seen else {})

    assert not holds(KEY, [{"path": "f", "exists": True}], capture)
    assert why in said(KEY, [{"path": "f", "exists": True}], capture)


@pytest.mark.parametrize("kind", ["file", "directory", "other", "outside", "error"])
def test_only_what_is_missing_is_absent(kind):
    """A folder, a link that leads out, or an error is no absence."""
    assert not holds(KEY, [{"path": "f", "absent": True}], Capture(Exited(0), observed={"f": Observed("f", kind)}))


def test_what_nobody_looked_at_is_not_absent():
    """An unknown must not pass."""
    assert not holds(KEY, [{"path": "f", "absent": True}], Capture(Exited(0)))


@pytest.mark.parametrize("reused", ["f", "./f", "d/../f"])
def test_an_older_file_counts_where_the_case_says_so(reused):
    """`reuses` names the file, however the path is written."""
    seen = {"f": Observed("f", "file", 2, blob=Blob.of(b"{}"))}

    assert holds(KEY, [{"path": "f", "exists": True}], Capture(Exited(0), observed=seen), reuses=[reused])


@pytest.mark.parametrize(("again", "expected"), [(SHA, True), ("0" * 64, False), (None, False)])
def test_readback_compares_both_readings(again, expected):
    """What was read after the sync must be what was read before; unknown is not the same."""
    seen = Observed("f", "file", 5, fresh=True, blob=Blob.of(b"hello"), reread_sha256=again)

    assert expected is holds(KEY, [{"path": "f", "readback": True}], Capture(Exited(0), observed={"f": seen}))


def test_readback_of_the_case_is_a_decision_on_every_file():
    """A case that asks for it has it on each assertion, once."""
    seen = Observed("f", "file", 5, fresh=True, blob=Blob.of(b"hello"), reread_sha256=SHA)
    value = [{"path": "f", "exists": True}, {"path": "f", "readback": True}]

    assert ["/0/exists", "/0/readback", "/1/readback"] == sorted(
        pointer for pointer, _ in held(KEY, value, Capture(Exited(0), observed={"f": seen}), readback=True)
    )


def test_every_file_that_is_asked_about_is_read():
    """Both sides of `equals_artifact` are observed, the own file again where it is to be read back."""
    spec = [{"path": "a", "json_pointer": "/x", "equals_artifact": {"path": "b", "json_pointer": ""}, "readback": True}]
    operator = wiring.operators()[KEY]
    read = TypeAdapter(operator.spec).validate_python(spec)

    assert (Observe("a", reread=True), Observe("b")) == operator.observe(read, a_case())


def test_a_file_is_read_as_json_once():
    """Many assertions on one file read it one time, and so does one that is no JSON."""
    good, bad = spooled(b'{"a": 1', b"}"), spooled(b"{", b"no")
    seen = {
        name: Observed(name, "file", blob.size, fresh=True, blob=blob) for name, blob in (("good", good), ("bad", bad))
    }
    value = [{"path": name, "json_pointer": "/a", "equals": 1} for name in ("good", "bad") for _ in range(3)]

    assert [True, True, True, False, False, False] == [
        verdict for _, verdict in held(KEY, value, Capture(Exited(0), observed=seen))
    ]
    assert (1, 1) == (good.whole.readings, bad.whole.readings)


def test_texts_in_a_large_file_are_sought_once():
    """Several needles are one pass."""
    blob = spooled(b"x" * 100, b"one", b"y" * 100, b"two")
    seen = {"f": Observed("f", "file", blob.size, fresh=True, blob=blob)}

    assert holds(KEY, [{"path": "f", "contains": ["one", "two"]}], Capture(Exited(0), observed=seen))
    assert 1 == blob.whole.readings


def test_a_long_value_is_cut_where_it_is_shown():
    """An observation stays readable, and whatever is half a character is escaped."""
    text = said(
        KEY, [{"path": "f", "json_pointer": "/a", "equals": 1}], wrote(f=b'{"a": ["\\ud800", "' + b"x" * 9999 + b'"]}')
    )

    assert len(text) < 300
    assert "\\ud800" in text


@pytest.mark.parametrize(
    ("assertion", "place"),
    [
        ({}, ""),
        ({"for_claim": "c"}, ""),
        ({"equals": 1}, "/equals"),
        ({"not_equals": None}, "/not_equals"),
        ({"type_of": "null"}, "/type_of"),
        ({"not_exists": True}, "/not_exists"),
        ({"json_pointer": "", "not_exists": True}, "/not_exists"),
        ({"json_pointer": "/a"}, "/json_pointer"),
        ({"json_pointer": "/a", "absent": True, "equals": 1}, "/absent"),
        ({"absent": True, "min_bytes": 1}, "/absent"),
        ({"absent": False}, "/absent"),
        ({"absent": 1}, "/absent"),
        ({"min_bytes": 2, "max_bytes": 1}, "/min_bytes"),
        ({"min_bytes": -1}, "/min_bytes"),
        ({"min_bytes": True}, "/min_bytes"),
        ({"min_bytes": None}, "/min_bytes"),
        ({"sha256": "abc"}, "/sha256"),
        ({"contains": ""}, "/contains"),
        ({"contains": []}, "/contains"),
        ({"contains": ["x", ""]}, "/contains/1"),
        ({"contains": None}, "/contains"),
        ({"readback": False}, "/readback"),
        ({"matches_regex": "("}, "/matches_regex"),
        ({"matches_regex": None}, "/matches_regex"),
        ({"exist": True, "min_bytes": 1}, "/exist"),
    ],
)
def test_an_assertion_that_asks_wrongly_is_refused_where_it_does(assertion, place):
    """Each mistake is named at its place; what would hold for everything does not get in."""
    assert [f"{KEY}/0{place}"] == refused_at(KEY, [{"path": "f", **assertion}])


@pytest.mark.parametrize("path", ["", "a\0b", None, 1])
def test_a_path_is_a_text_without_nul(path):
    """What no file can be called is refused."""
    assert [f"{KEY}/0/path"] == refused_at(KEY, [{"path": path, "exists": True}])
