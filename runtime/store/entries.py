"""Entries of a journal, with their large values apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wfc.runtime.store.blobs import LARGE, Body, divide
from wfc.runtime.store.journal import Created, Entry, Lease, Row, Snapshot

__all__ = ["entry_of"]

_NO_BLOBS: Final[dict[str, bytes]] = {}
_entry: Final = tuple.__new__  # half of what `Entry(…)` takes


def entry_of(
    lease: Lease,
    first: int,
    bodies: Sequence[Body],
    rows: Sequence[Row],
    created: Created | None = None,
) -> Entry:
    """Return the entry for ticks and what follows from them.

    Args:
        first: The number of the first tick.
    """
    if not rows and (
        len(bodies[0]) < LARGE if len(bodies) == 1 else all(len(body) < LARGE for body in bodies)
    ):
        return _entry(Entry, (lease, first, bodies, rows, created, _NO_BLOBS, ()))
    blobs: dict[str, bytes] = {}
    mentions: list[tuple[int, list[str]]] = []
    ticks, others = list(bodies), list(rows)
    for at, body in enumerate(ticks):
        divided = divide(body)
        if divided.blobs:
            ticks[at] = divided.body
            blobs |= divided.blobs
            mentions.append((first + at, list(divided.blobs)))
    for at, row in enumerate(others):
        if isinstance(row, Snapshot):
            divided = divide(row.body)
            others[at] = Snapshot(row.seq, divided.body)
            blobs |= divided.blobs
            mentions.append((0, list(divided.blobs)))
    return Entry(lease, first, ticks, others, created, blobs, mentions)
