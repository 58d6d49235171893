"""The observed files of one trial: whether they are evidence of it, and the JSON in them, read once."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from agentic_evals.model.trial import Blob, Observed
from agentic_evals.rules import pointer as pointers
from agentic_evals.rules.expectations._json import NotJson, load

if TYPE_CHECKING:
    from agentic_evals.model.canonical import JsonValue
    from agentic_evals.rules.expectations._assertion import OtherArtifact
    from agentic_evals.rules.operator import Evidence

MISSING: Final = "is missing"
_WHY: Final = {
    "missing": MISSING,
    "directory": "is a directory",
    "other": "is not a regular file",
    "outside": "leads out of the workspace",
}


class Files:
    """What was observed of the files of one trial."""

    def __init__(self, evidence: Evidence) -> None:
        """Read nothing yet."""
        self._evidence = evidence
        self._documents: dict[str, JsonValue] = {}
        self._no_json: dict[str, str] = {}
        self._reused = frozenset(map(posixpath.normpath, evidence.case.reuses))

    @property
    def case_wants_readback(self) -> bool:
        """Whether every file of the case is read a second time."""
        return self._evidence.case.readback

    def look(self, path: str) -> tuple[Observed, str | None]:
        """Return what was observed, and why it cannot serve as evidence of this trial."""
        seen = self._evidence.capture.observed.get(path)
        if seen is None:
            return Observed(path, "missing"), "was not observed"
        if seen.kind != "file" or seen.blob is None:
            return seen, _WHY.get(seen.kind) or seen.message or "cannot be read"
        if not seen.fresh and posixpath.normpath(path) not in self._reused:
            return seen, "was not written during this trial (`reuses` says that an older file is meant)"
        return seen, None

    def document(self, path: str, blob: Blob) -> JsonValue:
        """Return the JSON in a file.

        Raises:
            NotJson: with the reason.

        """
        if path in self._no_json:
            raise NotJson(self._no_json[path])
        if path not in self._documents:
            try:
                self._documents[path] = load(blob)
            except NotJson as error:
                self._no_json[path] = str(error)
                raise
        return self._documents[path]

    def other(self, reference: OtherArtifact) -> JsonValue:
        """Return the value in another file.

        Raises:
            NotJson: the file is no evidence, or no JSON.
            PointerError: the pointer leads nowhere in it.

        """
        seen, why_not = self.look(reference.path)
        if why_not is not None or seen.blob is None:
            raise NotJson(why_not or "cannot be read")
        return pointers.resolve(self.document(reference.path, seen.blob), reference.json_pointer)
