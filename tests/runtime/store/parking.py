"""Runs that are parked in the middle and go on from their snapshots."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from wfc.runtime import (
    Context,
    Workflow,
    WorkflowHandler,
)
from wfc.runtime.testing import run_virtually


def made(make: Callable[[], Workflow]) -> Workflow:
    return make(timeout=None) if isinstance(make, type) else make()


def parked(
    make: Callable[[], Workflow], before: Callable[[WorkflowHandler], Awaitable[None]], **inputs: Any
) -> str:
    """The snapshot of a run after something, as JSON text; the run itself is given up."""

    async def main() -> str:
        handler = made(make).run(run_id="r", **inputs)
        await before(handler)
        text = json.dumps(handler.ctx.to_dict())
        await handler.cancel_run()
        return text

    return run_virtually(main)


def gone_on(
    make: Callable[[], Workflow],
    text: str,
    then: Callable[[WorkflowHandler], Awaitable[None]] | None = None,
) -> Any:
    """What the run of a snapshot comes to."""

    async def main() -> Any:
        workflow = made(make)
        ctx: Context[Any] = Context.from_dict(workflow, json.loads(text))
        handler = workflow.run(ctx=ctx)
        assert handler.run_id == "r"
        if then is not None:
            await then(handler)
        return await handler

    return run_virtually(main)


def after(seconds: float) -> Callable[[WorkflowHandler], Awaitable[None]]:
    async def wait(_: WorkflowHandler) -> None:
        await asyncio.sleep(seconds)

    return wait
