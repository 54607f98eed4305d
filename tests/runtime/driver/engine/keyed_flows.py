"""Runs under a key, and what becomes of them."""

from __future__ import annotations

import asyncio
from typing import Any

from wfc.runtime import (
    Limits,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowCancelledByUser,
    WorkflowHandler,
    run_key,
    step,
)


class Order(StartEvent):
    order_id: Any = "A"
    seconds: float = 10
    shop: str = "one"


def keyed(way: str | None, limits: Limits | None = None, cleaning: float = 0) -> type[Workflow]:
    """A workflow whose runs take some seconds, and note when they begin and end."""

    class Keyed(Workflow, when_running=way, limits=limits):  # type: ignore[arg-type]
        log: list[str] = []  # noqa: RUF012

        @run_key
        def key(self, inputs: Order) -> str:
            return inputs.order_id  # type: ignore[no-any-return]

        @step
        async def work(self, ev: Order) -> StopEvent:
            loop = asyncio.get_running_loop()
            self.log.append(f"+{ev.shop} {loop.time():g}")
            try:
                await asyncio.sleep(ev.seconds)
            finally:
                await asyncio.sleep(cleaning)
                self.log.append(f"-{ev.shop} {loop.time():g}")
            return StopEvent(result=ev.shop)

    return Keyed


async def outcome(handler: WorkflowHandler) -> str:
    try:
        return str(await handler)
    except WorkflowCancelledByUser as error:
        return f"cancelled: {error}"
