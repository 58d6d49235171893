"""A clock that counts instead of measuring."""


class FakeClock:
    """Stands at one time; every answer is different from the one before, and always the same in the next test."""

    def __init__(self):
        """Begin at nothing."""
        self._counted = 0

    def _next(self):
        self._counted += 1
        return self._counted

    def now_iso(self):
        """Return the one time."""
        return "2026-11-30T12:00:00Z"

    def monotonic_ms(self):
        """Return one millisecond more at each call."""
        return float(self._next())

    def new_seed(self):
        """Return the next number."""
        return self._next()

    def new_run_id(self):
        """Return the next name."""
        return f"run-{self._next():06}"
