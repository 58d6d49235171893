"""Programs and addresses that a `SKILL.md` names in a command."""

import pytest

from agentic_evals.rules.commands import commands_from_markdown


@pytest.mark.parametrize(
    ("text", "programs", "origins"),
    [
        ("```bash\nmytool do --x\n```", {"mytool"}, set()),
        ("```sh\nA=b timeout 5 mytool do | other --y\n```", {"mytool", "other"}, set()),
        ("~~~ shell\nmytool x\n~~~", {"mytool"}, set()),
        ("  ```bash\n  mytool x\n  ```", {"mytool"}, set()),
        ("> ```bash\n> mytool x\n> ```", {"mytool"}, set()),
        ("````bash\nmytool x\n```\nother y\n````", {"mytool", "other"}, set()),
        ("```console\n$ mytool x\noutput here\n$ other \\\n> --y\n```", {"mytool", "other"}, set()),
        ("```\nmytool do --x\n```", {"mytool"}, set()),
        ("```\n$ mytool\n```", {"mytool"}, set()),
        ("Run `mytool do x` first.", {"mytool"}, set()),
        ("Run `$ mytool do x` first.", {"mytool"}, set()),
        ("```bash\nuv run mytool x\nnpx -y other\n```", {"mytool", "other"}, set()),
        ("```bash\npython -m pkg.cli x\n```", {"python -m pkg.cli"}, set()),
        ("```bash\n/usr/local/bin/mytool x\n```", {"mytool"}, set()),
        ("```bash\ncurl -s https://API.example/v1 | mytool\n```", {"mytool"}, {"https://api.example"}),
        ("Call `curl http://localhost:8080/x`.", set(), {"http://localhost:8080"}),
        ("```bash\nif true; then mytool x; fi\nf() { other y; }\n```", {"mytool", "other"}, set()),
        ("```bash\nmytool x\n$(broken\n```", {"mytool"}, set()),
        ("```bash\nmytool x", {"mytool"}, set()),
    ],
)
def test_commands_name_programs_and_addresses(text, programs, origins):
    """In fenced blocks of shell and in inline code that starts like a command."""
    assert (programs, origins) == commands_from_markdown(text)


@pytest.mark.parametrize(
    "text",
    [
        "mytool do x",
        "See https://api.example/v1 and `https://api.example`.",
        "```python\nmytool(x)\n```",
        '```json\n{"a": 1}\n```',
        "Set `name` and `description`; `True` means `key: value`.",
        "```bash\necho x; cd y; cat z; grep a b; export C=d; mkdir -p e; cp f g\n```",
        "```bash\npip install x; npm ci; cargo build; apt-get install y; uv sync; git clone https://a.example/b\n```",
        "```bash\npython x.py; node y.js; bash z.sh; python -c 'print(1)'\n```",
        "```bash\n./run.sh x\nskills/a/run.sh\n```",
        "```bash\n# mytool x\n```",
        "```bash\n$TOOL x; <name> y\n```",
        "```bash\ncurl https://$HOST/x\n```",
        "",
    ],
)
def test_anything_else_names_none(text):
    """Prose, other languages, programs of every machine, installers and bare interpreters."""
    assert (set(), set()) == commands_from_markdown(text)


def test_long_text_is_no_danger():
    """Whatever stands in it."""
    assert (set(), set()) == commands_from_markdown("`" * 50_000 + "\n```bash\n" + "(" * 20_000)
