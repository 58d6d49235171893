"""Secrets are found in every form that programs print, and nothing else is touched."""

import base64
import html
import json
import re
import textwrap
import urllib.parse

import pytest

from agentic_evals.rules.redaction import Redactor, looks_like_credential, secrets_in

SECRET = "p4ss/w0rd +& \"quoted\" 'ünï' <tag>\\end"
LONG = "0123456789abcdefGHIJKLMNOPQRSTUV/+" * 4
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "\n".join(f"MIIE{line:02}{'k' * 58}" for line in range(20))
    + "\n-----END RSA PRIVATE KEY-----"
)

FORMS = {
    "itself": str,
    "JSON": json.dumps,
    "JSON in UTF-8": lambda secret: json.dumps(secret, ensure_ascii=False),
    "JSON in JSON": lambda secret: json.dumps(json.dumps(secret)),
    "JSON with escaped slashes": lambda secret: json.dumps(secret).replace("/", "\\/"),
    "URL component": lambda secret: urllib.parse.quote(secret, safe=""),
    "URL path": urllib.parse.quote,
    "URL query": urllib.parse.quote_plus,
    "URL in lower case": lambda secret: re.sub(
        "%..", lambda code: code[0].lower(), urllib.parse.quote(secret, safe="")
    ),
    "Base64": lambda secret: base64.b64encode(secret.encode()).decode(),
    "Base64 for URLs": lambda secret: base64.urlsafe_b64encode(secret.encode()).decode(),
    "Base64 with a newline": lambda secret: base64.b64encode(secret.encode() + b"\n").decode(),
    "Base64 of user:secret": lambda secret: base64.b64encode(b"user:" + secret.encode()).decode(),
    "Base64 of a long header": lambda secret: base64.b64encode(b"x: " + secret.encode() + b"\r\n").decode(),
    "Base64 in lines": lambda secret: "\n".join(
        textwrap.wrap(base64.b64encode(b"user:" + secret.encode()).decode(), 20)
    ),
    "hex": lambda secret: secret.encode().hex(),
    "hex in upper case": lambda secret: secret.encode().hex().upper(),
    "HTML": html.escape,
    "Python": repr,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("secret", [SECRET, LONG, "sixsix", PEM], ids=["odd", "long", "short", "lines"])
def test_a_secret_is_found_in_each_form(form, secret):
    """What is left of the printed form tells at most the two ends of an encoding, never the secret."""
    text = f"before {FORMS[form](secret)} after"
    kept, replaced = Redactor([secret]).clean(text.encode())

    assert replaced
    assert b"[redacted]" in kept
    assert len(kept) <= len("before [redacted] after") + 12
    assert (kept[:7], kept[-6:]) == (b"before ", b" after")


def test_bytes_that_are_no_utf8_are_found():
    """The environment hands them over as halves of pairs; programs print the bytes."""
    assert (b"<[redacted]>", 1) == Redactor(["key-\udcff\udcfe-end"]).clean(b"<key-\xff\xfe-end>")


def test_a_line_of_a_secret_of_several_lines_is_found():
    """`head -n 3` of a key file is not harmless."""
    kept, _ = Redactor([PEM]).clean("\n".join(PEM.splitlines()[1:3]).encode())

    assert b"MIIE" not in kept


def test_overlapping_secrets_are_replaced_as_one():
    """No end of the second one is left behind the first."""
    assert (b"-[redacted]-", 1) == Redactor(["abcdefgh", "efghijkl"]).clean(b"-abcdefghijkl-")


def test_a_secret_inside_another_leaves_nothing():
    """The longer one is replaced as a whole."""
    assert (b"[redacted]", 1) == Redactor(["secret", "my-secret-value"]).clean(b"my-secret-value")


@pytest.mark.parametrize(
    "token",
    [
        "AKIA" + "A1" * 8,
        "ghp_" + "a1" * 18,
        "github_pat_" + "a1" * 30,
        "glpat-" + "a1" * 10,
        "sk-ant-" + "a1" * 10,
        "sk-proj-" + "a1" * 20,
        "xoxb-" + "1" * 12,
        "sk_live_" + "a1" * 10,
        "AIza" + "a" * 35,
        "npm_" + "a1" * 18,
        "pypi-AgEI" + "a1" * 30,
        "hf_" + "a1" * 16,
        "SG." + "a" * 22 + "." + "b" * 43,
        "eyJ" + "a" * 20 + ".eyJ" + "b" * 20 + "." + "c" * 20,
        PEM,
        PEM.rpartition("\n")[0],
        json.dumps(PEM)[1:-1],
    ],
)
def test_well_known_shapes_are_found_without_being_told(token):
    """Tokens, JSON web tokens and private keys, also one that ends before its end."""
    kept, replaced = Redactor().clean(f"key={token}".encode())

    assert (b"key=[redacted]", 1) == (kept, replaced)


@pytest.mark.parametrize(
    "text",
    [
        "a task-specific risk-free desk",
        "sha256 " + "0123456789abcdef" * 4,
        "AKIA and ghp_ and eyJ alone",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "five5",
    ],
)
def test_ordinary_text_stays(text):
    """Digests, certificates, words, and values too short to be told from words."""
    assert (text.encode(), 0) == Redactor(["five5"]).clean(text.encode())


@pytest.mark.parametrize("kept", range(4, 15))
def test_the_beginning_of_a_secret_at_the_border_of_a_quotation_is_replaced(kept):
    """A quotation that was cut in the middle of a secret keeps no part that tells anything."""
    secret = "q7Zx-9Lm2-Rt5W-x"

    assert "value is [redacted]… expected 1" == Redactor([secret]).text(f"value is {secret[:kept]}… expected 1")


def test_a_token_and_a_key_at_the_border_of_a_quotation_are_replaced():
    """Shapes that were cut are recognised by how they begin."""
    redactor = Redactor()

    assert "is [redacted]…" == redactor.text("is ghp_abcdef…")
    assert "is [redacted]" == redactor.text(f"is {PEM[:80]}…")


def test_a_value_is_cleaned_wherever_text_stands_in_it():
    """Keys, lists and inner objects; numbers and flags stay."""
    value = {"k-secret-1": ["secret-1", 1, None, {"path": "/tmp/secret-1"}], "t": ("secret-1",), "n": True}
    cleaned = {"k-[redacted]": ["[redacted]", 1, None, {"path": "/tmp/[redacted]"}], "t": ("[redacted]",), "n": True}

    assert cleaned == Redactor(["secret-1"]).value(value)


def test_a_secret_split_over_two_reads_is_found():
    """Wherever the border of two chunks falls."""
    data = b"x" * 300_000 + b"the-secret-value" + b"y" * 300_000
    for cut in range(300_000, 300_017):
        counted = []
        kept = b"".join(Redactor(["the-secret-value"]).stream([data[:cut], data[cut:]], counted))

        assert (b"x" * 300_000 + b"[redacted]" + b"y" * 300_000, [1]) == (kept, counted)


def test_a_mask_is_no_secret():
    """A value that is a part of the mask cannot be masked, and does not grow at every turn."""
    assert (b"[redacted]", 0) == Redactor(["redacted"]).clean(b"[redacted]")


def test_memory_stays_bounded():
    """While streaming, no more than a window is held back."""
    redactor = Redactor(["the-secret-value"])
    held = []
    read = 0

    def chunks():
        nonlocal read
        for _ in range(64):
            read += 65_536
            yield b"z" * 65_536

    written = 0
    for piece in redactor.stream(chunks(), []):
        written += len(piece)
        held.append(read - written)

    assert 64 * 65_536 == written
    assert max(held) < 500_000


def test_secrets_come_from_declared_and_from_suspicious_variables():
    """Names that a fixture declares, and what looks like a credential; empty values are none."""
    environment = {"MINE": "a", "OTHER": "b", "API_TOKEN": "c", "EMPTY_TOKEN": ""}

    assert ("a", "c") == secrets_in(environment, ["MINE"])


def test_a_name_or_a_shape_makes_a_credential():
    """Either is enough."""
    assert looks_like_credential("GH_TOKEN", "x")
    assert looks_like_credential("X", "hf_" + "a" * 30)
    assert not looks_like_credential("HOME", "/root")


def test_a_text_that_is_kept_has_a_utf8_form():
    """A folder whose name is not UTF-8 is named in a record, with its bytes written out."""
    assert "/home/sk\\udcffll" == Redactor().text("/home/sk\udcffll")
