"""Documents and folders that a test has written down."""

from agentic_evals.model.errors import DocumentRejected
from agentic_evals.model.finding import Finding, Location, Severity
from agentic_evals.model.workspace import RepositoryFacts, WorkspaceFacts


class FakeWorkspace:
    """A skill in `/skill` with the files that a test gives it, each with its bytes."""

    def __init__(self, files, *, skill_name="sample", own_program=False):
        """Hold `files`, by their absolute path."""
        self._files = files
        self._skill_name = skill_name
        self._own_program = own_program

    def read(self, path):
        """Return a file's bytes."""
        if path not in self._files:
            reason = "No such file or directory"
            finding = Finding("document-unreadable", Severity.ERROR, reason, Location(path))
            message = f"{path}: {reason}"
            raise DocumentRejected(message, (finding,))
        return self._files[path]

    def facts(self, fixture_path):
        """Describe `/skill`, whatever fixture of it is meant."""
        inside = fixture_path.removeprefix("/skill/")
        names = frozenset(path.removeprefix("/skill/") for path in self._files)
        folders = frozenset({".", *(name.rpartition("/")[0] or "." for name in names)})
        return WorkspaceFacts(
            root="/skill",
            fixture=inside.rpartition("/")[0] or ".",
            skill=".",
            skill_name=self._skill_name,
            skill_text=f"---\nname: {self._skill_name}\n---\n" if self._skill_name else None,
            files=names,
            folders=folders,
            repository=RepositoryFacts(),
            own_program=self._own_program,
        )
