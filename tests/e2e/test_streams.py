"""What stands on which stream, whatever the terminal's encoding and the file names are."""

import os

import pytest

from tests.e2e.program import NOT_READY, READY, REJECTED, USAGE, case, make_skill


def test_results_stand_on_standard_output_and_all_else_on_standard_error(program, sound):
    """A machine that reads standard output gets the document and nothing beside it."""
    done = program("run", sound, "--format", "sarif", cwd=sound.parent)

    assert READY == done.returncode, done.stderr
    assert done.stdout.startswith("{\n")
    assert done.stdout.endswith("}\n")
    assert "4 trials" in done.stderr


def test_an_encoding_without_our_characters_is_no_crash(program, skill):
    """What Latin-1 lacks is written out."""
    fixture = make_skill(skill, case("count-数", "exit 1"))
    done = program("run", fixture, cwd=skill, PYTHONIOENCODING="latin-1")

    assert NOT_READY == done.returncode, done.stderr
    assert "count-\\u6570" in done.stdout


def test_a_path_that_is_no_utf8_is_no_crash(program, tmp_path):
    """A folder whose name is not UTF-8 can hold a skill that is evaluated, and a name that is refused."""
    fixture = make_skill(tmp_path / os.fsdecode(b"sk\xffll"))
    for arguments in (("run", fixture, "--format", "json"), ("validate", fixture, "--format", "sarif")):
        done = program(*arguments, cwd=tmp_path)
        assert READY == done.returncode, done.stderr

    assert REJECTED == program("validate", os.fsdecode(b"\xff.json"), cwd=tmp_path).returncode


def test_escape_codes_of_a_command_are_shown_not_sent(program, skill):
    """Neither stream carries what a trial printed to act on the terminal."""
    text = "printf '\\033]0;owned\\007\\033[2J\\233\\000\\342\\200\\256 red\\n'; exit 1"
    done = program("run", make_skill(skill, case("acts", text)), cwd=skill)

    assert NOT_READY == done.returncode
    assert not set("\x1b\x07\x00\x9b\u202e") & set(done.stdout + done.stderr)
    assert "\\x1b]0;owned\\x07" in done.stdout


@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
def test_a_pipe_gets_no_colours(program, sound, variables):
    """Colours are for terminals, and NO_COLOR wins."""
    done = program("run", sound, cwd=sound.parent, **variables)

    assert "\x1b" not in done.stdout + done.stderr


def test_colours_can_be_forced(program, sound):
    """CI systems that show colours ask for them."""
    done = program("run", sound, cwd=sound.parent, CLICOLOR_FORCE="1")

    assert "\x1b[32mREADY\x1b[0m (cases only" in done.stdout
    assert "\x1b[32mPASS" in done.stderr


def test_several_fixtures_do_not_overwrite_one_report(program, sound):
    """One file cannot hold two reports, and the first is not lost to the second."""
    done = program("run", sound, sound, "--output", "report.json", cwd=sound.parent)

    assert USAGE == done.returncode
    assert "cannot share one file" in done.stderr
    assert not (sound.parent / "report.json").exists()


def test_a_check_is_written_to_several_files(program, sound):
    """Each in its own format."""
    done = program(
        "validate", sound, "--output", "a.sarif", "--output", "text:b", "--output", "junit:c", cwd=sound.parent
    )

    assert READY == done.returncode, done.stderr
    assert '"version": "2.1.0"' in (sound.parent / "a.sarif").read_text()
    assert "admitted (2 cases)" in (sound.parent / "b").read_text()
    assert "<testsuites" in (sound.parent / "c").read_text()
