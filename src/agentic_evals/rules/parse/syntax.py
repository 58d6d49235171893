"""Which syntax a document is written in, by the end of its name: JSON, YAML or TOML, with one model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from agentic_evals.rules.parse import json_text, positions
from agentic_evals.rules.parse.document import Text

Read: TypeAlias = Callable[[bytes, str], Text]
Find: TypeAlias = Callable[[bytes, str], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a text becomes a value, and a JSON pointer a line and a column; `suffix` is its usual ending."""

    suffix: str
    read: Read
    of_pointer: Find


JSON: Final = Syntax(".json", json_text.read_json, positions.of_pointer)


def syntax_of(file: str) -> Syntax:
    """Return the syntax of a file by its name; whatever is neither YAML nor TOML is JSON."""
    name = file.casefold()
    if name.endswith((".yaml", ".yml")):
        from agentic_evals.rules.parse import yaml_text

        return Syntax(".yaml", yaml_text.read_yaml, yaml_text.of_pointer)
    if name.endswith(".toml"):
        from agentic_evals.rules.parse import toml_text

        return Syntax(".toml", toml_text.read_toml, toml_text.of_pointer)
    return JSON


def of_pointer(data: bytes, file: str, pointer: str) -> tuple[int, int]:
    """Return line and column, from 1, of the value at a JSON pointer of a document of any syntax."""
    return syntax_of(file).of_pointer(data, pointer)


def kept_name(file: str) -> str:
    """Return the name under which a run folder keeps the fixture, so that it is read as what it is."""
    return f"input/fixture{syntax_of(file).suffix}"
