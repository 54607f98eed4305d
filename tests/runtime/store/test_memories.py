"""What is remembered is there once, within its bounds, and under its own key alone: in memory and in both databases."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.calls.memories import KeptMemories, MemoryMemories, NewEntry, Shelf, ShelfBounds
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
        assert await kept.entries(shelf, ShelfBounds(10, 0.0)) == []
        assert len(await kept.entries(shelf, ShelfBounds(10, 3600.0))) == 1
        await kept.add(shelf, entry("new"), ShelfBounds(10, 0.0))
        assert await kept.entries(shelf, MANY) == []

    play(age)


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
