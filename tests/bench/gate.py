"""A gate at which all runs wait for each other, so that all are half-way at one moment."""

from __future__ import annotations

import asyncio


class Gate:
    """Holds so many runs until it is opened."""

    def __init__(self, count: int) -> None:
        self.missing = count
        self.all_here = asyncio.Event()
        self.opened = asyncio.Event()

    async def wait(self) -> None:
        """Waits with the others."""
        self.missing -= 1
        if self.missing <= 0:
            self.all_here.set()
        await self.opened.wait()


THE: list[Gate] = []
"""The gate of the benchmark that is running."""
