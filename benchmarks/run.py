"""Answers every question about speed and size in one go, and writes docs/reference/performance.md."""

import argparse
import importlib
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import machine
import page

QUESTIONS = ("start_up", "trial_overhead", "many_trials", "scaling", "large_output", "matching")


def main():
    """Measure, print each answer when it is there, and write the page; exit 1 when a promise is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller sizes")
    parser.add_argument("--only", choices=QUESTIONS, action="append", help="print this answer; no page is written")
    chosen = parser.parse_args()
    facts = machine.facts()
    answers = []
    for name in chosen.only or QUESTIONS:
        print(f"{name} …", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="agentic-evals-benchmark-") as folder:
            os.environ["XDG_STATE_HOME"] = os.path.join(folder, "state")
            answers.append(importlib.import_module(name).measure(os.path.realpath(folder), quick=chosen.quick))
        print(page.section(answers[-1]), flush=True)
    text = page.render(facts, answers, quick=chosen.quick)
    if not chosen.only:
        with open(page.PATH, "w", encoding="utf-8") as file:
            file.write(text)
    return 0 if all(figure.kept is not False for answer in answers for figure in answer.figures) else 1


if __name__ == "__main__":
    sys.exit(main())
