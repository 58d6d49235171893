"""Suites for tests of flows: a small skill in a fake workspace, and what a flow needs around it."""

import json

from agentic_evals import wiring
from agentic_evals.flows.admit import Admit
from agentic_evals.flows.evaluate import Evaluation, Request
from agentic_evals.flows.rooms import Wanted
from agentic_evals.model.trial import Blob, Capture, Exited
from tests.fakes.clock import FakeClock
from tests.fakes.executor import FakeExecutor
from tests.fakes.sandbox import FakeSandbox
from tests.fakes.store import MemoryStore
from tests.fakes.workspace import FakeWorkspace

FIXTURE = "/skill/fixtures/agentic_eval.json"


def case(name, **more):
    """Return a case whose command is `sh <name>.sh`, and which expects `<name> went well`."""
    return {
        "name": name,
        "type": "positive",
        "command": ["sh", f"{name}.sh"],
        "workdir": "..",
        "expected": {"exit_code": 0, "stdout_contains": [f"{name} went well"]},
        **more,
    }


WORKS = case("works", real_world=True)
REFUSES = case(
    "refuses", type="negative", expected={"exit_code": 2, "stdout_contains": ["refused: it is not what was asked for"]}
)


def admission(*cases, trials=None, sound=(WORKS, REFUSES), **manifest):
    """Admit a suite of the sound cases and `cases`, by the real rules; tests want it admitted."""
    made = asked(*cases, trials=trials, sound=sound, **manifest)
    assert made.admitted, made.findings
    return made


def asked(*cases, trials=None, sound=(WORKS, REFUSES), **manifest):
    """Ask the real rules about a suite of the sound cases and `cases`; they may refuse it."""
    written = [*sound, *cases]
    document = {"version": 2, "skill": "sample", "trials": 2, **manifest, "cases": written}
    files = {FIXTURE: json.dumps(document, indent=1).encode(), "/skill/SKILL.md": b"---\nname: sample\n---\n"}
    files |= {f"/skill/{one['name']}.sh": b"" for one in written}
    return admit(FakeWorkspace(files))(FIXTURE, trials, "--trials" if trials else None)


def admit(workspace):
    """Return the flow that admits, over a fake workspace and with the real leaves."""
    return Admit(workspace, wiring.operators(), wiring.contract_rules(), wiring.importers())


def well(job):
    """Answer every job as its case wants it; a job without the skill exits 0 in silence."""
    name = job.argv[1].removesuffix(".sh")
    if job.null:
        return Capture(Exited(0), argv=job.argv)
    if name == "refuses":
        return printed(job, 2, b"refused: it is not what was asked for\n")
    return printed(job, 0, f"{name} went well\n".encode())


def printed(job, code, text):
    """Return a capture of a command that printed something."""
    return Capture(Exited(code), stdout=Blob.of(text), argv=job.argv)


class Run:
    """One evaluation over fakes, with everything that came of it."""

    def __init__(
        self, admitted, answer=well, *, sandbox=None, store=None, latest_first=False, subscribe=None, **request
    ):
        """Carry it out."""
        self.store = store or MemoryStore()
        self.sandbox = sandbox or FakeSandbox()
        self.events = []
        self.executors = []
        mode = request.pop("workspace_mode", "auto")
        wanted = Wanted("/scratch", mode, request.pop("level", "auto"), (1, 1), request.pop("require", {}))

        def executor_for(jobs):
            self.executors.append(FakeExecutor(jobs, answer, latest_first=latest_first))
            return self.executors[-1]

        def tell(event):
            self.events.append(event)
            if subscribe is not None:
                subscribe(event)

        flow = Evaluation(self.sandbox, self.store, FakeClock(), executor_for)
        done = flow.run(admitted, Request("run-1", wanted, **request), tell)
        self.report, self.folder = done.report, done.folder

    @property
    def executor(self):
        """The executor that carried the jobs out."""
        return self.executors[0]

    @property
    def outcomes(self):
        """The outcome of each case."""
        return {one.name: one.outcome for one in self.report.cases}

    def drawn(self):
        """Return case and trial of each job that was started, null trials left out."""
        return [(job.argv[1].removesuffix(".sh"), job.trial) for job in self.executor.drawn if not job.null]

    def problems(self, name):
        """Return the problems of a case."""
        return next(one.problems for one in self.report.cases if one.name == name)
