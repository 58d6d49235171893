"""No secret that a command prints reaches anything that this program writes or shows."""

import base64
import html
import json
import os
import subprocess
import sys
import urllib.parse

import pytest

from tests.e2e.program import NOT_READY, case, make_skill

SECRET = 'Zq7-"x/9Lm\\2&Rt5 W<x>kQ'
KEY = (
    "-----BEGIN PRIVATE KEY-----\n"
    + "\n".join(f"MIIEvQ{line}{'Zk9' * 19}" for line in range(8))
    + "\n-----END PRIVATE KEY-----\n"
)
TOKEN = "ghp_" + "Zx9Q" * 9

PRINTS = """
import base64, html, json, os, pathlib, subprocess, sys, urllib.parse
secret, key = os.environ["MY_ACCESS"], os.environ["MY_KEY"]
print(secret)
print(json.dumps({"token": secret}), json.dumps(json.dumps(secret)))
print(urllib.parse.quote(secret, safe=""), urllib.parse.quote_plus(secret))
print(base64.b64encode(secret.encode()).decode())
print(base64.encodebytes(b"someone:" + secret.encode() + b"\\n" * 60).decode())
print(base64.urlsafe_b64encode(secret.encode()).decode())
print(secret.encode().hex())
print(html.escape(secret), repr(secret))
print(key, json.dumps(key))
print("ghp_" + "Zx9Q" * 9)
sys.stdout.flush()
os.write(1, secret[:9].encode()); os.write(1, secret[9:].encode() + b"\\n")
os.write(2, b"." * 65530 + secret.encode() + b"." * 200000 + secret.encode() + b"\\n")
pathlib.Path("out.json").write_text(json.dumps({"seen": secret, "long": "x" * 100 + secret}))
pathlib.Path(f"left-{base64.b16encode(secret.encode()).decode()}.txt").write_text(secret)
subprocess.Popen(["sleep", "30", ], executable="/bin/sleep") if "leak" in sys.argv else None
sys.exit(f"fatal: cannot log in as {secret}")
"""


def forms():
    """Return what must be nowhere: each printed form of the secrets, or the part of it that tells."""
    inner = base64.b64encode(b"someone:" + SECRET.encode()).decode()[12:-4]
    return {
        "itself": SECRET,
        "its beginning": SECRET[:9],
        "JSON": json.dumps(SECRET)[1:-1],
        "JSON twice": json.dumps(json.dumps(SECRET)[1:-1])[1:-1],
        "URL": urllib.parse.quote(SECRET, safe=""),
        "form": urllib.parse.quote_plus(SECRET),
        "Base64": base64.b64encode(SECRET.encode()).decode()[:-4],
        "Base64 inside": inner,
        "Base64 for URLs": base64.urlsafe_b64encode(SECRET.encode()).decode()[:-4],
        "hex": SECRET.encode().hex(),
        "hex in a path": SECRET.encode().hex().upper(),
        "HTML": html.escape(SECRET),
        "key": KEY.splitlines()[3],
        "token": TOKEN,
    }


def squeezed(data):
    """Return bytes without line breaks, real or escaped, so that what was wrapped is found."""
    return data.replace(b"\n", b"").replace(b"\\n", b"")


def held(data):
    """Name the forms that bytes hold."""
    return [form for form, text in forms().items() if text.encode() in data or text.encode() in squeezed(data)]


def test_the_command_really_prints_every_form(tmp_path):
    """Else its absence would prove nothing."""
    (tmp_path / "prints.py").write_text(PRINTS)
    done = subprocess.run(
        [sys.executable, "prints.py"],
        cwd=tmp_path,
        env=os.environ | {"MY_ACCESS": SECRET, "MY_KEY": KEY},
        capture_output=True,
        check=False,
    )
    names = "".join(path.name for path in tmp_path.iterdir())

    assert list(forms()) == held(done.stdout + done.stderr + names.encode())


@pytest.fixture
def evaluated(program, skill):
    """Evaluate a skill whose command prints its credentials in every way; return all that is written, by place."""
    expected = {
        "exit_code": 1,
        "artifacts": [
            {"path": "out.json", "json_pointer": "/seen", "equals": "other"},
            {"path": "out.json", "json_pointer": "/long", "equals": "other"},
        ],
        "stdout_contains": ["never printed"],
    }
    printing = case("prints", PRINTS, expected, file="prints.py", command=["python3", "prints.py"])
    leaking = case("leaks", PRINTS, expected, file="prints.py", command=["python3", "prints.py", "leak"])
    fixture = make_skill(skill, printing, leaking, credentials=["MY_ACCESS", "MY_KEY"])
    formats = ("json", "junit", "markdown", "sarif", "codequality", "terminal")
    outputs = [word for form in formats for word in ("--output", f"{form}:{program.base}/report.{form}")]
    kept = program.base / "kept"
    done = program(
        "run", fixture, "--verbose", "--output", f"{kept}/", *outputs, cwd=skill, MY_ACCESS=SECRET, MY_KEY=KEY
    )
    again = program("regrade", kept, "--format", "json", cwd=skill)
    assert NOT_READY == done.returncode == again.returncode, done.stderr + again.stderr
    written = {"stdout": done.stdout.encode(), "stderr": done.stderr.encode(), "regraded": again.stdout.encode()}
    files = [path for path in program.base.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    written.update((str(path.relative_to(program.base)), path.read_bytes()) for path in files)
    written["names"] = "\n".join(map(str, program.base.rglob("*"))).encode()
    return written


def test_no_secret_is_left_anywhere(evaluated):
    """The run folder, both streams, every report and the regraded run are free of every printed form."""
    found = {place: held(data) for place, data in evaluated.items() if held(data)}

    assert {} == found


def test_what_was_replaced_is_said(evaluated):
    """The record is not silent about what it does not hold."""
    report = json.loads(evaluated["report.json"])
    trial = next(one for one in report["cases"] if one["name"] == "prints")["trials"][0]

    assert 12 <= trial["streams"]["stdout"]["redacted"]
    assert 3 <= trial["streams"]["stderr"]["redacted"]
    assert "[redacted]" in "\n".join(trial["problems"])
    assert b"[redacted]" in evaluated["stderr"]
    assert {"names", "kept/report.json", "report.sarif", "report.markdown"} <= set(evaluated)


def test_the_regraded_run_says_the_same(evaluated):
    """Verdicts on evidence that was replaced are carried over, word by word."""
    first, second = json.loads(evaluated["report.json"]), json.loads(evaluated["regraded"])

    assert [(one["name"], one["outcome"], one["problems"]) for one in first["cases"]] == [
        (one["name"], one["outcome"], one["problems"]) for one in second["cases"]
    ]
