"""Run folders: content-addressed bytes, one record a trial, whole files or none."""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import threading
from typing import TYPE_CHECKING, Any, Final

import pydantic_core
from pydantic import TypeAdapter, ValidationError

from agentic_evals.adapters.spool import SpooledFile
from agentic_evals.model.errors import DocumentRejected, EnvironmentUnfit, IntegrityBroken
from agentic_evals.model.record import SCHEMA, StoredBytes, TrialRecord
from agentic_evals.model.trial import HEAD_BYTES, Blob

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_GROUP_SECONDS: Final = 0.1
_LONGEST_NAME: Final = 100
_RECORD: Final = "record.json"
_NULL_RECORD: Final = "null.json"
_SMALL: Final = 1024 * 1024


class FolderStore:
    """Run folders below the user's state folder, or where the user says."""

    def create(self, run_id: str, where: str | None) -> Folder:
        """Make a new run folder.

        Raises:
            EnvironmentUnfit: it cannot be written.
            DocumentRejected: it already holds something.

        """
        path = os.path.abspath(where) if where else os.path.join(_state_folder(), "runs", run_id)
        try:
            os.makedirs(path, mode=0o700 if where is None else 0o777, exist_ok=True)
            if os.listdir(path):
                message = f"{path} is not empty: a run never overwrites anything"
                raise DocumentRejected(message, hint="Give a folder that does not exist yet.")
            os.makedirs(os.path.join(path, "store", "sha256"))
            os.mkdir(os.path.join(path, "trials"))
            os.mkdir(os.path.join(path, "input"))
        except OSError as error:
            message = f"cannot write the run folder {path}: {error.strerror}"
            raise EnvironmentUnfit(message, hint="Choose another place with --output DIR/.") from error
        return Folder(path)

    def open(self, path: str) -> Folder:
        """Open an existing run folder.

        Raises:
            DocumentRejected: it is none.

        """
        if not os.path.isfile(os.path.join(path, "manifest.json")):
            message = f"{path} is no run folder: it has no manifest.json"
            raise DocumentRejected(message, hint="Run folders are made by `agentic-evals run`.")
        return Folder(os.path.abspath(path))


class Folder:
    """One run folder."""

    def __init__(self, path: str) -> None:
        """Remember where it is; nothing is read yet."""
        self.path = path
        self._known: dict[str, bool] = {}
        self._records: list[str] = []
        self._token = os.urandom(4).hex()
        self._sync = _GroupSync(path)

    def keep(self, chunks: Iterable[bytes]) -> StoredBytes:
        """Store bytes by their content; bytes that are there already are not written again."""
        collected: list[bytes] = []
        size = 0
        source = iter(chunks)
        for chunk in source:
            collected.append(chunk)
            size += len(chunk)
            if size > _SMALL:
                return self._keep_large(collected, source)
        data = b"".join(collected)
        address = hashlib.sha256(data).hexdigest()
        if address not in self._known:
            path = self._address(address)
            if not os.path.exists(path):
                self._write(path, data)
            self._known[address] = True
        return StoredBytes(size, address, size)

    def _keep_large(self, started: list[bytes], rest: Iterator[bytes]) -> StoredBytes:
        temporary = os.path.join(self.path, "store", f".{os.urandom(8).hex()}")
        summer, size = hashlib.sha256(), 0
        try:
            with open(temporary, "wb") as file:
                for source in (started, rest):
                    for chunk in source:
                        summer.update(chunk)
                        size += len(chunk)
                        file.write(chunk)
        except BaseException:
            os.unlink(temporary)
            raise
        address = summer.hexdigest()
        os.makedirs(os.path.dirname(self._address(address)), exist_ok=True)
        os.replace(temporary, self._address(address))
        self._sync.wanted()
        return StoredBytes(size, address, size)

    def read(self, stored: StoredBytes) -> Blob:
        """Return stored bytes, checked against their address.

        Raises:
            IntegrityBroken: they are gone, or not what they were.

        """
        if not re.fullmatch(r"[0-9a-f]{64}", stored.stored):
            message = f"{stored.stored!r} is no content address"
            raise IntegrityBroken(message)
        whole = SpooledFile(self._address(stored.stored))
        summer, size, head, tail = hashlib.sha256(), 0, b"", b""
        try:
            for chunk in whole:
                summer.update(chunk)
                size += len(chunk)
                if len(head) < HEAD_BYTES:
                    taken = chunk[: HEAD_BYTES - len(head)]
                    head, chunk = head + taken, chunk[len(taken) :]  # noqa: PLW2901 - the rest goes to the tail
                tail = (tail + chunk)[-HEAD_BYTES:]
        except OSError as error:
            message = f"stored bytes {stored.stored} are missing"
            raise IntegrityBroken(message) from error
        if summer.hexdigest() != stored.stored:
            message = f"stored bytes {stored.stored} were changed"
            raise IntegrityBroken(message)
        return Blob(size, stored.stored, head, tail, None if size <= len(head) + len(tail) else whole)

    def write(self, name: str, data: bytes) -> None:
        """Write a file of the run, whole or not at all."""
        self._write(self._inside(name), data)

    def load(self, name: str) -> bytes:
        """Return a file of the run.

        Raises:
            IntegrityBroken: it is not there.

        """
        try:
            with open(self._inside(name), "rb") as file:
                return file.read()
        except OSError as error:
            message = f"{self.path}: {name} is missing"
            raise IntegrityBroken(message) from error

    def add(self, record: TrialRecord) -> None:
        """Write a finished trial; it is on disk within 100 ms."""
        name = _NULL_RECORD if record.null else _RECORD
        path = os.path.join(self.path, "trials", folder_name(record.case), str(record.trial), name)
        self._write(path, pydantic_core.to_json(record))
        self._records.append(path)

    def records(self) -> Iterator[TrialRecord]:
        """Yield every recorded trial by case and number.

        Raises:
            IntegrityBroken: a record is not one.

        """
        adapter = TypeAdapter(TrialRecord)
        found: list[tuple[int, int, bool, TrialRecord]] = []
        for folder, _, names in os.walk(os.path.join(self.path, "trials")):
            for name in sorted({_RECORD, _NULL_RECORD} & set(names)):
                record = self._record(adapter, os.path.join(folder, name))
                found.append((record.case_index, record.trial, record.null, record))
        for *_, record in sorted(found, key=lambda entry: entry[:3]):
            yield record

    def _record(self, adapter: TypeAdapter[TrialRecord], path: str) -> TrialRecord:
        with open(path, "rb") as file:
            data = file.read()
        try:
            record = adapter.validate_json(data)
        except ValidationError as error:
            message = f"{path} is no trial record: {error.errors()[0]['msg']}"
            raise IntegrityBroken(message) from error
        if record.schema != SCHEMA:
            message = f"{path} has schema {record.schema!r}, expected {SCHEMA!r}"
            raise IntegrityBroken(message)
        return record

    def flush(self) -> None:
        """Return when everything written so far is on disk.

        Raises:
            IntegrityBroken: a recorded trial is no longer there: something removed evidence in mid-run.

        """
        gone = next((path for path in self._records if not os.path.exists(path)), None)
        if gone is not None:
            message = f"{gone} was removed while the run was going on"
            raise IntegrityBroken(message)
        self._sync.now()

    def _address(self, digest: str) -> str:
        return os.path.join(self.path, "store", "sha256", digest[:2], digest)

    def _inside(self, name: str) -> str:
        path = os.path.normpath(os.path.join(self.path, name))
        if not path.startswith(self.path + "/"):
            message = f"{name!r} leads out of the run folder"
            raise IntegrityBroken(message)
        return path

    def _write(self, path: str, data: bytes) -> None:
        temporary = f"{path}.{self._token}"
        try:
            _write_new(temporary, data)
            os.replace(temporary, path)
        except OSError as error:
            if os.path.lexists(temporary):
                os.unlink(temporary)
            message = f"cannot write {path}: {error.strerror}"
            raise EnvironmentUnfit(message) from error
        self._sync.wanted()


def _write_new(path: str, data: bytes) -> None:
    """Write a file that was not there, in as few calls as a trial can be kept with; its folder is made when missing."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, 0o666)
    except FileNotFoundError:
        _make_folder(os.path.dirname(path))
        descriptor = os.open(path, flags, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)


def _make_folder(path: str) -> None:
    try:
        os.mkdir(path)
    except FileNotFoundError:
        os.makedirs(path, exist_ok=True)
    except FileExistsError:
        pass


class _GroupSync:
    """Syncs the folder's file system in groups, so that no trial waits for the disk."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._dirty = threading.Event()
        self._thread: threading.Thread | None = None

    def wanted(self) -> None:
        self._dirty.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="group-sync", daemon=True)
            self._thread.start()

    def now(self) -> None:
        self._dirty.clear()
        _sync_file_system(self._path)

    def _loop(self) -> None:
        pause = threading.Event()
        while self._dirty.wait():
            pause.wait(_GROUP_SECONDS)
            self.now()


def _sync_file_system(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        syncfs: Any = getattr(ctypes.CDLL(None), "syncfs", None)
        if syncfs is None or syncfs(descriptor) != 0:
            os.sync()
    finally:
        os.close(descriptor)


def folder_name(case: str) -> str:
    """Return a file name for a case: its own name where that is harmless, else escaped, and marked by a digest."""
    escaped = re.sub(r"[^A-Za-z0-9._-]", lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), case)
    if escaped == case and not case.startswith(".") and len(case) <= _LONGEST_NAME:
        return case
    return f"{escaped.lstrip('.')[:_LONGEST_NAME]}~{hashlib.sha256(case.encode()).hexdigest()[:12]}"


def _state_folder() -> str:
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "agentic-evals")
