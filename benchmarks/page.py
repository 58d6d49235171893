"""Answers to the page docs/reference/performance.md; it is written whole each time."""

import os

from machine import ROOT

PATH = os.path.join(ROOT, "docs", "reference", "performance.md")

_HEAD = """\
# Performance

This page is written by `./run.sh test --tool python benchmarks/run.py`; do not edit it.
Every figure comes from one run in which all contenders took turns, so that a busy machine is busy for all of them.
A promise is held against the least times of both sides, which other work disturbs least; the medians stand beside them.
"""


def render(facts, answers, *, quick):
    """Return the text of the page."""
    parts = [_HEAD]
    if quick:
        parts.append("**A quick run**: fewer rounds and smaller sizes than the promises ask for.\n")
    parts.append(_table(("Fact", "Value"), [(name, value) for name, value in facts.items()]))
    parts.append(f"{_summary(answers)}\n")
    return "\n".join([*parts, *map(section, answers)])


def section(answer):
    """Return the part of the page that answers one question."""
    rows = [_row(figure) for figure in answer.figures]
    table = _table(("Figure", "Measured", "By medians", "Promise", "", "From"), rows)
    notes = [f"{note}\n" for note in answer.notes]
    return "\n".join([f"## {answer.question}\n", f"{answer.how}\n", table, *notes])


def _summary(answers):
    promised = [figure for answer in answers for figure in answer.figures if figure.kept is not None]
    missed = [figure.what for figure in promised if not figure.kept]
    if not missed:
        return f"All {len(promised)} promises are kept."
    return f"{len(promised) - len(missed)} of {len(promised)} promises are kept. Missed: {'; '.join(missed)}."


def _row(figure):
    kept = {None: "", True: "kept", False: "**missed**"}[figure.kept]
    promise = "" if figure.limit is None else f"≤ {_number(figure.limit)} {figure.unit}"
    median = "" if figure.median is None else f"{_number(figure.median)} {figure.unit}"
    return (figure.what, f"{_number(figure.value)} {figure.unit}", median, promise, kept, figure.detail)


def _number(value):
    decimals = 2 - (len(str(int(abs(value)))) - 1)
    return f"{value:.{max(0, decimals)}f}"


def _table(head, rows):
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in lines) + "\n"
