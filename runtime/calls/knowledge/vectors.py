"""Texts as lists of numbers, kept beside an index: the one file that imports numpy.

A text that has been embedded is kept by what it says (`KeptVectors`), as soon as its batch has come: who goes on after
a crash embeds only the rest. What is searched is one file with all of them (`write`), which is mapped into memory; the
index names the file that belongs to it, so that both change at once.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from wfc.runtime.calls.knowledge.weighing import Usual
from wfc.runtime.errors import MissingPackageError, StepError

try:
    import numpy as np
except ImportError:
    raise MissingPackageError(
        'searching by meaning needs a package that is not installed: pip install "wfc-workflows[vectors]"'
    ) from None

__all__ = [
    "BATCH",
    "KeptVectors",
    "Nearest",
    "VectorFile",
    "best",
    "matrix",
    "of_length_one",
    "opened",
    "write",
]

BATCH: Final = 64
"""How many texts are embedded by one request."""


class VectorFile(NamedTuple):
    """The vectors of an index.

    Args:
        name: Of the file, in the folder of the index.
        many: How many there are.
        size: How many numbers each has.
        store: Where they are instead of in a file: see `vector_stores.store_key`.
    """

    name: str
    many: int
    size: int
    store: str = ""


class KeptVectors:
    """The vectors of texts, by what the texts say and by what embedded them.

    Args:
        path: The file that holds them.
        embedder: What embeds; see `Knowledge.embedder`.
    """

    def __init__(self, path: Path, embedder: str) -> None:
        self.embedder = embedder.encode()
        self.size: int | None = None  # how many numbers a vector has, once one has been seen
        self.database = sqlite3.connect(path, timeout=60, isolation_level=None)
        self.database.execute("PRAGMA journal_mode=WAL")
        self.database.execute("PRAGMA synchronous=NORMAL")
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS vectors (digest BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"
        )

    def digest(self, text: str) -> bytes:
        """Return what a text's vector is kept by."""
        said = self.embedder + b"\0" + text.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(said, digest_size=16).digest()

    def missing(self, texts: Iterable[str]) -> Iterator[tuple[bytes, str]]:
        """Yield the texts that have no vector, each once."""
        seen = set()
        for text in texts:
            digest = self.digest(text)
            if digest not in seen:
                seen.add(digest)
                found = self.database.execute(
                    "SELECT length(vector) / 4 FROM vectors WHERE digest = ?", (digest,)
                ).fetchone()
                if found is None:
                    yield digest, text
                else:
                    (self.size,) = found

    def add(
        self,
        wanted: Sequence[tuple[bytes, str]],
        embed: Callable[[list[str]], list[list[float]]],
        told: Callable[[int, int], None],
    ) -> None:
        """Embed texts, batch by batch; each batch is kept at once.

        Args:
            told: Is called with the number of texts embedded so far and of all.

        Raises:
            StepError: ``knowledge.embedding``, or what `embed` raises.
        """
        for at in range(0, len(wanted), BATCH):
            told(at, len(wanted))
            batch = wanted[at : at + BATCH]
            found = embed([text for _, text in batch])
            vectors = of_length_one(found, len(batch), self.size)
            self.size = vectors.shape[1]
            rows = [(digest, vector.tobytes()) for (digest, _), vector in zip(batch, vectors, strict=True)]
            self.database.execute("BEGIN IMMEDIATE")
            self.database.executemany("REPLACE INTO vectors VALUES (?, ?)", rows)
            self.database.execute("COMMIT")
        told(len(wanted), len(wanted))

    def of(self, texts: Iterable[tuple[int, str]]) -> Iterator[tuple[int, bytes]]:
        """Yield the vector of each text, which has one, with the text's number."""
        for number, text in texts:
            (vector,) = self.database.execute(
                "SELECT vector FROM vectors WHERE digest = ?", (self.digest(text),)
            ).fetchone()
            yield number, vector

    def get(self, text: str) -> Any:
        """Return the vector of a text; ``None``: it has none."""
        row = self.database.execute(
            "SELECT vector FROM vectors WHERE digest = ?", (self.digest(text),)
        ).fetchone()
        return None if row is None else np.frombuffer(row[0], np.float32)

    def forget_all_but(self, texts: Iterable[str]) -> None:
        """Take out the vectors of all other texts."""
        self.database.execute("CREATE TEMP TABLE used (digest BLOB PRIMARY KEY) WITHOUT ROWID")
        self.database.executemany(
            "INSERT OR IGNORE INTO used VALUES (?)", ((self.digest(text),) for text in texts)
        )
        self.database.execute("DELETE FROM vectors WHERE digest NOT IN (SELECT digest FROM used)")
        self.database.execute("DROP TABLE used")

    def close(self) -> None:
        """Close the file."""
        self.database.close()


def of_length_one(found: Sequence[Sequence[float]], count: int, size: int | None) -> Any:
    """Return vectors of length one; one of nothing but zeros stays so, and is like no other.

    Raises:
        StepError: ``knowledge.embedding``: There are too few or too many, of other sizes, or with what is no number.
    """
    try:
        sizes = {len(each) for each in found}
        raw = np.asarray(found, dtype=np.float32) if len(sizes) == 1 else None
    except (TypeError, ValueError):
        raise StepError(
            "knowledge.embedding", "texts were embedded as what are no lists of numbers"
        ) from None
    if len(found) != count:
        raise StepError("knowledge.embedding", f"{count} texts were embedded, and {len(found)} vectors came")
    wanted = size if size is not None else len(found[0])
    if sizes != {wanted} or not wanted or raw is None or raw.ndim != 2:
        other = next((each for each in sorted(sizes) if each != wanted), 0)
        raise StepError(
            "knowledge.embedding",
            f"a text was embedded as {other} numbers, and others as {wanted}: vectors of different sizes cannot be "
            "compared",
        )
    if not np.isfinite(raw).all():
        raise StepError("knowledge.embedding", "a text was embedded as what is no number (NaN, or infinity)")
    lengths = np.linalg.norm(raw, axis=1, keepdims=True)
    return raw / np.where(lengths == 0, 1, lengths)


def write(folder: Path, stem: str, rows: Iterable[tuple[int, bytes]], count: int) -> VectorFile:
    """Write vectors into a new file: the numbers of their passages first, then the vectors.

    Raises:
        StepError: ``knowledge.embedding``: They are of different sizes.
    """
    name = f"{stem}-{secrets.token_hex(6)}.vectors"
    ids = np.empty(count, dtype=np.int64)
    size = 0
    with open(folder / name, "wb") as file:
        file.seek(ids.nbytes)
        for number, (passage, vector) in enumerate(rows):
            size = size or len(vector)
            if len(vector) != size:
                raise StepError(
                    "knowledge.embedding",
                    f"texts are embedded as {size // 4} numbers and as {len(vector) // 4}: vectors of different sizes "
                    "cannot be compared",
                )
            ids[number] = passage
            file.write(vector)
        file.seek(0)
        file.write(ids.tobytes())
        file.flush()
        os.fsync(file.fileno())
    return VectorFile(name, count, size // 4)


_MAPPED: Final[dict[Path, tuple[Any, Any]]] = {}
"""The files that this process has mapped into memory, the one that was used last at the end."""

_MOST_MAPPED: Final = 16


def opened(folder: Path, file: VectorFile) -> tuple[Any, Any]:
    """Return the numbers of the passages, and their vectors.

    Raises:
        FileNotFoundError: There is no such file any more.
        StepError: ``knowledge.index``: It is damaged.
    """
    path = folder / file.name
    found = _MAPPED.pop(path, None)
    if found is None:
        if path.stat().st_size != file.many * (8 + 4 * file.size):
            raise StepError(
                "knowledge.index",
                f"{path} is damaged; delete it with the index beside it, and both are made anew",
            )
        if not file.many:
            return np.empty(0, np.int64), np.empty((0, max(file.size, 1)), np.float32)
        ids = np.fromfile(path, np.int64, file.many)
        shape = (file.many, file.size)
        found = ids, np.asarray(np.memmap(path, np.float32, "r", offset=ids.nbytes, shape=shape))
    _MAPPED[path] = found
    while len(_MAPPED) > _MOST_MAPPED:
        _MAPPED.pop(next(iter(_MAPPED)))
    return found


def matrix(rows: Sequence[tuple[int, bytes]]) -> tuple[Any, Any]:
    """Return the numbers of passages, and their vectors; those of another size than the last one are left out."""
    size = len(rows[-1][1]) if rows else 4
    fitting = [row for row in rows if len(row[1]) == size]
    ids = np.array([number for number, _ in fitting], dtype=np.int64)
    return ids, np.frombuffer(b"".join(vector for _, vector in fitting), np.float32).reshape(-1, size // 4)


class Nearest(NamedTuple):
    """The passages that are nearest to a question.

    Args:
        found: The passages with their cosines, best first.
        usual: What cosines all passages have.
    """

    found: list[tuple[int, float]]
    usual: Usual


def best(mapped: tuple[Any, Any], asked: Sequence[float], most: int) -> Nearest:
    """Return the passages whose vectors point most nearly where the one asked does.

    Raises:
        StepError: ``knowledge.embedding``: The question's vector has another size.
    """
    ids, vectors = mapped
    if not len(ids):
        return Nearest([], Usual(0.0, 0.0, 0))
    (wanted,) = of_length_one([asked], 1, vectors.shape[1])
    scores = vectors @ wanted
    most = min(most, len(ids))
    found = np.argpartition(-scores, most - 1)[:most] if most < len(ids) else np.arange(len(ids))
    order = np.lexsort((ids[found], -scores[found]))
    usual = Usual(float(scores.mean()), float(scores.std()), len(ids))
    return Nearest([(int(ids[each]), float(scores[each])) for each in found[order]], usual)
