"""Whether a stream shows colours, and whether a line on it can be written again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Mapping


def wants_colour(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether to write colours to a stream.

    `NO_COLOR` says no and wins; `FORCE_COLOR` and `CLICOLOR_FORCE` say yes, whatever the stream is;
    else it must be a terminal that is not `dumb`, and `CLICOLOR` must not be 0.
    """
    if environment.get("NO_COLOR"):
        return False
    if any(environment.get(name, "0") not in {"", "0"} for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb" and environment.get("CLICOLOR") != "0"


def is_live(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether progress may be written over itself: on a terminal that a person watches."""
    return stream.isatty() and not environment.get("CI") and environment.get("TERM") != "dumb"
