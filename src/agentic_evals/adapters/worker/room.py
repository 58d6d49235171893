"""Chooses the most private room that this machine really gives, and says what was tried."""

from __future__ import annotations

import os

import lean
import replacing
from copying import CopiedView
from overlay import Namespaces, OverlayView
from view import RoomUnavailable, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from folders import Folders
    from protocol import RoomSpec


def open_room(spec: RoomSpec, folders: Folders, namespaces: Namespaces) -> View:
    """Open the room that `spec` asks for; `auto` means overlay, else copy, else shared.

    Raises:
        RoomUnavailable: when a mode asked by name cannot be had.
    """
    attempts: list[dict[str, object]] = []
    modes = ("overlay", "copy", "shared") if spec.mode == "auto" else (spec.mode,)
    for mode in modes:
        try:
            view = _open(mode, spec, folders, namespaces)
            prepare(view)
        except RoomUnavailable as refusal:
            attempts.append(refusal.attempt)
            if mode == modes[-1]:
                raise
            continue
        view.attempts = [*attempts, {"mode": mode, "ok": True, "errno": None, "at": None, "message": None}]
        if attempts:
            view.reason = "; ".join(f"no {tried['mode']}: {tried['message']}" for tried in attempts)
        return view
    raise AssertionError(modes)


def prepare(view: View) -> None:
    """Make an opened or refreshed room ready for a command: the null trial's replacements; raises `RoomUnavailable`."""
    if not view.spec.replace:
        return
    try:
        known = replacing.replace_all(view, view.spec.replace)
    except RoomUnavailable:
        view.close()
        raise
    if isinstance(view, OverlayView):
        view.known = known


def _open(mode: str, spec: RoomSpec, folders: Folders, namespaces: Namespaces) -> View:
    if mode == "shared":
        return View(spec)
    if mode == "copy":
        return CopiedView(spec, folders)
    if not namespaces.enter_by_privilege():
        _rehearse(spec, folders)
        namespaces.enter_by_user_namespace()
    return OverlayView(spec, folders, namespaces)


def _rehearse(spec: RoomSpec, folders: Folders) -> None:
    """Do it all in a child first: a user namespace cannot be left again, and half a room is worse than none.

    Raises:
        RoomUnavailable: what the child met.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, lean.write_json(_try_in_child(spec, folders)).encode("ascii"))
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    result = lean.read_json(answer.decode("ascii")) if answer else None
    if result == {}:
        return
    refusal = RoomUnavailable("overlay", None, "unshare", "the attempt ended without an answer")
    if isinstance(result, dict):
        refusal.attempt = result
    raise refusal


def _try_in_child(spec: RoomSpec, folders: Folders) -> dict[str, object]:
    try:
        namespaces = Namespaces()
        namespaces.enter_by_user_namespace()
        OverlayView(spec, folders, namespaces).close()
    except RoomUnavailable as refusal:
        return refusal.attempt
    return {}
