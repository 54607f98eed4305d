"""A workflow of which ``version_1.json`` is a snapshot, written by a runtime whose snapshots had the version 1."""

from __future__ import annotations

import asyncio
from typing import Any

from wfc.runtime import (
    Context,
    Event,
    Question,
    RetryPolicy,
    RunState,
    StartEvent,
    StepError,
    StopEvent,
    Workflow,
    pause,
    step,
)


class Told(Event):
    note: str


class Tried(Event):
    note: str


class Kept(RunState):
    said: list[str] = []  # noqa: RUF012 - pydantic copies it


class Old(Workflow):
    @step
    async def begin(self, ctx: Context[Kept], event: StartEvent) -> Told:
        return Told(note="begun")

    @step(retry_policy=RetryPolicy(max_attempts=3, delay=30))
    async def tries(self, ctx: Context[Kept], event: Told) -> Tried:
        if ctx.attempt < 3:
            raise StepError("busy", "not yet")
        return Tried(note=f"{ctx.attempt} {ctx.retry_info().last_exception}")

    @step
    async def works(self, ctx: Context[Kept], event: Told) -> None:
        await asyncio.sleep(50)
        await ctx.store.set("said", [f"{ctx.attempt} {ctx.idempotency_key}"])

    @pause
    def asks(self, event: Told) -> Question[None]:
        return Question(None, title="Yes?")

    @asks.then
    def after_asks(self, state: Kept, result: None) -> StopEvent:
        return StopEvent(result=state.said)

    @step
    async def hears(self, ctx: Context[Kept], event: Tried) -> None:
        state: Any = await ctx.store.get_state()
        await ctx.store.set("said", [*state.said, event.note, asyncio.get_running_loop().time()])
