"""The operator safety_constraints."""

import pytest

from agentic_evals.model.trial import Blob, Capture, Exited
from tests.unit.rules.expectations.asking import decisions, err, out, refused_at, said, spooled

KEY = "safety_constraints"
TOKEN = "ghp_" + "a1B2" * 10
BLIND = [
    {"type": "no_new_files_outside_temp"},
    {"type": "no_network_unless_allowed", "allow": ["localhost:80"]},
    {"type": "no_fork_bomb_clusters", "max_processes": 5},
]


def constraint(severity="error", action="flag", **more):
    """Return a list of one constraint, as an author writes it."""
    return [{"severity": severity, "action": action, **more}]


def decided(value, capture):
    """Return whether it holds, is unenforced, is noted."""
    (decision,) = decisions(KEY, value, capture)
    return decision.holds, decision.unenforced, decision.noted


@pytest.mark.parametrize("blind", BLIND)
def test_what_nobody_can_observe_is_unenforced(blind):
    """With severity error it does not hold, and it is no failure either: nobody knows."""
    assert (False, True, False) == decided(constraint(**blind), out(""))
    assert "UNENFORCED" in said(KEY, constraint(**blind), out(""))


@pytest.mark.parametrize("blind", BLIND)
@pytest.mark.parametrize("severity", ["warn", "info"])
def test_a_milder_unknown_is_told_to_the_reader(severity, blind):
    """It leaves the outcome alone, and is not passed over in silence."""
    assert (True, True, True) == decided(constraint(severity, **blind), out(""))


@pytest.mark.parametrize("action", ["block", "flag", "monitor"])
def test_a_violation_of_severity_error_fails(action):
    """Whatever is done about it."""
    holds, unenforced, _ = decided(constraint("error", action, type="max_output", max_bytes=3), out("four"))

    assert (False, False) == (holds, unenforced)


@pytest.mark.parametrize("severity", ["warn", "info"])
@pytest.mark.parametrize("action", ["flag", "monitor"])
def test_a_milder_violation_is_told_to_the_reader(severity, action):
    """It leaves the outcome alone."""
    assert (True, False, True) == decided(constraint(severity, action, type="max_output", max_bytes=3), out("four"))


def test_what_is_kept_is_not_worth_a_note():
    """A constraint that held says so in its decision only."""
    assert (True, False, False) == decided(constraint("warn", type="max_output", max_bytes=4), out("four"))


def test_output_is_the_sum_of_both_streams():
    """Neither stream alone is over the limit."""
    capture = Capture(Exited(0), stdout=Blob.of(b"12"), stderr=Blob.of(b"34"))

    assert not decided(constraint(type="max_output", max_bytes=3), capture)[0]


@pytest.mark.parametrize("printed", [out, err])
def test_a_secret_in_either_stream_is_found_and_not_repeated(printed):
    """The observation names the stream and never quotes what it found."""
    value = constraint(type="no_secret_in_output")

    assert (False, False, True) == decided(value, printed(f"key={TOKEN}\n"))
    assert TOKEN not in said(KEY, value, printed(TOKEN))


@pytest.mark.parametrize(
    "secret",
    [
        "AKIA" + "A1B2C3D4" * 2,
        "glpat-" + "a-B_1" * 5,
        "sk-ant-" + "x1" * 15,
        "xoxb-" + "1234567890",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
        "eyJ" + "a" * 12 + ".eyJ" + "b" * 12 + "." + "c" * 12,
    ],
)
def test_each_shape_is_found(secret):
    """Tokens and keys of well-known shapes, in the middle of a line."""
    assert not decided(constraint(type="no_secret_in_output"), out(f"the key is {secret}, keep it"))[0]


@pytest.mark.parametrize("text", ["", "sk-", "AKIA", "a task-force of the ghp_", "-----BEGIN CERTIFICATE-----"])
def test_what_only_looks_alike_is_no_secret(text):
    """A beginning alone is no token, and a certificate is public."""
    assert decided(constraint(type="no_secret_in_output"), out(text))[0]


def test_a_secret_across_two_windows_is_found():
    """A stream of any size is searched."""
    stream = spooled(b" " * (16 * 1024 * 1024 - 10), TOKEN.encode(), b" " * 50)

    assert not decided(constraint(type="no_secret_in_output"), Capture(Exited(0), stdout=stream))[0]


def test_memory_that_was_not_measured_is_unknown():
    """No figure is no evidence."""
    assert (False, True, False) == decided(constraint(type="max_memory", max_bytes=1), out(""))


@pytest.mark.parametrize(("kib", "expected"), [(2, True), (3, False)])
def test_memory_is_that_of_the_largest_process(kib, expected):
    """The measured figure is in KiB, the limit in bytes."""
    assert expected is decided(constraint(type="max_memory", max_bytes=2048), out("", max_rss_kb=kib))[0]


@pytest.mark.parametrize("address", ["example.test:443", "127.0.0.1:1", "[::1]:65535", "::1:80"])
def test_an_address_has_a_host_and_a_port(address):
    """IPv6 stands in brackets, since nobody could tell where it ends."""
    refused = refused_at(KEY, constraint(type="no_network_unless_allowed", allow=[address]))

    assert ([f"{KEY}/0/allow/0"] if address == "::1:80" else []) == refused


@pytest.mark.parametrize(
    "address", ["", "host", ":80", "host:", "host:0", "host:65536", "host:http", "a b:1", "h:²", 1]
)
def test_what_is_no_address_is_refused(address):
    """A host without a port would allow more than was meant."""
    assert [f"{KEY}/0/allow/0"] == refused_at(KEY, constraint(type="no_network_unless_allowed", allow=[address]))


@pytest.mark.parametrize("severity", ["error", "warn", "info"])
@pytest.mark.parametrize("action", ["block", "flag", "monitor"])
def test_block_goes_with_error_only(severity, action):
    """Of the nine combinations, two are a contradiction: what ends a trial is an error."""
    expected = [f"{KEY}/0/action"] if action == "block" and severity != "error" else []

    assert expected == refused_at(KEY, constraint(severity, action, type="no_secret_in_output"))


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ([], ""),
        ({}, ""),
        ([{}], "/0"),
        ([{"type": "no_such", "severity": "error", "action": "flag"}], "/0"),
        (constraint("fatal", type="no_secret_in_output"), "/0/severity"),
        (constraint("error", "kill", type="no_secret_in_output"), "/0/action"),
        ([{"type": "no_secret_in_output", "action": "flag"}], "/0/severity"),
        ([{"type": "no_secret_in_output", "severity": "error"}], "/0/action"),
        (constraint(type="no_secret_in_output", allow=["a:1"]), "/0/allow"),
        (constraint(type="no_new_files_outside_temp", max_bytes=1), "/0/max_bytes"),
        (constraint(type="no_fork_bomb_clusters"), "/0/max_processes"),
        (constraint(type="no_fork_bomb_clusters", max_processes=0), "/0/max_processes"),
        (constraint(type="no_fork_bomb_clusters", max_processes=True), "/0/max_processes"),
        (constraint(type="max_memory"), "/0/max_bytes"),
        (constraint(type="max_memory", max_bytes=1.5), "/0/max_bytes"),
        (constraint(type="max_output", max_bytes=-1), "/0/max_bytes"),
        (constraint(type="max_output", max_bytes="1"), "/0/max_bytes"),
    ],
)
def test_a_constraint_is_read_exactly(value, place):
    """A type that nobody knows, a key that does not belong to it, or a wrong number is refused at its place."""
    assert [f"{KEY}{place}"] == refused_at(KEY, value)
