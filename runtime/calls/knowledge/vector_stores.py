"""Where the vectors of an index are kept and searched, other than in files beside it.

The project's settings choose it: ``vectors = {database = "VECTORS"}``, where the environment variable of that name has
the address of a PostgreSQL database with pgvector, or ``vectors = {python = "module:store"}``, an object of one's own
that does what `VectorStore` says.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.python_functions import load_attribute
from wfc.runtime.calls.secrets import Secret
from wfc.runtime.calls.settings import settings_near
from wfc.runtime.errors import StepError, WorkflowError
from wfc.runtime.errors.raised import step_error

__all__ = ["ChosenStore", "VectorStore", "chosen_store", "store_key"]


class VectorStore(Protocol):
    """Sets of vectors by name. A set is written once, searched by many processes, and dropped.

    All vectors have the length one, so that the product of two is their cosine.
    """

    def write(self, name: str, vectors: Iterable[tuple[int, Sequence[float]]]) -> None:
        """Write a new set: vectors, each with the number of its passage. If it fails, there is no set of this name."""

    def nearest(self, name: str, vector: Sequence[float], most: int) -> Iterable[tuple[int, float]]:
        """Return the numbers of the vectors nearest to one, with their cosines, best first.

        Raises:
            LookupError: There is no set of this name.
        """

    def names(self) -> Iterable[str]:
        """Return the names of all sets."""

    def drop(self, name: str) -> None:
        """Drop a set, if it is there."""


def store_key(knowledge: Knowledge) -> str:
    """Return a text that differs where the vectors of a collection are kept elsewhere; empty: in files."""
    if not knowledge.has_vectors:
        return ""
    return " ".join(settings_near(knowledge.folder).vectors)


class ChosenStore(NamedTuple):
    """The store that the settings choose, whose errors are those of steps."""

    key: str
    store: VectorStore

    def write(self, name: str, rows: Iterable[tuple[int, bytes]]) -> int:
        """Write a set; return how many numbers a vector has.

        Raises:
            StepError: ``knowledge.embedding``: They are of different sizes. ``knowledge.vectors``: It failed.
        """
        size = 0

        def vectors() -> Iterator[tuple[int, Sequence[float]]]:
            nonlocal size
            for number, raw in rows:
                size = size or len(raw)
                if len(raw) != size:
                    raise StepError(
                        "knowledge.embedding",
                        f"texts are embedded as {size // 4} numbers and as {len(raw) // 4}: vectors of different "
                        "sizes cannot be compared",
                    )
                yield number, memoryview(raw).cast("f")

        self._tried(lambda: self.store.write(name, vectors()))
        return size // 4

    def nearest(self, name: str, asked: Sequence[float], most: int) -> list[tuple[int, float]]:
        """Return what is nearest.

        Raises:
            LookupError: There is no set of this name.
            StepError: ``knowledge.vectors``: It failed, or gives what are no numbers.
        """
        found = self._tried(lambda: list(self.store.nearest(name, asked, most)))
        try:
            pairs = [(int(number), float(score)) for number, score in found]
        except (TypeError, ValueError):
            pairs = [(0, math.nan)]
        if not all(math.isfinite(score) for _, score in pairs):
            raise StepError("knowledge.vectors", f"{self.key} gave what are no passages with their scores")
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:most]

    def has(self, name: str) -> bool:
        """Return whether there is a set of this name."""
        return name in self._tried(lambda: set(self.store.names()))

    def drop_others(self, beginning: str, kept: str) -> None:
        """Drop the sets whose names begin so, but for one."""
        names = self._tried(lambda: list(self.store.names()))
        for name in names:
            if name.startswith(beginning) and name != kept:
                self._tried(lambda name=name: self.store.drop(name))

    def _tried(self, call: Any) -> Any:
        try:
            return call()
        except (WorkflowError, LookupError):
            raise
        except Exception as error:
            raise StepError("knowledge.vectors", f"{self.key} failed: {step_error(error)}") from error


def chosen_store(knowledge: Knowledge) -> ChosenStore | None:
    """Return the store of a collection's vectors; ``None``: they are in files beside its index.

    Raises:
        SettingsError: The settings cannot be read, the address is missing, or there is no such object.
        MissingPackageError: The package for it is not installed.
    """
    chosen = settings_near(knowledge.folder).vectors
    if not chosen:
        return None
    kind, value = chosen
    if kind == "database":
        from wfc.runtime.calls.knowledge.postgresql import ServerVectors

        return ChosenStore(store_key(knowledge), ServerVectors(Secret(value).reveal()))
    settings = settings_near(knowledge.folder).path
    return ChosenStore(store_key(knowledge), load_attribute(value, settings or knowledge.beside))
