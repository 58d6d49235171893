"""One assertion about a JSON value or a file: its keys, what is wrong with it, and how it is decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag
from pydantic import JsonValue as AnyJson

from agentic_evals.model.canonical import JsonValue, json_equal
from agentic_evals.model.fixture import PathText
from agentic_evals.rules import pointer as pointers
from agentic_evals.rules.expectations import _regex
from agentic_evals.rules.expectations._json import NotJson, shown
from agentic_evals.rules.expectations._streams import Needle, Needles, found, quoted

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

    from agentic_evals.model.trial import Blob

TypeName = Literal["null", "boolean", "integer", "number", "string", "array", "object"]
Decided: TypeAlias = tuple[str, bool, str]
"""The key that was decided, whether it holds, and what was seen."""
ValueT = TypeVar("ValueT")


class _NotNull:
    """Takes null out of an optional type: a key may be left out, but not given as null."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:  # noqa: ANN401 - pydantic's own hook
        schema: Any = handler(source)
        return schema["schema"] if schema["type"] == "nullable" else schema


def _only_true(value: bool) -> bool:  # noqa: FBT001 - a validator
    if not value:
        message = "must be true; leave the key out where it is not meant"
        raise ValueError(message)
    return value


def _one_or_many(value: object) -> str:
    return "many" if isinstance(value, list) else "one"


_True: TypeAlias = Annotated[bool, AfterValidator(_only_true), Field(json_schema_extra={"const": True})]
_OneOrMany: TypeAlias = Annotated[
    Annotated[Needle, Tag("one")] | Annotated[Needles, Tag("many")], Discriminator(_one_or_many)
]
_Given: TypeAlias = Annotated[ValueT | None, _NotNull()]


class _Exact(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class OtherArtifact(_Exact):
    """A value in another file."""

    path: PathText
    json_pointer: str


class ValueAssertion(_Exact):
    """What a JSON value must be; `equals` and `not_equals` may be given as null."""

    json_pointer: _Given[str] = None
    equals: AnyJson = None
    not_equals: AnyJson = None
    equals_artifact: _Given[OtherArtifact] = None
    matches_regex: _Given[str] = None
    type_of: _Given[TypeName] = None
    exists: _Given[_True] = None
    not_exists: _Given[_True] = None
    for_claim: _Given[Needle] = None

    @property
    def about_value(self) -> tuple[str, ...]:
        """The keys given that compare the value at the pointer."""
        return tuple(key for key in _VALUE_KEYS if key in self.model_fields_set)


class ArtifactAssertion(ValueAssertion):
    """What a file must be, or what a JSON value in it must be; without a pointer the regex is about its text."""

    path: PathText
    absent: _Given[_True] = None
    min_bytes: _Given[Annotated[int, Field(ge=0)]] = None
    max_bytes: _Given[Annotated[int, Field(ge=0)]] = None
    sha256: _Given[Annotated[str, StringConstraints(pattern=r"^(sha256:)?[0-9a-fA-F]{64}$")]] = None
    contains: _Given[_OneOrMany] = None
    readback: _Given[_True] = None

    @property
    def about_file(self) -> tuple[str, ...]:
        """The keys given that look at the whole file."""
        return tuple(key for key in _FILE_KEYS if key in self.model_fields_set)


_VALUE_KEYS: Final = ("equals", "not_equals", "equals_artifact", "matches_regex", "type_of", "exists", "not_exists")
_FILE_KEYS: Final = ("absent", "min_bytes", "max_bytes", "sha256", "contains", "readback")
_NEED_POINTER: Final = ("equals", "not_equals", "equals_artifact", "type_of", "not_exists")


def problems(assertion: ValueAssertion) -> list[tuple[str, str]]:
    """Return what is wrong with an assertion whose types are right, by pointer below it."""
    found_wrong: list[tuple[str, str]] = []
    if assertion.json_pointer is not None:
        wrong = pointers.check(assertion.json_pointer)
        found_wrong += [("/json_pointer", wrong)] if wrong else []
        if not assertion.about_value:
            found_wrong.append(("/json_pointer", "the pointer is given but nothing is asked of the value there"))
    if assertion.equals_artifact is not None:
        wrong = pointers.check(assertion.equals_artifact.json_pointer)
        found_wrong += [("/equals_artifact/json_pointer", wrong)] if wrong else []
    if assertion.matches_regex is not None:
        wrong = _regex.problem(assertion.matches_regex)
        found_wrong += [("/matches_regex", wrong)] if wrong else []
    others = [key for key in assertion.about_value if key != "not_exists"]
    if assertion.not_exists and others:
        found_wrong.append(("/not_exists", f"a value that does not exist has no other property: {', '.join(others)}"))
    if isinstance(assertion, ArtifactAssertion):
        return found_wrong + _file_problems(assertion)
    if assertion.not_exists and not assertion.json_pointer:
        found_wrong.append(("/not_exists", "the whole document always exists: a `json_pointer` must lead below it"))
    if not assertion.about_value and assertion.json_pointer is None:
        found_wrong.append(("", "nothing is asked"))
    return found_wrong


def _file_problems(assertion: ArtifactAssertion) -> list[tuple[str, str]]:
    wrong: list[tuple[str, str]] = []
    if assertion.json_pointer is None:
        wrong += [(f"/{key}", "needs a `json_pointer`") for key in _NEED_POINTER if key in assertion.model_fields_set]
        if not assertion.about_value and not assertion.about_file:
            wrong.append(("", "nothing is asked of the file; `exists: true` asks that it was written"))
    elif not assertion.json_pointer and assertion.not_exists:
        wrong.append(("/not_exists", "the whole document always exists; `absent: true` says that there is no file"))
    if assertion.absent and (assertion.about_value or len(assertion.about_file) > 1):
        wrong.append(("/absent", "a file that is absent has no other property"))
    least, most = assertion.min_bytes, assertion.max_bytes
    if least is not None and most is not None and least > most:
        wrong.append(("/min_bytes", "is larger than `max_bytes`"))
    return wrong


def decide_value(
    assertion: ValueAssertion, document: JsonValue, other: Callable[[OtherArtifact], JsonValue]
) -> list[Decided]:
    """Decide each comparator on the value at the assertion's pointer."""
    pointer = assertion.json_pointer or ""
    try:
        value = pointers.resolve(document, pointer)
    except pointers.PointerError as error:
        return [(key, key == "not_exists", f"{shown(pointer)}: {error}") for key in assertion.about_value]
    return [(key, *_compare(key, assertion, value, other)) for key in assertion.about_value]


def _compare(
    key: str, assertion: ValueAssertion, value: JsonValue, other: Callable[[OtherArtifact], JsonValue]
) -> tuple[bool, str]:
    at = f"value at {shown(assertion.json_pointer or '')}"
    seen = f"{at} is {shown(value)}"
    match key:
        case "equals":
            return json_equal(value, assertion.equals), f"{seen}, expected {shown(assertion.equals)}"
        case "not_equals":
            return not json_equal(value, assertion.not_equals), f"{seen}, must not equal {shown(assertion.not_equals)}"
        case "matches_regex":
            pattern = assertion.matches_regex or ""
            holds = isinstance(value, str) and _regex.searches(pattern, value)
            return holds, f"{seen}, regex {quoted(pattern)}"
        case "type_of":
            return type_name(value, assertion.type_of), f"{seen}, expected type {assertion.type_of}"
        case "exists":
            return True, f"{at} exists"
        case "not_exists":
            return False, f"{at} exists"
        case _:
            return _compare_other(assertion.equals_artifact, value, seen, other)


def _compare_other(
    reference: OtherArtifact | None, value: JsonValue, seen: str, other: Callable[[OtherArtifact], JsonValue]
) -> tuple[bool, str]:
    if reference is None:
        return False, "`equals_artifact` is null"
    try:
        expected = other(reference)
    except (NotJson, pointers.PointerError) as error:
        return False, f"{reference.path}: {error}"
    return json_equal(value, expected), f"{seen}, {reference.path} has {shown(expected)}"


def type_name(value: JsonValue, name: str | None) -> bool:
    """Return whether a JSON value has a JSON type; 1.0 is an integer too, `true` is no number."""
    match value:
        case None:
            return name == "null"
        case bool():
            return name == "boolean"
        case int():
            return name in {"integer", "number"}
        case float():
            return name == "number" or (name == "integer" and value.is_integer())
        case str():
            return name == "string"
        case Mapping():
            return name == "object"
        case _:
            return name == "array"


def decide_file(assertion: ArtifactAssertion, blob: Blob, reread_sha256: str | None) -> list[Decided]:
    """Decide each comparator on the whole file."""
    return [(key, *_compare_file(key, assertion, blob, reread_sha256)) for key in assertion.about_file]


def _compare_file(key: str, assertion: ArtifactAssertion, blob: Blob, again: str | None) -> tuple[bool, str]:
    size = f"{blob.size} bytes"
    match key:
        case "min_bytes":
            return blob.size >= (assertion.min_bytes or 0), f"{size}, at least {assertion.min_bytes} expected"
        case "max_bytes":
            return blob.size <= (assertion.max_bytes or 0), f"{size}, at most {assertion.max_bytes} expected"
        case "sha256":
            expected = (assertion.sha256 or "").removeprefix("sha256:").lower()
            return blob.sha256 == expected, f"sha256 is {blob.sha256}, expected {expected}"
        case "contains":
            wanted = [assertion.contains] if isinstance(assertion.contains, str) else list(assertion.contains or ())
            present = found(blob, wanted)
            lacking = [needle for needle in wanted if needle not in present]
            return not lacking, f"does not contain {', '.join(map(quoted, lacking))}" if lacking else "contains all"
        case "readback":
            return reread(blob, again)[1:]
        case _:
            return False, "the file is there"


def reread(blob: Blob, again: str | None) -> Decided:
    """Decide that a second reading after a sync gave the same bytes."""
    return "readback", again == blob.sha256, f"read again: sha256 {again or 'unknown'}, first {blob.sha256}"


def text_matches(pattern: str, blob: Blob) -> tuple[bool, str]:
    """Decide a regex on the text of a whole file or stream."""
    holds = bool(_regex.matching(blob, (pattern,)))
    return holds, f"text {'matches' if holds else 'does not match'} {quoted(pattern)}"
