"""An executor that carries out nothing: it hands out captures that a test has written."""

from agentic_evals.model.trial import Capture, Exited


class FakeExecutor:
    """Answers each job by a function; keeps up to `jobs` of them before the first is handed out."""

    def __init__(self, jobs, answer=lambda job: Capture(Exited(0), argv=job.argv), *, latest_first=False):
        """Answer by `answer`, a function from a job to a capture; an exception in its place is raised."""
        self.jobs = jobs
        self.drawn = []
        self.closed = False
        self._answer = answer
        self._next = -1 if latest_first else 0

    def run(self, jobs):
        """Draw jobs when there is room for one, and hand out the captures of the oldest, or of the latest."""
        waiting, busy = iter(jobs), []
        try:
            while True:
                while len(busy) < self.jobs and (job := next(waiting, None)) is not None:
                    self.drawn.append(job)
                    busy.append(job)
                if not busy:
                    return
                job = busy.pop(self._next)
                capture = self._answer(job)
                if isinstance(capture, BaseException):
                    raise capture
                yield job, capture
        finally:
            self.closed = True
