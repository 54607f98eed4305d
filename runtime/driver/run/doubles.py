"""Doubles, which stand in for the actions of steps in tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from enum import Enum
from typing import Any

from wfc.runtime.errors import StepError
from wfc.runtime.values.spans import span

__all__ = ["Double", "Instead", "pause_double"]

Double = Callable[[Any], Coroutine[Any, Any, Any]]
"""Stands in for a step's action: called with its context, it gives its result, or raises."""


class Instead(Enum):
    """What a double of a step that pauses may give instead of the result: the pause itself, or its expiry."""

    PAUSE = "pause"
    EXPIRE = "expire"


async def pause_double(double: Double, context: Any, longest: float | None, attempt: float | None) -> Any:
    """Return what a double gives for a pause, within the time that the pause itself may last.

    Args:
        longest: Seconds that the pause may last at most, or ``None``.
        attempt: Seconds that one attempt of the step may take, or ``None``.

    Raises:
        StepError: It took longer than one attempt of the step may.
    """
    try:
        async with asyncio.timeout(longest) as bound, asyncio.timeout(attempt) as limit:
            return await double(context)
    except TimeoutError:
        if bound.expired():
            return Instead.EXPIRE
        if attempt is not None and limit.expired():
            raise StepError("timeout", f"it took longer than {span(attempt)}") from None
        raise
