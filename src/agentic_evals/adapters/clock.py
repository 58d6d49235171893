"""Time, identity and chance of the real world."""

from __future__ import annotations

import os
import time


class SystemClock:
    """The machine's clock and its source of chance."""

    def now_iso(self) -> str:
        """Return the time as RFC 3339, in UTC, to the second."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def monotonic_ms(self) -> float:
        """Return milliseconds that only ever grow."""
        return time.monotonic() * 1000

    def new_seed(self) -> int:
        """Return a fresh seed, 0 ≤ seed < 2**31."""
        return int.from_bytes(os.urandom(4), "big") >> 1

    def new_run_id(self) -> str:
        """Return an identity that sorts by time and does not repeat."""
        return f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.urandom(4).hex()}"
