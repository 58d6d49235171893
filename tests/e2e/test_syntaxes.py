"""A fixture in YAML or TOML runs, is kept as what it is, and is judged again."""

import json

import pytest

from tests.e2e.program import READY, REJECTED, contents, make_skill


def block_style(value, indent=0):
    """Write lines of YAML in block style; scalars and what is empty as JSON, which is YAML too."""
    pad = "  " * indent
    if isinstance(value, dict) and value:
        for key, item in value.items():
            inner = list(block_style(item, indent + 1))
            nested = isinstance(item, dict | list) and bool(item)
            yield from (
                [f"{pad}{json.dumps(key)}:", *inner] if nested else [f"{pad}{json.dumps(key)}: {inner[0].strip()}"]
            )
    elif isinstance(value, list) and value:
        for item in value:
            first, *rest = block_style(item, indent + 1)
            yield from [f"{pad}- {first.strip()}", *rest]
    else:
        yield f"{pad}{json.dumps(value)}"


def inline(value):
    """Write a value of TOML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value)


def as_yaml(document):
    """Write a document as YAML."""
    return "# A fixture.\n" + "\n".join(block_style(document)) + "\n"


def as_toml(document):
    """Write a document as TOML, its cases under headers."""
    lines = [f"{key} = {inline(value)}" for key, value in document.items() if key != "cases"]
    for case in document["cases"]:
        lines += ["", "[[cases]]", *(f"{key} = {inline(value)}" for key, value in case.items())]
    return "\n".join(lines) + "\n"


WRITERS = {"yaml": as_yaml, "yml": as_yaml, "toml": as_toml}


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_fixture_of_another_syntax_runs_and_is_judged_again(program, skill, suffix):
    """The run folder keeps the file under its own ending, byte for byte, and `regrade` comes to the same verdict."""
    sound = make_skill(skill)
    fixture = sound.with_suffix(f".{suffix}")
    fixture.write_text(WRITERS[suffix](json.loads(sound.read_text())))
    sound.unlink()

    done = program("run", fixture, "--output", f"{program.base}/kept/", cwd=skill)
    kept = program.base / "kept"
    before = contents(kept)
    again = program("regrade", kept, cwd=program.base)

    assert (READY, READY) == (done.returncode, again.returncode), done.stdout + done.stderr + again.stderr
    (name,) = [path.name for path in (kept / "input").iterdir()]
    assert f"fixture.{suffix.replace('yml', 'yaml')}" == name
    assert fixture.read_bytes() == (kept / "input" / name).read_bytes()
    assert before == contents(kept)


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_mistake_is_placed_in_the_file_that_was_written(program, skill, suffix):
    """The line is the one of the YAML or TOML text."""
    sound = make_skill(skill)
    document = json.loads(sound.read_text())
    document["cases"][-1]["expected"]["stdout_contain"] = ["x"]
    fixture = sound.with_suffix(f".{suffix}")
    fixture.write_text(WRITERS[suffix](document))

    done = program("validate", fixture, cwd=skill)

    line = next(number for number, text in enumerate(fixture.read_text().split("\n"), 1) if 'stdout_contain"' in text)
    assert REJECTED == done.returncode
    assert f"{fixture.name}:{line}:" in done.stdout
    assert "unknown-expectation" in done.stdout


def test_what_nobody_can_observe_blocks_the_run(program, skill):
    """An unenforced constraint of severity error is no PASS: the exit code is that of the environment."""
    sound = make_skill(skill)
    document = json.loads(sound.read_text())
    constraint = {"type": "no_new_files_outside_temp", "severity": "error", "action": "flag"}
    document["cases"][0]["expected"]["safety_constraints"] = [constraint]
    sound.write_text(json.dumps(document))

    done, report = program.evaluate(sound)

    assert "BLOCKED" == report["cases"][0]["outcome"]
    assert any("UNENFORCED" in problem for problem in report["cases"][0]["problems"])
    assert READY != done.returncode


def test_a_milder_unknown_is_a_note_of_the_trial(program, skill):
    """A constraint of severity warn leaves the verdict alone, and the report tells of it."""
    sound = make_skill(skill)
    document = json.loads(sound.read_text())
    constraint = {"type": "no_new_files_outside_temp", "severity": "warn", "action": "flag"}
    document["cases"][0]["expected"]["safety_constraints"] = [constraint]
    sound.write_text(json.dumps(document))

    done, report = program.evaluate(sound)

    assert READY == done.returncode
    assert any("UNENFORCED" in note for note in report["cases"][0]["trials"][0]["notes"])
