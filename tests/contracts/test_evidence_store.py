"""What every evidence store, and every run folder, must do."""

from dataclasses import replace

import pytest

from agentic_evals.adapters.store import FolderStore
from agentic_evals.model.errors import DocumentRejected, IntegrityBroken
from agentic_evals.model.record import StoredBytes, TrialRecord
from tests.fakes.store import MemoryStore


@pytest.fixture(params=["folder", "memory"])
def store(request, tmp_path, monkeypatch):
    """Return each store, with a state folder of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return FolderStore() if request.param == "folder" else MemoryStore()


@pytest.fixture
def folder(store, tmp_path):
    """Return a new run folder."""
    return store.create("run-1", str(tmp_path / "kept"))


STORED = StoredBytes(0, "0" * 64, 0)
RECORD = TrialRecord(
    case="a case/with ../odd: name",
    case_index=0,
    trial=1,
    argv=("sh", "a.sh"),
    termination={"kind": "exited", "code": 0},
    started_unix_ms=1,
    duration_ms=1.5,
    stdout=STORED,
    stderr=STORED,
    trajectory=None,
    observed=(),
    leaked=(),
    killed=0,
    no_survivors="verified",
    room={"mode": "shared"},
)


@pytest.mark.parametrize("chunks", [(b"",), (b"one", b"two"), (b"x" * 700_000,) * 4], ids=["empty", "small", "large"])
def test_bytes_come_back_as_they_were(folder, chunks):
    """What was kept is read whole, with its size, under the digest of its content."""
    whole = b"".join(chunks)
    stored = folder.keep(chunks)
    blob = folder.read(stored)

    assert (len(whole), len(whole)) == (stored.size, stored.stored_size)
    assert (len(whole), stored.stored) == (blob.size, blob.sha256)
    assert whole == b"".join(blob.chunks())


def test_the_same_bytes_have_one_address(folder):
    """Bytes are addressed by content, however they were cut."""
    assert folder.keep((b"ab", b"c")) == folder.keep((b"abc",))


def test_bytes_that_were_never_kept_are_missing(folder):
    """An address that leads nowhere is broken integrity, as is one that is no address."""
    for address in ("1" * 64, "../../manifest.json"):
        with pytest.raises(IntegrityBroken):
            folder.read(StoredBytes(3, address, 3))


def test_files_are_written_whole_and_anew(folder):
    """A name can be written again, and holds what was written last."""
    folder.write("manifest.json", b"first")
    folder.write("manifest.json", b"second")

    assert b"second" == folder.load("manifest.json")


def test_a_missing_file_is_broken_integrity(folder):
    """A run folder without a file that it must have is not what it was."""
    with pytest.raises(IntegrityBroken, match=r"input/fixture\.json"):
        folder.load("input/fixture.json")


def test_no_name_leads_out_of_the_folder(folder):
    """A name with `..` is refused and writes nothing."""
    with pytest.raises(IntegrityBroken):
        folder.write("../outside.json", b"{}")


def test_records_come_back_in_the_order_of_the_fixture(folder):
    """Whatever order trials end in, records are yielded by case and number, equal to what was added."""
    records = [replace(RECORD, case=f"c{case}", case_index=case, trial=trial) for case in (10, 2) for trial in (11, 2)]
    for record in records:
        folder.add(record)
    folder.flush()

    assert [(2, 2), (2, 11), (10, 2), (10, 11)] == [(one.case_index, one.trial) for one in folder.records()]
    assert sorted(map(repr, records)) == sorted(map(repr, folder.records()))


def test_the_name_of_a_case_may_hold_anything(folder):
    """Slashes, dots and spaces in a case's name stay in the record and lead nowhere."""
    folder.add(RECORD)

    assert [RECORD.case] == [record.case for record in folder.records()]


def test_a_run_never_overwrites(store, folder):
    """A folder that holds a run is not given out again."""
    folder.write("manifest.json", b"{}")

    with pytest.raises(DocumentRejected, match="not empty"):
        store.create("run-2", folder.path)


def test_a_run_is_found_again(store, folder):
    """What was written is there for whoever opens the folder later."""
    folder.write("manifest.json", b"{}")
    stored = folder.keep((b"evidence",))
    folder.add(RECORD)
    folder.flush()
    again = store.open(folder.path)

    assert b"{}" == again.load("manifest.json")
    assert b"evidence" == b"".join(again.read(stored).chunks())
    assert [RECORD.trial] == [record.trial for record in again.records()]


def test_what_is_no_run_is_not_opened(store, tmp_path):
    """A folder without a manifest is refused with its path."""
    with pytest.raises(DocumentRejected, match="no run folder"):
        store.open(str(tmp_path))


def test_a_run_without_a_place_has_one_of_its_own(store):
    """Two runs for which nobody named a folder lie in two."""
    first, second = store.create("run-1", None), store.create("run-2", None)

    assert first.path != second.path
    assert first.path.endswith("runs/run-1")
