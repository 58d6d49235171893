"""Captures one stream of bytes whole in little memory: both ends here, everything hashed, the whole on disk."""

from __future__ import annotations

import os
from binascii import b2a_base64

import lean
import removal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lean import Digest

EDGE = 64 * 1024
"""Bytes kept of the beginning and of the end of a stream."""

_EMPTY_BLOB_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


class SpoolError(Exception):
    """The whole of a stream could not be written to the spool, so there is no honest capture of it."""

    def __init__(self, cause: OSError, path: str) -> None:
        """Remember what the system said and which file could not be written."""
        super().__init__(f"cannot keep the whole stream in {path}: {cause.strerror}")
        self.errno = cause.errno


class Spool:
    """Names and opens new private files below one folder."""

    def __init__(self, folder: str) -> None:
        """Use `folder`, which must exist and be ours."""
        self.folder = folder
        self._next = 0

    def create(self, label: str) -> tuple[int, str]:
        """Open a new file that nobody else can read and return (descriptor, path); raises `OSError`."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        while True:
            self._next += 1
            path = f"{self.folder}/{os.getpid()}-{self._next}-{label}"
            try:
                return os.open(path, flags, 0o600), path
            except FileExistsError:
                continue  # a worker of another pid namespace has the same pid


class Capture:
    """The bytes of one stream, as far as they have come."""

    def __init__(self, spool: Spool, label: str, limit: int) -> None:
        """Capture at most `limit` bytes; the spooled file, if one is needed, has `label` in its name."""
        self.size = 0
        self.over_limit = False
        self.spool_error: SpoolError | None = None
        self._spool = spool
        self._label = label
        self._limit = limit
        self._head = bytearray()
        self._tail = bytearray()
        self._digest: Digest | None = None
        self._file = -1
        self._path: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the trial must end because of this stream."""
        return self.over_limit or self.spool_error is not None

    def add(self, chunk: bytes) -> None:
        """Take the next bytes; those over the limit are dropped and `over_limit` is set."""
        room = self._limit - self.size
        if len(chunk) > room:
            self.over_limit = True
            chunk = chunk[:room]
        self.size += len(chunk)
        if self._digest is not None:
            self._add_to_long(chunk, self._digest)
            return
        self._head += chunk
        if len(self._head) > 2 * EDGE:
            self._become_long()

    def _become_long(self) -> None:
        everything = bytes(self._head)
        del self._head[EDGE:]
        self._digest = lean.large_sha256()
        try:
            self._file, self._path = self._spool.create(self._label)
        except OSError as error:
            self.spool_error = SpoolError(error, self._spool.folder)
        self._digest.update(everything)
        self._write(everything)
        self._tail += everything[-EDGE:]

    def _add_to_long(self, chunk: bytes, digest: Digest) -> None:
        digest.update(chunk)
        self._write(chunk)
        self._tail += chunk
        if len(self._tail) > 4 * EDGE:
            del self._tail[:-EDGE]

    def _write(self, data: bytes) -> None:
        if self.spool_error is not None or self._file < 0:
            return
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            self.spool_error = SpoolError(error, self._path or self._spool.folder)

    def finish(self) -> dict[str, object]:
        """Close the stream and return its Blob.

        Raises:
            SpoolError: when the whole could not be kept; the partial file is removed.
        """
        self._close_file()
        if self.spool_error is not None:
            self.discard()
            raise self.spool_error
        if self.size == 0:
            return {"size": 0, "sha256": _EMPTY_BLOB_SHA256, "head": "", "tail": "", "file": None}
        head, tail = self._head, self._tail[-EDGE:]
        if self._digest is None:
            tail = head[EDGE:]
            digest = lean.small_sha256(head).hexdigest()
        else:
            digest = self._digest.hexdigest()
        return {
            "size": self.size,
            "sha256": digest,
            "head": _base64(head[:EDGE]),
            "tail": _base64(tail),
            "file": self._path,
        }

    def _close_file(self) -> None:
        if self._file < 0:
            return
        descriptor, self._file = self._file, -1
        try:
            os.close(descriptor)
        except OSError as error:  # network file systems report a full disk only here
            self.spool_error = self.spool_error or SpoolError(error, self._path or "")

    def discard(self) -> None:
        """Remove what was spooled, for a trial whose capture nobody will get."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        if self._path is not None:
            removal.remove_if_possible(self._path)
            self._path = None


def _base64(data: bytes | bytearray) -> str:
    return b2a_base64(data, newline=False).decode("ascii")
