"""What users see, letter by letter: every report format, and every way in which the program ends.

The files in `expected` are written anew by `--update-golden` and by nothing else.
"""

import json
import os
import re
import signal
from pathlib import Path

import pytest

from agentic_evals import wiring
from agentic_evals.reports._format import Surroundings
from tests.e2e.program import (
    ENVIRONMENT,
    INCONCLUSIVE,
    INTERRUPTED,
    NOT_READY,
    READY,
    REJECTED,
    USAGE,
    case,
    make_skill,
    until,
)
from tests.unit.reports import samples

EXPECTED = Path(__file__).parent / "expected"
FORMATS = {
    "terminal": "txt",
    "json": "json",
    "junit": "xml",
    "markdown": "md",
    "sarif": "sarif",
    "codequality": "codequality.json",
}
RUNS = {
    "ready": lambda: samples.report(findings=(samples.finding(),)),
    "failed": lambda: samples.failed(findings=(samples.finding(),)),
    "blocked": samples.blocked,
    "bypassed": lambda: samples.blocked(gate="bypassed", exit_code=0),
    "hostile": samples.hostile,
}
SCRUBBED = (
    (r"\d{8}T\d{6}Z-[0-9a-f]{8}", "RUN_ID"),
    (r"\b[0-9a-f]{64}\b", "SHA256"),
    (r"\b[0-9a-f]{40}\b", "SHA1"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?", "TIME"),
    (r" *\b\d+(?:\.\d+)? m?s\b", " DURATION"),
    (r" *\b\d+ min \d\d s\b", " DURATION"),
    (r'time="\d+\.\d+"', 'time="DURATION"'),
    (r'("(?:duration_ms|started_unix_ms)": )[\d.]+', r"\1DURATION"),
    (r'("(?:version|python|kernel|machine|system|ref)": )"[^"]*"', r'\1"MACHINE"'),
)


def scrub(text, *places):
    """Replace what differs between two runs or two machines."""
    for place, name in places:
        text = text.replace(str(place), name)
    for pattern, name in SCRUBBED:
        text = re.sub(pattern, name, text)
    return text


def check(name, text, update):
    """Compare with the golden file, or write it where that was asked for."""
    path = EXPECTED / name
    if update:
        path.write_text(text)
    assert path.exists(), f"{name} is missing: run with --update-golden and look at it"
    assert path.read_text() == text


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("run", RUNS)
def test_a_report_looks_like_this(form, run, update_golden):
    """Each format of each run, as it is written to a file."""
    check(f"{run}.{FORMATS[form]}", wiring.formats()[form].render(RUNS[run]()), update_golden)


@pytest.mark.parametrize("form", FORMATS)
def test_a_check_looks_like_this(form, update_golden):
    """Each format of what `validate` finds."""
    check(f"findings.{FORMATS[form]}", wiring.formats()[form].findings(samples.findings_report()), update_golden)


def test_a_coloured_report_looks_like_this(update_golden):
    """The terminal format with its colours."""
    leaf = wiring.formats()["terminal"].suited(Surroundings(colour=True))
    check("failed.coloured.txt", leaf.render(samples.failed()), update_golden)


def test_every_format_has_its_golden_files():
    """A format without one is not looked at by anybody."""
    assert set(wiring.formats()) == set(FORMATS)


FAILING = case("breaks", "echo 'something else'; exit 1")
LEAKING = case("leaks", "sleep 300 & echo it is done")
BLOCKED = case("waits", "echo 'no network here'; exit 1", blocked_when_stdout_contains=["no network here"])
OPTIONAL = case("extra", "exit 1", required=False)
CALLS = {
    "run-ready": (READY, (), ()),
    "run-not-ready": (NOT_READY, (FAILING, OPTIONAL), ()),
    "run-leaked": (NOT_READY, (LEAKING,), ()),
    "run-blocked": (ENVIRONMENT, (BLOCKED,), ()),
    "run-bypassed": (READY, (FAILING,), ("--report-only",)),
    "run-partial": (INCONCLUSIVE, (), ("--case", "doubles")),
    "run-unknown-case": (USAGE, (), ("--case", "doubled")),
    "run-wrong-flag": (USAGE, (), ("--trails", "3")),
    "run-unwritable": (USAGE, (), ("--output", "missing/report.json")),
}


def transcript(arguments, code, stdout, stderr, *places):
    """Return one page of what was called, what came out on each stream, and how it ended."""
    call = " ".join(map(str, arguments))
    page = f"$ agentic-evals {call}\n# exits {code}\n--- stdout\n{stdout}--- stderr\n{stderr}"
    return scrub(page, *places)


def places(program, skill):
    """Return the folders of a test with the names that golden files have for them."""
    return (skill, "SKILL"), (program.base, "HOME")


@pytest.mark.parametrize("name", CALLS)
def test_a_run_ends_like_this(name, program, skill, update_golden):
    """Each way in which `run` can end: both streams and the exit code."""
    code, cases, flags = CALLS[name]
    make_skill(skill, *cases)
    arguments = ("run", "fixtures/agentic_eval.json", "--jobs", "1", "--workspace", "copy", *flags)
    done = program(*arguments, cwd=skill)

    assert code == done.returncode, done.stderr
    page = transcript(arguments, done.returncode, done.stdout, done.stderr, *places(program, skill))
    check(f"{name}.transcript", page, update_golden)


@pytest.mark.parametrize("command", ["run", "validate"])
def test_a_refused_fixture_looks_like_this(command, program, skill, update_golden):
    """Every reason with its place and remedy; nothing is executed."""
    fixture = make_skill(skill, case("same", "exit 0", {"exit_code": "0", "stdout_contain": ["x"]}))
    document = json.loads(fixture.read_text())
    fixture.write_text(json.dumps({**document, "trials": 1, "trails": 3}, indent=1))
    arguments = (command, "fixtures/agentic_eval.json")
    done = program(*arguments, cwd=skill)

    assert REJECTED == done.returncode
    page = transcript(arguments, done.returncode, done.stdout, done.stderr, *places(program, skill))
    check(f"{command}-refused.transcript", page, update_golden)


def test_an_interrupted_run_ends_like_this(program, skill, update_golden):
    """What had finished is reported, and the gate is shut with 130."""
    make_skill(skill, case("slow", f"touch {program.base}/began; sleep 60"))
    arguments = ("run", "fixtures/agentic_eval.json", "--jobs", "1", "--workspace", "copy")
    running = program.start(*arguments, cwd=skill)
    assert until((program.base / "began").exists)
    os.kill(running.pid, signal.SIGTERM)
    stdout, stderr = running.communicate(timeout=60)

    assert INTERRUPTED == running.returncode
    page = transcript(arguments, running.returncode, stdout, stderr, *places(program, skill))
    check("run-interrupted.transcript", page, update_golden)


def test_a_whole_json_report_looks_like_this(program, skill, update_golden):
    """The public document of a real run; settings are left out, each flag has a test of its own."""
    make_skill(skill, FAILING)
    done = program(
        "run", "fixtures/agentic_eval.json", "--jobs", "1", "--workspace", "copy", "--format", "json", cwd=skill
    )
    document = json.loads(done.stdout) | {"settings": {}, "environment": {}}
    document["isolation"].pop("guarantees")
    text = scrub(json.dumps(document, indent=1) + "\n", *places(program, skill))
    check("run-not-ready.json", re.sub(r'("(?:stored_)?(?:pid|max_rss_kb)": )\d+', r"\1NUMBER", text), update_golden)
