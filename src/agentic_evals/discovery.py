"""Finding leaves: one file, one constant, no second edit."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from agentic_evals.model.errors import EnvironmentUnfit

LeafT = TypeVar("LeafT")


class LeafError(EnvironmentUnfit):
    """A leaf file does not define the constant that its package asks for: the installation is not sound."""


class Catalogue(Mapping[str, LeafT], Generic[LeafT]):
    """The leaves of one package by file name, each imported when it is first asked for.

    Files whose name starts with an underscore are no leaves. The file's name is the leaf's key:
    `stdout_contains.py` is the leaf `stdout_contains`; an underscore at the end, as in `exec_.py`,
    keeps a key that is a Python keyword possible and is dropped.
    """

    def __init__(self, package: str, constant: str, kind: type[LeafT]) -> None:
        """Look at the package's folder; import nothing yet."""
        self._package = package
        self._constant = constant
        self._kind = kind
        folder = importlib.import_module(package).__path__
        names = sorted(name for _, name, _ in pkgutil.iter_modules(folder) if not name.startswith("_"))
        self._modules = {name.rstrip("_"): name for name in names}
        self._loaded: dict[str, LeafT] = {}

    def __getitem__(self, key: str) -> LeafT:
        """Import one leaf and check its type.

        Raises:
            KeyError: there is no such file.
            LeafError: the file does not define the constant with the right type.

        """
        if key not in self._loaded:
            module = importlib.import_module(f"{self._package}.{self._modules[key]}")
            leaf = getattr(module, self._constant, None)
            if not isinstance(leaf, self._kind):
                message = f"{module.__file__} must define {self._constant}: {self._kind.__name__}"
                raise LeafError(message, hint="Define the constant, or begin the file's name with an underscore.")
            self._loaded[key] = leaf
        return self._loaded[key]

    def __contains__(self, key: object) -> bool:
        """Answer from the folder's listing alone."""
        return key in self._modules

    def __iter__(self) -> Iterator[str]:
        """Yield the keys in alphabetical order."""
        return iter(self._modules)

    def __len__(self) -> int:
        """Count the leaves."""
        return len(self._modules)


def leaves(package: str, constant: str, kind: type[LeafT]) -> Catalogue[LeafT]:
    """Return the catalogue of a package's leaves (architecture, section 3)."""
    return Catalogue(package, constant, kind)
