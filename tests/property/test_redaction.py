"""What holds of redaction for any secret, any text around it, and any way it arrives in pieces."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

from agentic_evals.rules import redaction
from agentic_evals.rules.redaction import Redactor

PLAIN = st.text(
    st.characters(codec="utf-8", exclude_characters="[]…", exclude_categories=["Cc", "Zs"]), min_size=6, max_size=40
)
SECRETS = st.lists(PLAIN.filter(lambda secret: secret.encode() not in b"[redacted]"), min_size=1, max_size=3)
FILLER = st.binary(max_size=30)


@st.composite
def texts(draw):
    """Draw secrets, and bytes in which they stand in several forms between other bytes."""
    secrets = draw(SECRETS)
    forms = [
        form
        for secret in secrets
        for form in (secret.encode(), json.dumps(secret).encode(), secret.encode().hex().encode())
    ]
    parts = draw(st.lists(st.one_of(FILLER, st.sampled_from(forms)), max_size=8))
    return secrets, b"".join(parts)


def chunked(draw, data):
    """Cut bytes at any places."""
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=6)))
    return [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]


@given(texts())
@example((["aaaaaa"], b"a" * 20))
def test_no_secret_remains(made):
    """Whatever surrounds them, no secret can be found in what is kept."""
    secrets, data = made
    kept, _ = Redactor(secrets).clean(data)
    around = kept.replace(redaction.MASK, b"\0\0")

    assert not [secret for secret in secrets if secret.encode() in around]


@given(texts())
def test_cleaning_twice_changes_nothing(made):
    """What was cleaned is clean."""
    secrets, data = made
    redactor = Redactor(secrets)
    kept, _ = redactor.clean(data)
    again, replaced = redactor.clean(kept)

    assert (kept, 0) == (again, replaced)


@given(texts())
def test_a_text_without_secrets_stays(made):
    """Only what is replaced changes."""
    secrets, data = made
    kept, replaced = Redactor(secrets).clean(data)

    assert (kept == data) is (replaced == 0)


@given(texts(), st.data(), st.integers(0, 3), st.integers(0, 200))
def test_a_stream_is_cleaned_as_the_whole_is(made, data, copies, window):
    """For any cutting into pieces and any size of the window, the stream gives the same bytes and the same count."""
    secrets, text = made
    whole = text * (copies + 1)
    redactor = Redactor(secrets)
    redactor._longest = max(len(form) * 2 for form in (*redactor._literal, *redactor._wrapped)) + 1
    before, redaction._WINDOW = redaction._WINDOW, window
    counted = []
    try:
        kept = b"".join(redactor.stream(chunked(data.draw, whole), counted))
    finally:
        redaction._WINDOW = before

    assert redactor.clean(whole) == (kept, counted[0])


@given(st.data(), st.binary(max_size=60), st.integers(0, 20_000))
def test_a_shape_is_found_in_a_stream_wherever_it_is_cut(data, filler, before):
    """A private key and a token amid a long stream, in pieces of any size."""
    key = b"-----BEGIN PRIVATE KEY-----\n" + b"k" * 3000 + b"\n-----END PRIVATE KEY-----"
    whole = b"." * before + key + filler + b"ghp_" + b"a" * 36 + b"." * 20_000
    redactor = Redactor()
    before_window, redaction._WINDOW = redaction._WINDOW, 100
    counted = []
    try:
        kept = b"".join(redactor.stream(chunked(data.draw, whole), counted))
    finally:
        redaction._WINDOW = before_window

    assert redactor.clean(whole) == (kept, counted[0])
    assert b"kkk" not in kept
