"""Inline Python: whether a program runs, imports or reads anything, and which modules it imports."""

import ast
from collections.abc import Iterator
from typing import Final

_PURE: Final = frozenset(
    """
    __future__ abc argparse array ast base64 binascii bisect calendar cmath collections
    colorsys contextlib copy dataclasses datetime decimal difflib enum fractions functools
    hashlib heapq hmac html itertools json keyword math numbers operator pprint random
    re secrets statistics string struct sys textwrap time traceback types typing unicodedata uuid warnings zlib
    """.split()
)
_ACTING_NAMES: Final = frozenset({"open", "exec", "eval", "compile", "__import__", "input", "breakpoint"})
_ACTING_ATTRIBUTES: Final = frozenset({"stdin", "path_hooks", "meta_path", "modules"})
_FILES: Final = frozenset({"os", "pathlib", "shutil", "io", "tempfile", "csv"})
_LARGEST: Final = 200_000


def acts(source: str) -> bool:
    """Tell whether a Python program demonstrably runs, imports or reads something outside itself."""
    tree = _parsed(source)
    return tree is not None and any(_node_acts(node) for node in ast.walk(tree))


def starts(source: str) -> bool:
    """Tell whether a Python program starts or imports something that could make what it writes."""
    tree = _parsed(source)
    return tree is None or any(_node_starts(node) for node in ast.walk(tree))


def imported_modules(source: str) -> tuple[str, ...]:
    """Return the modules that a program imports whenever it runs."""
    tree = _parsed(source)
    if tree is None:
        return ()
    return tuple(dict.fromkeys(name for statement in _always(tree.body) for name in _imports(statement)))


def added_paths(source: str) -> tuple[str, ...]:
    """Return the literal folders that a program adds to `sys.path`."""
    tree = _parsed(source)
    if tree is None:
        return ()
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"sys.path.insert", "sys.path.append"}:
            last = node.args[-1] if node.args else None
            if isinstance(last, ast.Constant) and isinstance(last.value, str):
                found.append(last.value)
    return tuple(found)


def written_paths(source: str) -> tuple[str, ...]:
    """Return the literal paths that a program opens for writing or writes text to."""
    tree = _parsed(source)
    if tree is None:
        return ()
    return tuple(path for node in ast.walk(tree) if isinstance(node, ast.Call) for path in _written(node))


def _parsed(source: str) -> ast.Module | None:
    if len(source) > _LARGEST:
        return None
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _node_acts(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] not in _PURE for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or (node.module or "").partition(".")[0] not in _PURE
    if isinstance(node, ast.Name):
        return node.id in _ACTING_NAMES
    return isinstance(node, ast.Attribute) and node.attr in _ACTING_ATTRIBUTES


def _node_starts(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] not in _PURE | _FILES for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or (node.module or "").partition(".")[0] not in _PURE | _FILES
    if isinstance(node, ast.Name):
        return node.id in _ACTING_NAMES - {"open", "input"}
    return isinstance(node, ast.Attribute) and node.attr.startswith(("system", "popen", "spawn", "exec", "posix_spawn"))


def _always(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in statements:
        if isinstance(statement, (ast.Try, ast.With)):
            yield from _always(statement.body)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield statement


def _imports(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.Import):
        yield from (alias.name for alias in statement.names)
    elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
        yield statement.module


def _written(call: ast.Call) -> Iterator[str]:
    function = call.func
    if isinstance(function, ast.Name) and function.id == "open":
        mode = call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "mode"), None)
        if isinstance(mode, ast.Constant) and isinstance(mode.value, str) and set(mode.value) & set("wax+"):
            yield from _constants(call.args[:1])
    elif isinstance(function, ast.Attribute) and function.attr in {"write_text", "write_bytes", "touch"}:
        yield from _constants(function.value.args[:1] if isinstance(function.value, ast.Call) else [])
    elif isinstance(function, ast.Attribute) and function.attr in {"copy", "copy2", "copyfile", "move", "rename"}:
        yield from _constants(call.args[1:2])


def _constants(nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
