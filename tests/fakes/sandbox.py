"""Rooms without a machine."""

from agentic_evals.model.errors import EnvironmentUnfit
from agentic_evals.model.trial import Capture, Exited, Observed, RoomFacts

GRADES = {"overlay": "verified", "copy": "observed", "shared": "none"}
ORDER = ("overlay", "copy", "shared")


class FakeSandbox:
    """A machine that has some kinds of view and not others."""

    def __init__(self, *modes):
        """Have these kinds of view."""
        self.modes = modes or ORDER
        self.probed = []
        self.shadows = []

    def _facts(self, spec):
        wanted = [mode for mode in ORDER if mode in self.modes] if spec.mode == "auto" else [spec.mode]
        if wanted[0] not in self.modes:
            message = f"room-unavailable: {spec.mode}: not here"
            raise EnvironmentUnfit(message)
        return RoomFacts(wanted[0], spec.workspace, None, GRADES[wanted[0]], f"fake {wanted[0]}")

    def probe(self, spec):
        """Tell what a room would be."""
        self.probed.append(spec)
        return self._facts(spec)

    def shadow(self, scratch, programs, code=0):  # noqa: ARG002 - the port has it
        """Remember which programs were to be shadowed."""
        self.shadows.append(tuple(programs))
        return f"{scratch}/shadow"

    def open(self, spec):
        """Open a room."""
        return FakeRoom(self._facts(spec))


class FakeRoom:
    """A room in which every command ends well and nothing is ever written."""

    def __init__(self, facts):
        """Be what was asked for."""
        self.facts = facts
        self.closed = False

    def run(self, job):
        """Say that the command ended well."""
        return Capture(Exited(0), argv=job.argv, room=self.facts)

    def observe(self, wanted):
        """Find nothing."""
        return [Observed(wish.path, "missing") for wish in wanted]

    def close(self):
        """Be closed."""
        self.closed = True
