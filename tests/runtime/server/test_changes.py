"""The stream of what changes, for readers who come and go, and while the store is away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

from wfc.runtime.errors import StoreError
from wfc.runtime.server.access import ROLES, Principal
from wfc.runtime.server.changes import Changes
from wfc.runtime.store.sql import paging
from wfc.runtime.store.sql.paging import ChangedRun

ANN = Principal("user:ann", frozenset(ROLES))


class Store:
    """What has happened, as the stream asks for it; away as often as is said."""

    def __init__(self, away: int = 0) -> None:
        self.ticks = 1
        self.status = "live"
        self.away = away

    def select(self, read: Callable[..., Any]) -> Any:
        if self.away:
            self.away -= 1
            self.ticks += 1
            raise StoreError("the store is away")
        if read is paging.newest_tick:
            return self.ticks
        return [ChangedRun("a", "echo", self.status, self.ticks)]


def reader(changes: Changes, ends: Callable[[], bool] = lambda: False) -> AsyncGenerator[Any, None]:
    return changes.messages(ANN, ends)


async def heard(stream: AsyncGenerator[Any, None]) -> str:
    """Return the name of the next message."""
    async with asyncio.timeout(240):
        (message,) = (await anext(stream)).messages
    return str(message.kind)


@pytest.mark.parametrize("turns", [0, 1, 2, 5])
def test_who_comes_as_the_last_one_leaves_is_told(turns: int) -> None:
    async def main() -> list[str]:
        store = Store()
        changes = Changes(store)  # type: ignore[arg-type]
        first, second = reader(changes), reader(changes)
        waiting = asyncio.ensure_future(anext(first))
        for _ in range(turns):
            await asyncio.sleep(0)
        waiting.cancel()
        coming = asyncio.ensure_future(heard(second))
        told = [await coming]
        store.ticks += 1
        told.append(await heard(second))
        await second.aclose()
        return told

    assert asyncio.run(main()) == ["hello", "changed"]


def test_a_run_that_rests_without_a_tick_is_told() -> None:
    """To rest is recorded by itself, after the last tick; a look may come in between."""

    async def main() -> list[str]:
        store = Store()
        stream = reader(Changes(store))  # type: ignore[arg-type]
        told = [await heard(stream)]
        store.status = "parked"
        told.append(await heard(stream))
        await stream.aclose()
        return told

    assert asyncio.run(main()) == ["hello", "changed"]


def test_who_comes_after_the_hello_of_one_who_leaves_is_told() -> None:
    async def main() -> list[str]:
        store = Store()
        changes = Changes(store)  # type: ignore[arg-type]
        first, second = reader(changes), reader(changes)
        told = [await heard(first)]
        await first.aclose()
        told.append(await heard(second))
        store.ticks += 1
        told.append(await heard(second))
        await second.aclose()
        return told

    assert asyncio.run(main()) == ["hello", "hello", "changed"]


def test_nobody_is_greeted_before_the_store_could_be_read() -> None:
    async def main() -> list[str]:
        store = Store(away=2)
        changes = Changes(store)  # type: ignore[arg-type]
        stream = reader(changes)
        told = [await heard(stream)]
        assert not store.away
        store.ticks += 1
        told.append(await heard(stream))
        await stream.aclose()
        return told

    assert asyncio.run(main()) == ["hello", "changed"]


def test_the_stream_ends_while_the_store_is_away() -> None:
    async def main() -> str:
        changes = Changes(Store(away=1000))  # type: ignore[arg-type]
        is_over: list[bool] = []
        coming = asyncio.ensure_future(heard(reader(changes, lambda: bool(is_over))))
        await asyncio.sleep(0.01)
        is_over.append(True)
        changes.end()
        return await coming

    assert asyncio.run(main()) == "bye"
