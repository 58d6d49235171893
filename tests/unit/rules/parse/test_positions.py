"""Places in JSON text."""

import pytest

from agentic_evals.rules.parse.positions import duplicate_keys, escape, of_pointer, pointer_of, tokens, unescape

TEXT = """{
  "version": 2,
  "é/~": {"é": ["é", 1]},
  "cases": [
    {"name": "a"}, {"name": "b", "name": "c"}
  ]
}"""


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", (1, 1)),
        ("/version", (2, 3)),
        ("/é~1~0", (3, 3)),
        ("/é~1~0/é/1", (3, 22)),
        ("/cases/0", (5, 5)),
        ("/cases/1/name", (5, 34)),
        ("/cases/2", (4, 3)),
        ("/cases/0/none/below", (5, 5)),
        ("/version/x", (2, 3)),
    ],
)
def test_a_pointer_leads_to_line_and_column(pointer, place):
    """To the key where there is one, counted in characters; else to the nearest value around it."""
    assert place == of_pointer(TEXT.encode(), pointer)


def test_a_repeated_key_is_named_where_it_stands_again():
    """The first is where it belongs."""
    assert [("/cases/1/name", 5, 34)] == list(duplicate_keys(TEXT.encode()))


def test_escaping_can_be_undone():
    """`~1` and `~0` are read in the order of RFC 6901, so that `~01` is `~1`."""
    assert ("~01~1", "~1/", ["", "a/b"]) == (escape("~1/"), unescape("~01~1"), list(tokens("//a~1b")))


def test_a_trail_becomes_a_pointer():
    """The last step is the outermost."""
    assert ("", "/a~1b/0") == (pointer_of(None), pointer_of(((None, "a/b"), "0")))


def test_many_places_in_one_object_are_found_at_once():
    """Every object is looked through one time, whatever is asked about it."""
    text = ("{" + ", ".join(f'"k{number}": 0' for number in range(5000)) + "}").encode()

    assert [(1, 2), (1, 58880)] == [of_pointer(text, f"/k{number}") for number in range(5000)][::4999]


@pytest.mark.parametrize("text", [b"", b"nothing", b'{"a"', b"{]"])
def test_text_that_is_no_json_has_a_beginning(text):
    """Nothing crashes on it."""
    assert 1 == of_pointer(text, "/a/b")[0]
