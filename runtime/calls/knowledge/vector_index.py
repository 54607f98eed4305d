"""The part of an index that is searched by meaning: which vectors it has, and how they are brought up to date."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wfc.runtime.calls.knowledge import vectors
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.helpers import Helpers, Planned, Told
from wfc.runtime.errors import StepError

__all__ = ["embed_passages", "nearest"]

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
    file = _file(database)
    if file is not None:  # else the index that is in force until the end of the transaction may name another
        _remove_others(path, file)
    if file is not None and not has_changed and (path.parent / file.name).exists():
        return 0

    def texts() -> Iterator[tuple[int, str]]:
        for number, text, heading in database.execute(
            "SELECT id, head || text, heading FROM passages ORDER BY id"
        ):
            yield number, f"{heading}\n{text}" if heading else text

    kept = vectors.KeptVectors(path.with_suffix(".embedded.db"), knowledge.embedder())
    try:
        wanted = list(kept.missing(text for _, text in texts()))
        if wanted:
            shown = sum(len(text.encode("utf-8", "replace")) for _, text in wanted)
            helpers.allow(Planned(len(wanted), math.ceil(len(wanted) / vectors.BATCH), shown))
        _embed(kept, wanted, knowledge, told, helpers)
        (count,) = database.execute("SELECT count(*) FROM passages").fetchone()
        made = vectors.write(path.parent, path.stem, kept.of(texts()), count)
        database.execute("REPLACE INTO about VALUES ('vectors', ?)", (json.dumps(made),))
        if file is not None:  # else it goes on from what a process has left that was ended
            kept.forget_all_but(text for _, text in texts())
    finally:
        kept.close()
    return len(wanted)


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


def nearest(
    database: sqlite3.Connection, path: Path, asked: list[float], most: int
) -> list[tuple[int, float]]:
    """Return the passages that are nearest to a question, with how near they are, best first.

    Args:
        database: The index, in a transaction that reads.
        path: Where it is.

    Raises:
        StepError: ``knowledge.index``, ``knowledge.embedding``.
    """
    for _ in range(_ATTEMPTS):
        file = _file(database)
        if file is None:
            return []
        try:
            return vectors.best(vectors.opened(path.parent, file), asked, most)
        except FileNotFoundError:  # other processes have brought it up to date in between
            database.execute("COMMIT")
            database.execute("BEGIN")
    raise StepError(
        "knowledge.index", f"the vectors of the index {path} are gone; delete it, and it is made anew"
    )


def _file(database: sqlite3.Connection) -> vectors.VectorFile | None:
    row: Any = database.execute("SELECT value FROM about WHERE name = 'vectors'").fetchone()
    return vectors.VectorFile(*json.loads(row[0])) if row is not None else None


def _remove_others(path: Path, file: vectors.VectorFile) -> None:
    """Remove the vectors that no index names any more, or that a process left that was ended."""
    for each in path.parent.glob(f"{path.stem}-*.vectors"):
        if each.name != file.name:
            each.unlink(missing_ok=True)
