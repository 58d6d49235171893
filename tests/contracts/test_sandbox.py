"""What every sandbox, and every room, must do."""

import pytest

from agentic_evals.adapters.process import WorkerSandbox
from agentic_evals.model.errors import EnvironmentUnfit
from agentic_evals.model.trial import Exited, Observe, RoomSpec, TrialJob
from tests.fakes.sandbox import FakeSandbox
from tests.worker.client import make_job


@pytest.fixture(params=["worker", "fake"])
def sandbox(request):
    """Return each sandbox; the fake one has no overlay."""
    return WorkerSandbox() if request.param == "worker" else FakeSandbox("copy", "shared")


@pytest.fixture
def spec(tmp_path):
    """Return a room to ask for, with `auto` as its mode."""
    (tmp_path / "workspace").mkdir()
    (tmp_path / "scratch" / "spool").mkdir(parents=True)
    (tmp_path / "workspace" / "old.txt").write_text("old\n")
    return RoomSpec(str(tmp_path / "workspace"), str(tmp_path / "scratch"))


def asked(spec, mode):
    """Return the same room in a mode asked for by name."""
    return RoomSpec(spec.workspace, spec.scratch, mode)


@pytest.mark.parametrize(("mode", "grade"), [("copy", "observed"), ("shared", "none")])
def test_a_room_asked_for_by_name_is_that_room(sandbox, spec, mode, grade):
    """The facts say the mode that was asked for, its grade, and how it is made."""
    facts = sandbox.probe(asked(spec, mode))

    assert (mode, grade) == (facts.mode, facts.private)
    assert facts.mechanism != "none"


def test_auto_is_some_room(sandbox, spec):
    """`auto` always gives a room, and its facts never say `auto`."""
    assert sandbox.probe(spec).mode in {"overlay", "copy", "shared"}


def test_a_room_that_cannot_be_had_is_an_error(sandbox, spec):
    """A mode asked for by name that is not to be had is `EnvironmentUnfit`, for a probe and for a room alike."""
    spec = RoomSpec(spec.workspace, spec.scratch, "copy", copy_limit_files=0)
    if isinstance(sandbox, FakeSandbox):
        sandbox.modes = ("shared",)

    for open_it in (sandbox.probe, sandbox.open):
        with pytest.raises(EnvironmentUnfit):
            open_it(spec)


def test_a_command_runs_in_an_open_room(sandbox, spec):
    """A capture tells how the command ended, with its argv and the room it ran in; then the room is closed."""
    room = sandbox.open(asked(spec, "copy"))
    document = make_job({"workspace": spec.workspace, "scratch": spec.scratch}, "true")
    try:
        capture = room.run(TrialJob(0, 1, ("true",), document))
        seen = room.observe([Observe(f"{spec.workspace}/missing.txt")])
    finally:
        room.close()

    assert (Exited(0), ("true",), room.facts.mode) == (capture.termination, capture.argv, capture.room.mode)
    assert [(f"{spec.workspace}/missing.txt", "missing")] == [(entry.path, entry.kind) for entry in seen]


def test_a_shadow_is_a_folder_below_the_scratch_folder(sandbox, spec):
    """Programs that do nothing are made where the run keeps its private files."""
    assert sandbox.shadow(spec.scratch, ("curl", "jq")).startswith(f"{spec.scratch}/")
