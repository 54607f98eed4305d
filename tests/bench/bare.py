"""The work of the benchmark on bare asyncio: the floor that nobody gets below."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from gate import Gate
from pydantic import BaseModel

NAME = "bare asyncio"


class Item(BaseModel):
    number: int


class Done(BaseModel):
    number: int


async def ping_pong(hops: int) -> None:
    """Two tasks and two queues."""
    there: asyncio.Queue[Item | None] = asyncio.Queue()
    back: asyncio.Queue[Item | None] = asyncio.Queue()

    async def hand_over(taken: asyncio.Queue[Item | None], given: asyncio.Queue[Item | None]) -> None:
        while (event := await taken.get()) is not None:
            if event.number <= 0:
                break
            given.put_nowait(Item(number=event.number - 1))
        given.put_nowait(None)

    there.put_nowait(Item(number=hops))
    await asyncio.gather(hand_over(there, back), hand_over(back, there))


async def fan_out_list(count: int) -> None:
    """A task for each item."""

    async def work(item: Item) -> Done:
        return Done(number=item.number)

    tasks = [asyncio.create_task(work(Item(number=number))) for number in range(count)]
    assert len(await asyncio.gather(*tasks)) == count


fan_out_send = fan_out_list


async def backlog(count: int) -> None:
    """Four tasks and a queue."""
    queue: asyncio.Queue[Item] = asyncio.Queue()
    for number in range(count):
        queue.put_nowait(Item(number=number))
    done: list[Done] = []

    async def work() -> None:
        while not queue.empty():
            item = queue.get_nowait()
            await asyncio.sleep(0)
            done.append(Done(number=item.number))

    await asyncio.gather(*(work() for _ in range(4)))
    assert len(done) == count


async def runs(count: int) -> AsyncIterator[None]:
    """One task for each run."""
    gate = Gate(count)

    async def run() -> int:
        item = Item(number=1)
        await gate.wait()
        return Done(number=item.number + 1).number

    tasks = [asyncio.create_task(run()) for _ in range(count)]
    await gate.all_here.wait()
    yield
    gate.opened.set()
    assert set(await asyncio.gather(*tasks)) == {2}


async def stream(count: int, readers: int = 1) -> None:
    """A queue for each reader."""
    queues: list[asyncio.Queue[Item | None]] = [asyncio.Queue() for _ in range(readers)]

    async def tell() -> None:
        for number in range(count):
            item = Item(number=number)
            for queue in queues:
                queue.put_nowait(item)
        for queue in queues:
            queue.put_nowait(None)

    async def read(queue: asyncio.Queue[Item | None]) -> int:
        seen = 0
        while await queue.get() is not None:
            seen += 1
        return seen

    _, *seen = await asyncio.gather(tell(), *(read(queue) for queue in queues))
    assert seen == [count] * readers


async def stream_three(count: int) -> None:
    """The same with three readers."""
    await stream(count, 3)
