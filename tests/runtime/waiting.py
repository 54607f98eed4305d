"""How a test waits for what other tasks, threads or processes do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

SECONDS = 240
"""How long a test waits for something before it fails: long, as the machine may be busy."""


async def until(holds: Callable[[], object]) -> None:
    """Wait until something holds; fail by ``TimeoutError`` if it does not come to be."""
    async with asyncio.timeout(SECONDS):
        while not holds():  # noqa: ASYNC110 - nobody sets an event for it
            await asyncio.sleep(0.002)
