"""Lays out the skill that the examples in docs/reference/rules refer to; their index describes it."""

NAME = "example-skill"

FILES = {
    "SKILL.md": """\
---
name: example-skill
description: Counts the words of a text file. Use when asked how long a text is.
---

# Example skill

```sh
./run.sh samples/poem.txt
./run.sh samples/poem.txt --json report.json
./run.sh --samples 1000
```

A machine on which the skill is installed has it as `word-count samples/poem.txt`.
""",
    "run.sh": """\
#!/bin/sh
# Counts the words of a text: run.sh FILE [--json OUT], or run.sh --samples N [--seed SEED].
refuse() {
  echo "refused: $1" >&2
  exit 2
}
case "${1:-}" in
  --samples) exec python3 "$(dirname "$0")/scripts/sample.py" "$@" ;;
  "") refuse "no file is named" ;;
esac
[ -f "$1" ] || refuse "$1 is no file"
words=$(wc -w <"$1" | tr -d " ")
echo "words: $words"
[ "${2:-}" != --json ] || echo "{\\"words\\": $words}" >"$3"
""",
    "scripts/count.py": """\
\"\"\"Counts the words of a text.\"\"\"

import sys


def count(text):
    \"\"\"Return how many words a text has.\"\"\"
    return len(text.split())


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print("words:", count(file.read()))
""",
    "scripts/sample.py": """\
\"\"\"Counts the words of texts drawn at random: sample.py --samples N [--seed SEED].\"\"\"

import random
import sys

from count import count

given = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=False))
drawn = random.Random(given.get("--seed"))
for _ in range(int(given["--samples"])):
    number = drawn.randint(0, 50)
    assert number == count(" ".join(["word"] * number))
print("agreed on", given["--samples"], "texts")
""",
    "tests/test_count.py": """\
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "scripts"))

from count import count


class Counting(unittest.TestCase):
    def test_words(self):
        self.assertEqual(3, count("one two three"))


if __name__ == "__main__":
    unittest.main()
""",
    "samples/poem.txt": "The lamp is low, the road is long,\nand somewhere near a cricket's song.\n",
    "fixtures/stub.txt": "three small words\n",
}
"""The text of each file, by its path in the skill folder."""


def lay_out(folder, fixture=None):
    """Write the skill to `folder`, and the bytes of a fixture where they are given; return the fixture's path."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "run.sh").chmod(0o755)
    path = folder / "fixtures" / "agentic_eval.json"
    if fixture is not None:
        path.write_bytes(fixture)
    return path
