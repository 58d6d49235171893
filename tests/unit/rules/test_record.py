"""The only door from a capture to a record: secrets stay outside, and the way back gives the same verdict."""

import json

import pydantic_core
import pytest

from agentic_evals import wiring
from agentic_evals.model.record import StoredBytes
from agentic_evals.model.trial import (
    Blob,
    Capture,
    Exited,
    FailedToStart,
    Observed,
    OutputLimit,
    ProcessNote,
    RoomFacts,
    Signalled,
    TimedOut,
    Withheld,
    WorkerLost,
)
from agentic_evals.rules.judge import judge
from agentic_evals.rules.parse.fixture import parse_fixture
from agentic_evals.rules.record import capture_from, carried_decisions, record, termination_document, termination_from
from agentic_evals.rules.redaction import Redactor

SECRET = "q7Zx-9Lm2-Rt5W-x"
ENDINGS = [
    Exited(3),
    Signalled(9),
    TimedOut(),
    FailedToStart(2, "no"),
    OutputLimit("stdout"),
    WorkerLost("x"),
    Withheld("y"),
]


class Store:
    """Keeps redacted bytes in memory, as a run folder does on disk."""

    def __init__(self, redactor):
        self.redactor = redactor
        self.held = {}

    def keep(self, blob):
        """Redact and store bytes."""
        data, replaced = self.redactor.clean(blob.complete)
        kept = Blob.of(data)
        self.held[kept.sha256] = kept
        return StoredBytes(blob.size, kept.sha256, kept.size, replaced)

    def read(self, stored):
        """Return stored bytes."""
        return self.held[stored.stored]


def case(**expected):
    """Parse one case."""
    one = {"name": "a", "type": "positive", "command": ["x"], "expected": {"exit_code": 0, **expected}}
    document = {"version": 2, "skill": "s", "trials": 2, "cases": [one]}
    suite = parse_fixture(json.dumps(document).encode(), "f", wiring.operators())
    assert () == suite.findings
    return suite.cases[0]


def both(made, capture, secrets=(SECRET,)):
    """Judge and record a capture; return the verdict, the record, and the verdict of the record."""
    store = Store(Redactor(secrets))
    verdict = judge(made, capture)
    kept = record(made, 1, capture, verdict, store.redactor, store.keep)
    return verdict, kept, judge(made, capture_from(kept, store.read), carried_decisions(kept))


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: type(ending).__name__)
def test_every_ending_has_a_document_and_comes_back(ending):
    """How a trial ended survives the record."""
    assert ending == termination_from(termination_document(ending))


@pytest.mark.parametrize("document", [{"kind": "vanished"}, {"kind": "exited", "wrong": 1}, {}])
def test_an_unknown_ending_is_refused(document):
    """A record that was written by something else is not guessed at."""
    with pytest.raises(ValueError, match=r"no such termination|Field required"):
        termination_from(document)


def everywhere():
    """Make a capture that holds the secret wherever text can stand."""
    file = Blob.of(f'{{"key": "{SECRET}"}}'.encode())
    return Capture(
        FailedToStart(2, f"no such file: /opt/{SECRET}"),
        stdout=Blob.of(f"key={SECRET}\n".encode()),
        stderr=Blob.of(SECRET.encode().hex().encode()),
        trajectory=Blob.of(SECRET.encode()),
        observed={"out.json": Observed("out.json", "file", file.size, fresh=True, blob=file, message=f"at {SECRET}")},
        leaked=(ProcessNote(7, ("sleep", SECRET), f"/tmp/{SECRET}/sleep"),),
        argv=("curl", "-H", f"Authorization: {SECRET}"),
        room=RoomFacts(reason=f"cannot read /home/{SECRET}"),
        changes=({"path": f"cache/{SECRET}.txt", "kind": "created"},),
    )


def test_no_secret_reaches_the_record():
    """Streams, files, argv, processes, paths of changes, messages and carried observations are clean."""
    made = case(artifacts=[{"path": "out.json", "json_pointer": "/key", "equals": "no"}], stdout_contains=["no"])
    store = Store(Redactor([SECRET]))
    kept = record(made, 1, everywhere(), judge(made, everywhere()), store.redactor, store.keep)
    written = pydantic_core.to_json(kept) + b"".join(blob.head for blob in store.held.values())

    assert SECRET.encode() not in written
    assert SECRET.encode().hex().encode() not in written
    assert 10 <= written.count(b"[redacted]")


def test_the_digest_of_true_bytes_is_kept_only_where_they_are():
    """A digest of a short secret can be guessed from."""
    clean = Blob.of(b"{}")
    observed = {
        "dirty": Observed("dirty", "file", 16, fresh=True, blob=Blob.of(SECRET.encode()), reread_sha256="0" * 64),
        "clean": Observed("clean", "file", 2, fresh=True, blob=clean, reread_sha256=clean.sha256),
    }
    _, kept, _ = both(case(), Capture(Exited(0), observed=observed))

    assert [(None, None), (clean.sha256, clean.sha256)] == [(one.sha256, one.reread_sha256) for one in kept.observed]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (b"fine", {"stdout_contains": ["fine"]}),
        (b"broken", {"stdout_contains": ["fine"]}),
        (f"fine {SECRET}".encode(), {"stdout_contains": [SECRET]}),
        (f"fine {SECRET}".encode(), {"stdout_excludes": [SECRET]} if "stdout_excludes" in wiring.operators() else {}),
        (b"fine", {"stdout_contains": ["redacted"]}),
        (SECRET.encode(), {"stdout_contains": ["redacted"]}),
    ],
)
def test_the_record_gives_the_same_verdict(output, expected):
    """Judged again, a record passes and fails as the trial did, also where a secret decided it."""
    first, kept, second = both(case(**expected), Capture(Exited(0), stdout=Blob.of(output)))

    assert first.outcome is second.outcome
    assert (SECRET.encode() in output) is bool(kept.stdout.redacted)
    assert (SECRET.encode() in output and bool(expected)) is bool(kept.carried)


def test_what_was_not_replaced_is_judged_again():
    """Only decisions on replaced evidence are carried; the exit code is never one of them."""
    _, kept, _ = both(case(stdout_contains=["x"]), Capture(Exited(0), stdout=Blob.of(SECRET.encode())))

    assert ["/stdout_contains/0"] == [entry["pointer"] for entry in kept.carried]
    assert all(entry["redacted"] for entry in kept.carried)
