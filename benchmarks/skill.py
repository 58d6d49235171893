"""A skill that does next to nothing, so that what is measured is what stands around it."""

import json
import os
import subprocess

GREETING = "hello from"
REFUSAL = "cannot greet"
FLOOD_END = "the end of the flood"

_SCRIPT = """\
case ${1-} in
  world*) echo "hello from $1" ;;
  flood) head -c "$2" /dev/zero; echo "the end of the flood" ;;
  *) echo "cannot greet: ${1-}"; exit 2 ;;
esac
"""


def make(folder, shell="/bin/sh"):
    """Write the skill into a git repository of its own below a folder, and return where."""
    root = os.path.join(folder, f"tiny-{os.path.basename(shell)}")
    os.makedirs(os.path.join(root, "fixtures"))
    _write(root, "SKILL.md", "---\nname: tiny\ndescription: Greets worlds, and refuses to greet anything else.\n---\n")
    _write(root, "run.sh", f"#!{shell}\n{_SCRIPT}")
    os.chmod(os.path.join(root, "run.sh"), 0o755)
    git = ["git", "-C", root, "-c", "user.name=benchmark", "-c", "user.email=benchmark@localhost"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "tiny"], check=True)
    return root


def fixture(root, name, cases, trials):
    """Write a fixture of so many cases, half of them refusals, and return its path."""
    return _fixture(root, name, [_case(number) for number in range(cases)], trials)


def flood_fixture(root, name, size):
    """Write a fixture with one case that prints `size` bytes and a last line, and return its path."""
    flood = _case(0) | {"command": ["./run.sh", "flood", str(size)], "timeout_seconds": 600}
    flood["expected"] = {"exit_code": 0, "stdout_contains": [FLOOD_END]}
    return _fixture(root, name, [flood, _case(1)], 2)


def _case(number):
    refusal = number % 2 == 1
    return {
        "name": f"case-{number}",
        "type": "negative" if refusal else "positive",
        "real_world": not refusal,
        "workdir": "..",
        "command": ["./run.sh", f"nobody{number}" if refusal else f"world{number}"],
        "expected": {"exit_code": 2 if refusal else 0, "stdout_contains": [REFUSAL if refusal else GREETING]},
    }


def _fixture(root, name, cases, trials):
    document = {
        "version": 2,
        "skill": "tiny",
        "trials": trials,
        "proof_scope": "what stands around a trial",
        "claims": {"proves": "the script greets worlds", "does_not_prove": "anything else"},
        "cases": cases,
    }
    return _write(root, f"fixtures/{name}.json", json.dumps(document, indent=1))


def bash_loop(root, cases, trials):
    """Write the plain loop over the same commands, which checks exit code and text, and return its path."""
    return _write(
        root,
        f"loop-{cases}-{trials}.sh",
        f"""cd {root}
for ((case = 0; case < {cases}; case++)); do
  if ((case % 2)); then word=nobody$case code=2 text='{REFUSAL}'; else word=world$case code=0 text='{GREETING}'; fi
  for ((trial = 0; trial < {trials}; trial++)); do
    output=$(./run.sh "$word")
    [ $? -eq $code ] || exit 1
    case $output in *"$text"*) ;; *) exit 1 ;; esac
  done
done
""",
    )


def _write(root, name, text):
    path = os.path.join(root, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path
