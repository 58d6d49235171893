"""Run folders in memory."""

import hashlib
import posixpath

from agentic_evals.model.errors import DocumentRejected, IntegrityBroken
from agentic_evals.model.record import StoredBytes
from agentic_evals.model.trial import Blob


class MemoryStore:
    """Makes and finds run folders that are gone with the test."""

    def __init__(self):
        """Begin with none."""
        self.folders = {}

    def create(self, run_id, where):
        """Make a run folder; one that holds something is never written over."""
        path = posixpath.normpath(where) if where else f"/state/runs/{run_id}"
        if path in self.folders:
            message = f"{path} is not empty: a run never overwrites anything"
            raise DocumentRejected(message)
        self.folders[path] = MemoryFolder(path)
        return self.folders[path]

    def open(self, path):
        """Return a folder that was made, and that has a manifest."""
        folder = self.folders.get(posixpath.normpath(path))
        if folder is None or "manifest.json" not in folder.files:
            message = f"{path} is no run folder: it has no manifest.json"
            raise DocumentRejected(message)
        return folder


class MemoryFolder:
    """One run folder."""

    def __init__(self, path):
        """Begin empty."""
        self.path = path
        self.files = {}
        self.added = []
        self.flushed = 0
        self._stored = {}

    def keep(self, chunks):
        """Keep bytes by their digest."""
        data = b"".join(chunks)
        address = hashlib.sha256(data).hexdigest()
        self._stored[address] = data
        return StoredBytes(len(data), address, len(data))

    def read(self, stored):
        """Return kept bytes."""
        if stored.stored not in self._stored:
            message = f"stored bytes {stored.stored} are missing"
            raise IntegrityBroken(message)
        return Blob.of(self._stored[stored.stored])

    def write(self, name, data):
        """Write a file whole."""
        if posixpath.normpath(posixpath.join("/", name)) != f"/{name}":
            message = f"{name!r} leads out of the run folder"
            raise IntegrityBroken(message)
        self.files[name] = bytes(data)

    def load(self, name):
        """Return a file."""
        if name not in self.files:
            message = f"{self.path}: {name} is missing"
            raise IntegrityBroken(message)
        return self.files[name]

    def add(self, record):
        """Keep a record."""
        self.added.append(record)

    def records(self):
        """Yield the records in the order of the fixture."""
        yield from sorted(self.added, key=lambda record: (record.case_index, record.trial, record.null))

    def flush(self):
        """Count how often durability was asked for."""
        self.flushed += 1
