"""What is remembered is there once, within its bounds, and under its own key alone: in memory and in both databases."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.calls.memories import (
    KeptMemories,
    MemoryMemories,
    NewEntry,
    Shelf,
    ShelfBounds,
    StoredEntry,
    Tidying,
)
from wfc.runtime.errors import StoreError
from wfc.runtime.store.opening import open_store
from wfc.runtime.store.sql.tables import FORMAT, MIGRATIONS
from wfc.runtime.store.sqlite import SqliteJournal
from wfc.runtime.store.sqlite.schema import format_of, prepare

Play = Callable[[Callable[[KeptMemories], Awaitable[Any]]], Any]

MANY = ShelfBounds(1000)

HOSTILE = ("", "ann", "Ann", "ann ", "ann\0", "\0ann", "an\0n", "%", "_", "*", "' OR 1=1 --", "ann'", "\ud800", "1",
    "01", "None", "a" * 1_000_000, "a" * 999_999 + "b", "ann\n", "../ann", "\uff41nn", "é", "e\u0301")  # fmt: skip
"""Keys that are all different, however alike."""


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def play(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Play]:
    """Do something with a place for memories."""
    if request.param == "memory":
        kept = MemoryMemories()
        yield lambda do: asyncio.run(do(kept))
        return
    place = tmp_path / "runs.db" if request.param == "sqlite" else request.getfixturevalue("database")
    with contextlib.closing(open_store(place)) as journal:
        yield lambda do: asyncio.run(do(journal.memories))


def entry(text: str) -> NewEntry:
    return NewEntry(text, text)


def test_what_comes_again_is_kept_once(play: Play) -> None:
    async def twice(kept: KeptMemories) -> list[str]:
        shelf = Shelf.of("flow.notes", "ann")
        first = await kept.add(shelf, entry("tea"), MANY)
        await kept.add(shelf, entry("seat"), MANY)
        assert await kept.add(shelf, entry("tea"), MANY) == first
        return [each.body for each in await kept.entries(shelf, MANY)]

    assert play(twice) == ["tea", "seat"]


def test_no_key_sees_what_is_kept_under_another(play: Play) -> None:
    async def fill(kept: KeptMemories) -> None:
        shelves = [
            Shelf.of(name, key) for key in HOSTILE for name in ("flow.notes", "flow.note", "flow.notes ")
        ]
        for number, shelf in enumerate(shelves):
            await kept.add(shelf, entry(str(number)), MANY)
        for number, shelf in enumerate(shelves):
            assert [each.body for each in await kept.entries(shelf, MANY)] == [str(number)]

    play(fill)


@pytest.mark.parametrize("seed", range(3))
def test_random_acts_agree_with_lists(play: Play, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same each time

    async def act(kept: KeptMemories) -> None:
        model: dict[str, dict[str, int]] = {}
        for _ in range(60):
            key, text = chance.choice("abc"), str(chance.randrange(12))
            shelf, bounds = Shelf.of("flow.notes", key), ShelfBounds(chance.choice((3, 5)))
            known = model.setdefault(key, {})
            match chance.randrange(6):
                case 0:
                    assert await kept.forget(shelf) == len(known)
                    known.clear()
                case 1 if known:
                    gone = chance.choice(list(known))
                    assert await kept.forget(Shelf.of("flow.notes", key + "x"), known[gone]) == 0
                    assert await kept.forget(shelf, known.pop(gone)) == 1
                case _:
                    number = await kept.add(shelf, entry(text), bounds)
                    assert known.setdefault(text, number) == number
                    for old in list(known)[: -bounds.entries]:
                        del known[old]
            for each, wanted in model.items():
                found = await kept.entries(Shelf.of("flow.notes", each), MANY)
                assert {one.body: one.number for one in found} == wanted

    play(act)


def test_what_is_too_old_is_found_no_more_and_goes(play: Play) -> None:
    async def age(kept: KeptMemories) -> None:
        shelf = Shelf.of("flow.notes", "ann")
        await kept.add(shelf, entry("old"), MANY)
        assert len(await kept.entries(shelf, ShelfBounds(10, 3600.0))) == 1
        assert await kept.entries(shelf, ShelfBounds(10, 0.0)) == []
        await kept.add(shelf, entry("old"), MANY)
        await kept.add(shelf, entry("new"), ShelfBounds(10, 0.0))
        assert await kept.entries(shelf, MANY) == []

    play(age)


HOUR, DAY = 3600 * 10**9, 86_400 * 10**9


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What the clock shows, in nanoseconds."""
    shown = [time.time_ns()]
    monkeypatch.setattr(time, "time_ns", lambda: shown[0])
    return shown


def with_clock(kept: KeptMemories) -> None:
    if isinstance(kept, MemoryMemories):
        kept._clock = time.time_ns


async def counts(kept: KeptMemories) -> list[int]:
    return [each.entries for each in await kept.collections()]


def test_what_is_too_old_goes_of_keys_that_nobody_comes_to(play: Play, moment: list[int]) -> None:
    """Whoever adds to a collection drops what is too old of all its keys, once an hour; a search drops nothing."""

    async def age(kept: KeptMemories) -> None:
        with_clock(kept)
        ann, bob, other = (Shelf.of(*each) for each in (("a.x", "ann"), ("a.x", "bob"), ("a.y", "ann")))
        day, week = ShelfBounds(10, 86_400.0), ShelfBounds(10, 604_800.0)
        for shelf, bounds in ((ann, day), (bob, day), (other, week)):
            await kept.add(shelf, entry("old"), bounds)
        moment[0] += 2 * DAY
        await kept.add(other, entry("new"), week)
        assert await kept.entries(ann, day) == []
        assert await kept.changes(Shelf.of("a.x", "eve"), day, frozenset()) == ([], frozenset())
        assert await counts(kept) == [2, 2]
        await kept.add(bob, entry("new"), day)
        assert [(each.keys, each.entries) for each in await kept.collections()] == [(1, 1), (1, 2)]
        await kept.forget(bob)
        await kept.forget(other, (await kept.entries(other, MANY))[1].number)
        assert await kept.drop_old("a.y", 0.0, is_rehearsal=True) == 1
        assert await kept.drop_old("a.x", 0.0) == 0
        assert await kept.drop_old("a.y", 0.0) == 1
        assert await kept.collections() == []

    play(age)


@pytest.mark.parametrize("longer", [604_800.0, None])
def test_a_version_that_keeps_for_less_drops_nothing_that_another_keeps(
    play: Play, moment: list[int], longer: float | None
) -> None:
    """Runs of an older version go on beside those of the new one, which has only searched so far."""

    async def age(kept: KeptMemories) -> None:
        with_clock(kept)
        ann, bob = Shelf.of("a.x", "ann"), Shelf.of("a.x", "bob")
        less, more = ShelfBounds(10, 60.0), ShelfBounds(10, longer)
        await kept.add(ann, entry("old"), more)
        moment[0] += HOUR // 2
        await kept.add(bob, entry("first"), less)
        assert await counts(kept) == [2]
        for number in range(3):
            moment[0] += 2 * HOUR
            await kept.add(bob, entry(f"later {number}"), less)
        assert [each.body for each in await kept.entries(ann, more)] == ["old"]
        moment[0] += 8 * DAY
        await kept.add(bob, entry("last"), less)
        assert await counts(kept) == [1 if longer is not None else 2]

    play(age)


def test_no_version_drops_anything_before_others_can_be_known(play: Play, moment: list[int]) -> None:
    """After a process has started, the first to come may be the one that keeps for less."""

    async def age(kept: KeptMemories) -> None:
        with_clock(kept)
        ann, bob = Shelf.of("a.x", "ann"), Shelf.of("a.x", "bob")
        less, more = ShelfBounds(10, 60.0), ShelfBounds(10, 604_800.0)
        await kept.add(ann, entry("old"), more)
        kept._tidying = Tidying()  # type: ignore[attr-defined]  # as another process has it
        moment[0] += HOUR
        await kept.add(bob, entry("first"), less)
        moment[0] += HOUR // 2
        await kept.entries(ann, more)
        moment[0] += HOUR
        await kept.add(bob, entry("second"), less)
        assert [each.body for each in await kept.entries(ann, more)] == ["old"]

    play(age)


def test_an_entry_is_kept_though_what_is_too_old_cannot_be_dropped(
    play: Play, moment: list[int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def age(kept: KeptMemories) -> None:
        with_clock(kept)

        async def fail(*_: object) -> int:
            raise StoreError("it is locked")

        monkeypatch.setattr(kept, "drop_old", fail)
        ann, day = Shelf.of("a.x", "ann"), ShelfBounds(10, 86_400.0)
        await kept.add(ann, entry("first"), day)
        moment[0] += 2 * HOUR
        await kept.add(ann, entry("second"), day)
        assert [each.body for each in await kept.entries(ann, day)] == ["first", "second"]

    play(age)
    assert [each.getMessage() for each in caplog.records if each.name == "wfc.runtime"] == [
        "what is too old in the collection a.x could not be dropped"
    ]


@pytest.mark.parametrize("seed", range(3))
def test_changes_are_what_two_looks_differ_by(play: Play, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same each time

    async def act(kept: KeptMemories) -> None:
        seen: dict[str, dict[int, StoredEntry]] = {"ann": {}, "bob": {}}
        for number in range(40):
            key = chance.choice(["ann", "bob"])
            shelf, bounds = Shelf.of("flow.notes", key), ShelfBounds(chance.choice((5, 1000)))
            for _ in range(chance.choice((0, 1, 3, 700 if number == 20 else 2))):
                await kept.add(shelf, entry(str(chance.random())), MANY)
            if seen[key] and chance.random() < 0.3:
                await kept.forget(shelf, chance.choice(list(seen[key])))
            new, gone = await kept.changes(shelf, bounds, seen[key].keys())
            for each in gone:
                del seen[key][each]
            assert not seen[key].keys() & {each.number for each in new}
            seen[key] |= {each.number: each for each in new}
            assert sorted(seen[key].values()) == await kept.entries(shelf, bounds)

    play(act)


def test_vectors_are_noted_beside_entries(play: Play) -> None:
    async def note(kept: KeptMemories) -> None:
        shelf, other = Shelf.of("flow.notes", "ann"), Shelf.of("flow.notes", "bob")
        number = await kept.add(shelf, entry("tea"), MANY)
        await kept.embedded(other, [(number, b"1234")], "stranger")
        assert [(each.vector, each.embedder) for each in await kept.entries(shelf, MANY)] == [(b"", "")]
        await kept.embedded(shelf, [(number, b"1234")], "words")
        assert [(each.vector, each.embedder) for each in await kept.entries(shelf, MANY)] == [
            (b"1234", "words")
        ]

    play(note)


def test_a_store_of_the_format_before_gets_the_table(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        prepare(connection, {step: each for step, each in MIGRATIONS.items() if step < 8})
        assert format_of(connection) == 7
    with contextlib.closing(SqliteJournal(path)) as journal:
        assert journal.format == FORMAT
        shelf = Shelf.of("flow.notes", "ann")
        assert asyncio.run(journal.memories.add(shelf, entry("tea"), MANY)) == 1
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE meta SET format = ?", (FORMAT + 1,))
    with pytest.raises(StoreError, match="update wfc"):
        SqliteJournal(path)
