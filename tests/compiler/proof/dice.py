"""The tool of the random flows that run: a test says what it gives, and how long it takes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import random_flows


async def roll(step: str) -> dict[str, Any]:
    """Asks the die that the test has laid out."""
    die: Callable[[str], Awaitable[dict[str, Any]]] = random_flows.die
    return await die(step)
