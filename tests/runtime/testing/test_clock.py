"""The virtual clock: it jumps while nothing outside is at work, and waits for what is."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from wfc.runtime.testing import DeadlockError, VirtualTimeLoop, run_virtually


def here() -> VirtualTimeLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    return loop


def test_sleeping_takes_no_time() -> None:
    async def main() -> tuple[float, datetime]:
        await asyncio.sleep(4 * 3600)
        return here().time(), here().today()

    start = time.monotonic()
    seconds, moment = run_virtually(main, start=datetime(2026, 5, 1, 9, tzinfo=UTC))
    assert time.monotonic() - start < 3600
    assert seconds == 4 * 3600
    assert moment == datetime(2026, 5, 1, 13, tzinfo=UTC)


def test_timers_fire_in_their_order() -> None:
    async def main() -> list[float]:
        fired: list[float] = []

        async def after(seconds: float) -> None:
            await asyncio.sleep(seconds)
            fired.append(seconds)

        await asyncio.gather(*(after(seconds) for seconds in (3, 0.1, 86400 * 30, 2, 0.1 + 1e-7)))
        return fired

    assert run_virtually(main) == [0.1, 0.1 + 1e-7, 2, 3, 86400 * 30]


def test_a_timeout_cuts_off_what_sleeps_longer() -> None:
    async def main() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await asyncio.sleep(3600)
        return here().time()

    assert run_virtually(main) == 5


async def thread() -> object:
    return await asyncio.to_thread(lambda: time.sleep(0.05) or "done")


async def process() -> object:
    command = [sys.executable, "-c", "print('done')"]
    started = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    out, _ = await started.communicate()
    return out.decode().strip()


async def connection() -> object:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.to_thread(time.sleep, 0.05)
        writer.write(b"done")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        try:
            return (await reader.read()).decode()
        finally:
            writer.close()
            await writer.wait_closed()


@pytest.mark.parametrize("work", [thread, process, connection])
def test_the_clock_waits_for_what_works_outside(work: Callable[[], Awaitable[object]]) -> None:
    async def main() -> tuple[object, float]:
        async with asyncio.timeout(3600):  # jumping would end it at once
            return await work(), here().time()

    result, passed = run_virtually(main)
    assert result == "done"
    assert 0 < passed < 3600


def test_waiting_for_nothing_is_told_at_once() -> None:
    async def main() -> Any:
        await asyncio.Event().wait()

    with pytest.raises(DeadlockError):
        run_virtually(main)


def test_it_does_not_start_inside_another_loop() -> None:
    async def main() -> None:
        with pytest.raises(RuntimeError, match="inside a running event loop"):
            run_virtually(main)

    asyncio.run(main())
