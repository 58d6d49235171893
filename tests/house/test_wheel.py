"""The wheel is a whole program: installed elsewhere it has its console scripts and its pages."""

import subprocess

import pytest

from agentic_evals import __version__
from tests.house.support import CHECKOUT, copy_checkout, development_tool, strangers_environment
from tests.programs.example_skill import lay_out

PAGES = CHECKOUT / "docs" / "reference" / "rules"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return the folder of the console scripts of a fresh environment that holds the wheel and its locked needs."""
    place = tmp_path_factory.mktemp("wheel")
    checkout = copy_checkout(place / "checkout")
    uv, python = development_tool("uv"), str(place / "venv" / "bin" / "python")
    for command in (
        ["build", "--quiet", "--wheel", "--out-dir", str(place / "dist"), str(checkout)],
        ["venv", "--quiet", str(place / "venv")],
        [
            "pip",
            "install",
            "--quiet",
            "--python",
            python,
            "--require-hashes",
            "-r",
            str(CHECKOUT / "requirements.lock"),
        ],
    ):
        subprocess.run([uv, *command], cwd=place, env=strangers_environment(), check=True)
    (wheel,) = (place / "dist").glob("*.whl")
    subprocess.run(
        [uv, "pip", "install", "--quiet", "--python", python, "--no-deps", str(wheel)],
        cwd=place,
        env=strangers_environment(),
        check=True,
    )
    return place / "venv" / "bin"


def call(folder, *words, cwd):
    """Run a console script far from the checkout and return the completed process."""
    environment = strangers_environment(HOME=str(cwd), PATH="/usr/bin:/bin")
    return subprocess.run(
        [folder / words[0], *words[1:]],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]


@pytest.mark.parametrize("name", ["agentic-evals", "aeval"])
def test_both_names_are_the_program(installed, tmp_path, name):
    """Each console script says the version of this checkout."""
    done = call(installed, name, "--version", cwd=tmp_path)

    assert (0, "") == (done.returncode, done.stderr)
    assert __version__ in done.stdout


def test_the_pages_come_along(installed, tmp_path):
    """`explain` of the installed program prints the very page, and lists every page there is."""
    page = call(installed, "agentic-evals", "explain", "trials-too-few", cwd=tmp_path)
    every = call(installed, "aeval", "explain", cwd=tmp_path)

    assert (0, (PAGES / "trials-too-few.md").read_text()) == (page.returncode, page.stdout)
    assert sorted(path.stem for path in PAGES.glob("*.md") if path.stem != "README") == [
        line.split()[0] for line in every.stdout.splitlines()
    ]


def test_the_worker_comes_along(installed, tmp_path):
    """The installed program runs a fixture to its verdict, so that everything a run needs is in the wheel."""
    accepted = (PAGES / "trials-too-few.md").read_text().split("## Example that is accepted")[1]
    fixture = lay_out(tmp_path / "example-skill", accepted.split("```json\n")[1].split("```")[0].encode())

    done = call(installed, "agentic-evals", "run", fixture, cwd=tmp_path)

    assert 0 == done.returncode, done.stderr
    assert "example-skill: READY (cases only, nothing claimed)" == done.stdout.splitlines()[0]


def test_nothing_but_the_program_is_in_it(installed):
    """No test, no cache and no tool's folder is installed beside the package."""
    (packages,) = (installed.parent / "lib").glob("python*/site-packages")
    inside = [path.relative_to(packages) for path in (packages / "agentic_evals").rglob("*")]

    assert [] == [str(path) for path in inside if any(part.startswith(".") or part == "tests" for part in path.parts)]
