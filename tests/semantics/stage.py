"""The tools of the specs here: they take as long as they are told, and fail as they are told."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from wfc.runtime import StepError

calls: list[tuple[float, Any]] = []
"""When each call began, on the run's clock, and what it was given. Emptied before each test."""


async def after(seconds: float, value: Any = None) -> Any:
    """Takes its time and gives what it is given."""
    note(value)
    await asyncio.sleep(seconds)
    return value


def plain(value: Any = None) -> Any:
    """The same at once, and in a thread."""
    time.sleep(0)
    return value


async def fail(error: str, times: int = 1000, value: Any = None, retry_after: float | None = None) -> Any:
    """Fails so many times, counted over the whole test, and then gives what it is given."""
    note(error)
    if len(calls) > times:
        return value
    status = int(error[5:]) if error.startswith("http.") else None
    raise StepError(error, f"failed with {error}", status=status, body={"of": error}, retry_after=retry_after)


async def slow(seconds: list[float], value: Any = None) -> Any:
    """The first call takes the first time, and so on."""
    note(value)
    await asyncio.sleep(seconds[min(len(calls), len(seconds)) - 1])
    return value


async def odd(value: int) -> int:
    """Gives odd numbers back, and fails for even ones."""
    if value % 2 == 0:
        raise ValueError(f"{value} is even")
    return value


def boom(kind: str) -> Any:
    """Raises one of Python's own errors."""
    raise {"key": KeyError, "value": ValueError, "timeout": TimeoutError, "lost": ConnectionResetError}[kind](
        kind
    )


def told(secret_key: str, value: Any, context: Any) -> Any:
    """Knows a secret, and tells it to whom it should not."""
    context.report(f"the key is {secret_key}")
    return {"value": value, "key": secret_key, "state": context.state}


def note(what: Any) -> None:
    calls.append((asyncio.get_running_loop().time(), what))


def counter() -> list[int]:
    """A resource: what was counted."""
    return []


def counted(counter: list[int], by: int) -> int:
    """Counts in it."""
    counter.append(by)
    return sum(counter)
