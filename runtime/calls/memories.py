"""What runs have put into collections, which outlives them: each entry is of one key, and seen under no other."""

from __future__ import annotations

import hashlib
import logging
import math
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple, Protocol

__all__ = [
    "KeptCollection",
    "KeptMemories",
    "MemoryMemories",
    "NewEntry",
    "Shelf",
    "ShelfBounds",
    "StoredEntry",
    "Tidying",
    "oldest",
]

_log = logging.getLogger("wfc.runtime")

_SECOND: Final = 1_000_000_000
_HOUR: Final = 3600 * _SECOND


class Shelf(NamedTuple):
    """The part of a collection that belongs to one key.

    Args:
        collection: The name of the collection, with that of its workflow before it.
        digest: Of the key. The key itself is not kept, so that any text is one, however long and whatever is in it.
    """

    collection: str
    digest: str

    @classmethod
    def of(cls, collection: str, key: str) -> Shelf:
        """Return the shelf of a key."""
        return cls(collection, hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest())


class ShelfBounds(NamedTuple):
    """What a shelf holds at most.

    Args:
        entries: How many entries; the oldest go.
        seconds: How old they may be; ``None``: any age.
    """

    entries: int
    seconds: float | None = None


class NewEntry(NamedTuple):
    """What is to be remembered.

    Args:
        name: By which the same entry is known if it comes again, as it does when a process was killed in between.
        body: What is remembered, as JSON in ASCII.
        vector: The text as numbers; empty, if nothing embeds it.
        embedder: What has embedded it.
    """

    name: str
    body: str
    vector: bytes = b""
    embedder: str = ""


class StoredEntry(NamedTuple):
    """An entry of a shelf; its ``number`` grows with each that comes, over all shelves, ``at`` is when it came, in
    nanoseconds.
    """

    number: int
    body: str
    vector: bytes
    embedder: str
    at: int = 0


class KeptCollection(NamedTuple):
    """What a collection holds over all keys; the keys themselves are kept nowhere.

    Args:
        collection: Its name, with that of its workflow before it.
        first: When the oldest entry came, in nanoseconds.
        last: When the youngest did.
    """

    collection: str
    keys: int
    entries: int
    first: int
    last: int


class KeptMemories(Protocol):
    """The place where collections are kept that runs write."""

    async def add(self, shelf: Shelf, entry: NewEntry, bounds: ShelfBounds) -> int:
        """Add an entry, unless it is there, and drop what is beyond the bounds; return the entry's number."""

    async def entries(self, shelf: Shelf, bounds: ShelfBounds) -> list[StoredEntry]:
        """Return what a shelf holds, the oldest first."""

    async def changes(
        self, shelf: Shelf, bounds: ShelfBounds, known: AbstractSet[int]
    ) -> tuple[list[StoredEntry], AbstractSet[int]]:
        """Return the entries of a shelf that are not known by their numbers, and the numbers that it has no more."""

    async def drop_old(self, collection: str, seconds: float, *, is_rehearsal: bool = False) -> int:
        """Drop what is older in a collection, of whichever key; return how many entries that are.

        Args:
            is_rehearsal: They are only counted.
        """

    async def collections(self) -> list[KeptCollection]:
        """Return what there is, by the names of collections."""

    async def embedded(self, shelf: Shelf, vectors: Sequence[tuple[int, bytes]], embedder: str) -> None:
        """Note the vectors of entries, by their numbers."""

    async def forget(self, shelf: Shelf, number: int | None = None) -> int:
        """Drop one entry of a shelf, or all of them; return how many there were."""


class Tidying:
    """When what is too old goes, of all keys of a collection: after something was added to it, once an hour.

    An entry that comes drops what is too old of its own key alone; nobody comes to a key that is not used any more.
    Versions of a workflow that are in use at the same time may keep entries for different times: so what is dropped is
    older than any of them keeps, as far as they have used the collection in this process, and nothing is dropped in the
    hour after its first use, in which they come to be known.
    """

    def __init__(self) -> None:
        self._next: dict[str, int] = {}
        self._longest: dict[str, float] = {}

    def note(self, collection: str, bounds: ShelfBounds, now: int) -> None:
        """Note that somebody uses a collection, and how long entries are kept there."""
        self._next.setdefault(collection, now + _HOUR)
        seconds = math.inf if bounds.seconds is None else bounds.seconds
        self._longest[collection] = max(seconds, self._longest.get(collection, 0))

    async def after_adding(self, kept: KeptMemories, collection: str, now: int) -> None:
        """Drop what is too old for all, if it is time; that this fails is only told, as what was added is kept."""
        longest = self._longest[collection]
        if math.isinf(longest) or now < self._next[collection]:
            return
        self._next[collection] = now + _HOUR
        try:
            await kept.drop_old(collection, longest)
        except Exception:
            _log.warning(
                "what is too old in the collection %s could not be dropped", collection, exc_info=True
            )


class MemoryMemories:
    """Collections in memory.

    Args:
        clock: Returns the moment, in nanoseconds.
    """

    def __init__(self, clock: Callable[[], int] = time.time_ns) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._shelves: defaultdict[Shelf, dict[str, tuple[StoredEntry, int]]] = defaultdict(dict)
        self._last = 0
        self._tidying = Tidying()

    async def add(self, shelf: Shelf, entry: NewEntry, bounds: ShelfBounds) -> int:
        """Add an entry; see ``KeptMemories``."""
        number = self._added(shelf, entry, bounds)
        self._tidying.note(shelf.collection, bounds, self._clock())
        await self._tidying.after_adding(self, shelf.collection, self._clock())
        return number

    def _added(self, shelf: Shelf, entry: NewEntry, bounds: ShelfBounds) -> int:
        with self._lock:
            found = self._shelves[shelf]
            if entry.name not in found:
                self._last += 1
                now = self._clock()
                found[entry.name] = StoredEntry(self._last, *entry[1:], at=now), now
            number = found[entry.name][0].number
            kept = self._within(found, bounds)
            self._shelves[shelf] = kept
            return number

    async def entries(self, shelf: Shelf, bounds: ShelfBounds) -> list[StoredEntry]:
        """Return what a shelf holds; see ``KeptMemories``."""
        self._tidying.note(shelf.collection, bounds, self._clock())
        with self._lock:
            return [entry for entry, _ in self._within(self._shelves.get(shelf, {}), bounds).values()]

    async def changes(
        self, shelf: Shelf, bounds: ShelfBounds, known: AbstractSet[int]
    ) -> tuple[list[StoredEntry], AbstractSet[int]]:
        """Return what is new and what is gone; see ``KeptMemories``."""
        found = await self.entries(shelf, bounds)
        return [each for each in found if each.number not in known], known - {each.number for each in found}

    async def drop_old(self, collection: str, seconds: float, *, is_rehearsal: bool = False) -> int:
        """Drop what is older in a collection; see ``KeptMemories``."""
        since, count = oldest(self._clock(), ShelfBounds(0, seconds)), 0
        with self._lock:
            for shelf in [each for each in self._shelves if each.collection == collection]:
                young = {name: one for name, one in self._shelves[shelf].items() if one[1] > since}
                count += len(self._shelves[shelf]) - len(young)
                if not is_rehearsal:
                    self._shelves[shelf] = young
                if not self._shelves[shelf]:
                    del self._shelves[shelf]
        return count

    async def collections(self) -> list[KeptCollection]:
        """Return what there is; see ``KeptMemories``."""
        with self._lock:
            moments: defaultdict[str, list[list[int]]] = defaultdict(list)
            for shelf, found in self._shelves.items():
                if found:
                    moments[shelf.collection].append([at for _, at in found.values()])
            return [
                KeptCollection(name, len(keys), sum(map(len, keys)), min(map(min, keys)), max(map(max, keys)))
                for name, keys in sorted(moments.items())
            ]

    async def embedded(self, shelf: Shelf, vectors: Sequence[tuple[int, bytes]], embedder: str) -> None:
        """Note the vectors of entries; see ``KeptMemories``."""
        with self._lock:
            known = dict(vectors)
            for name, (entry, at) in self._shelves.get(shelf, {}).items():
                if entry.number in known:
                    changed = entry._replace(vector=known[entry.number], embedder=embedder)
                    self._shelves[shelf][name] = changed, at

    async def forget(self, shelf: Shelf, number: int | None = None) -> int:
        """Drop entries of a shelf; see ``KeptMemories``."""
        with self._lock:
            found = self._shelves.pop(shelf, {})
            kept = {
                name: one for name, one in found.items() if number is not None and one[0].number != number
            }
            if kept:
                self._shelves[shelf] = kept
            return len(found) - len(kept)

    def _within(
        self, found: dict[str, tuple[StoredEntry, int]], bounds: ShelfBounds
    ) -> dict[str, tuple[StoredEntry, int]]:
        since = oldest(self._clock(), bounds)
        young = [(name, one) for name, one in found.items() if one[1] > since]
        return dict(young[-bounds.entries :])


def oldest(now: int, bounds: ShelfBounds) -> int:
    """Return the moment in nanoseconds after which entries have come that are young enough."""
    return -1 if bounds.seconds is None else now - int(bounds.seconds * _SECOND)
