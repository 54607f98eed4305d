"""The part of an index that is searched by meaning: which vectors it has, and how they are brought up to date."""

from __future__ import annotations

import json
import math
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wfc.runtime.calls.knowledge import vectors
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.helpers import Helpers, Planned, Told
from wfc.runtime.calls.knowledge.vector_stores import ChosenStore, chosen_store
from wfc.runtime.calls.knowledge.weighing import Usual, usual_of_the_nearest
from wfc.runtime.errors import StepError

__all__ = ["embed_passages", "nearest", "vectors_of"]

_ATTEMPTS = 5


def embed_passages(
    database: sqlite3.Connection,
    knowledge: Knowledge,
    path: Path,
    has_changed: bool,
    told: Told,
    helpers: Helpers,
) -> int:
    """Embed the passages of an index that have no vector yet; return how many those were.

    Args:
        path: The index, within whose transaction this happens.
        has_changed: Whether its passages have.

    Raises:
        StepError: ``knowledge.embedding``, or what a model's service raises.
    """
    file, place = _file(database), _Place.of(database, knowledge, path)
    if file is not None:  # else the index that is in force until the end of the transaction may name another
        place.remove_others(file)
    if file is not None and not has_changed and place.has(file):
        return 0

    def texts() -> Iterator[tuple[int, str]]:
        return _texts(database)

    kept = vectors.KeptVectors(path.with_suffix(".embedded.db"), knowledge.embedder())
    try:
        wanted = list(kept.missing(text for _, text in texts()))
        if wanted:
            shown = sum(len(text.encode("utf-8", "replace")) for _, text in wanted)
            helpers.allow(Planned(len(wanted), math.ceil(len(wanted) / vectors.BATCH), shown))
        _embed(kept, wanted, knowledge, told, helpers)
        (count,) = database.execute("SELECT count(*) FROM passages").fetchone()
        made = place.write(kept.of(texts()), count)
        database.execute("REPLACE INTO about VALUES ('vectors', ?)", (json.dumps(made),))
        if file is not None:  # else it goes on from what a process has left that was ended
            kept.forget_all_but(text for _, text in texts())
    finally:
        kept.close()
    return len(wanted)


def _texts(database: sqlite3.Connection, numbers: Sequence[int] | None = None) -> Iterator[tuple[int, str]]:
    """Yield what is embedded of passages, with their numbers: of all, or of some."""
    some = "" if numbers is None else f" WHERE id IN ({', '.join(map(str, numbers))})"
    for number, text, heading in database.execute(
        f"SELECT id, head || text, heading FROM passages{some} ORDER BY id"  # noqa: S608 - numbers of ours
    ):
        yield number, f"{heading}\n{text}" if heading else text


def _embed(
    kept: vectors.KeptVectors,
    wanted: list[tuple[bytes, str]],
    knowledge: Knowledge,
    told: Told,
    helpers: Helpers,
) -> None:
    done = 0

    def count(so_far: int, count_of_all: int) -> None:
        nonlocal done
        done = so_far
        told("texts embedded", so_far, count_of_all)

    try:
        kept.add(wanted, lambda batch: helpers.embed(knowledge, batch), count)
    except StepError as error:
        raise StepError(
            error.name,
            f"{error.message}; {done:,} of {len(wanted):,} texts are embedded and kept, the index stands as it was, "
            "and the next update goes on from there",
            status=error.status,
            retry_after=error.retry_after,
        ) from None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the vectors of an index are kept: in a file beside it, or in the store that the settings choose.

    Args:
        owner: What tells this index from that of another machine in the same store.
    """

    path: Path
    store: ChosenStore | None
    owner: str

    @classmethod
    def of(cls, database: sqlite3.Connection, knowledge: Knowledge, path: Path) -> _Place:
        store = chosen_store(knowledge)
        if store is None:
            return cls(path, None, "")
        database.execute("INSERT OR IGNORE INTO about VALUES ('owner', ?)", (secrets.token_hex(6),))
        (owner,) = database.execute("SELECT value FROM about WHERE name = 'owner'").fetchone()
        return cls(path, store, owner)

    def write(self, rows: Iterator[tuple[int, bytes]], count: int) -> vectors.VectorFile:
        if self.store is None:
            return vectors.write(self.path.parent, self.path.stem, rows, count)
        name = f"{self._beginning}{secrets.token_hex(6)}"
        return vectors.VectorFile(name, count, self.store.write(name, rows), self.store.key)

    def has(self, file: vectors.VectorFile) -> bool:
        if self.store is None:
            return not file.store and (self.path.parent / file.name).exists()
        return file.store == self.store.key and self.store.has(file.name)

    def remove_others(self, file: vectors.VectorFile) -> None:
        """Remove the vectors that the index does not name any more, or that a process left that was ended."""
        for each in self.path.parent.glob(f"{self.path.stem}-*.vectors"):
            if each.name != file.name:
                each.unlink(missing_ok=True)
        if self.store is not None:
            self.store.drop_others(self._beginning, file.name)

    @property
    def _beginning(self) -> str:
        return f"{self.path.stem}-{self.owner}-"


def nearest(
    database: sqlite3.Connection, knowledge: Knowledge, path: Path, asked: list[float], most: int
) -> vectors.Nearest:
    """Return the passages that are nearest to a question.

    Args:
        database: The index, in a transaction that reads.
        path: Where it is.

    Raises:
        StepError: ``knowledge.index``, ``knowledge.embedding``, ``knowledge.vectors``.
    """
    store = chosen_store(knowledge)
    for _ in range(_ATTEMPTS):
        file = _file(database)
        if file is None:
            return vectors.Nearest([], Usual(0.0, 0.0, 0))
        try:
            if store is not None:
                return _nearest_in(store, file, asked, most)
            return vectors.best(vectors.opened(path.parent, file), asked, most)
        except (FileNotFoundError, LookupError):  # other processes have brought it up to date in between
            database.execute("COMMIT")
            database.execute("BEGIN")
    raise StepError(
        "knowledge.index", f"the vectors of the index {path} are gone; delete it, and it is made anew"
    )


def vectors_of(
    database: sqlite3.Connection, knowledge: Knowledge, path: Path, numbers: Sequence[int]
) -> dict[int, Any]:
    """Return the vectors of some passages, by their numbers, as far as they are on this machine.

    What a store elsewhere has is kept here, too, by what the texts say.
    """
    kept = vectors.KeptVectors(path.with_suffix(".embedded.db"), knowledge.embedder())
    try:
        return {
            number: found
            for number, text in _texts(database, numbers)
            if (found := kept.get(text)) is not None
        }
    finally:
        kept.close()


_LEAST_OF_A_STORE = 100
"""How many vectors a store is asked for at least: by them it is known what is usual."""


def _nearest_in(
    store: ChosenStore, file: vectors.VectorFile, asked: list[float], most: int
) -> vectors.Nearest:
    if not file.many:
        return vectors.Nearest([], Usual(0.0, 0.0, 0))
    (wanted,) = vectors.of_length_one([asked], 1, file.size)
    found = store.nearest(file.name, wanted.tolist(), min(max(most, _LEAST_OF_A_STORE), file.many))
    return vectors.Nearest(found[:most], usual_of_the_nearest([score for _, score in found], file.many))


def _file(database: sqlite3.Connection) -> vectors.VectorFile | None:
    row: Any = database.execute("SELECT value FROM about WHERE name = 'vectors'").fetchone()
    return vectors.VectorFile(*json.loads(row[0])) if row is not None else None
