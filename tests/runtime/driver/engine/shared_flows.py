"""A program that starts runs in a store, of which tests begin several at once; what happens is told in a log."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from wfc.runtime import (
    Engine,
    Limits,
    Question,
    Record,
    RunExistsError,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowCancelledByUser,
    pause,
    run_key,
    step,
)
from wfc.runtime.driver.engine.working import Worker
from wfc.runtime.errors import RunParkedError

__all__ = ["Asked", "Given", "Order", "counted", "keyed", "note", "opened"]


class Order(StartEvent):
    key: str = "A"
    seconds: float = 0.3  # more than 3: until a file is there


class Given(Record):
    ok: bool


def note(**what: Any) -> None:
    """Tells something in the log, from whatever process."""
    line = json.dumps({"at": time.time(), "pid": os.getpid(), **what}) + "\n"
    handle = os.open(os.environ["LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, line.encode())
    os.close(handle)


class Working(Workflow):
    @step
    async def work(self, ev: Order, ctx: Any = None) -> StopEvent:
        note(what="begin", key=ev.key)
        try:
            await asyncio.sleep(min(ev.seconds, 3))
            while ev.seconds > 3 and not Path(f"{os.environ['LOG']}.{ev.key}").exists():  # noqa: ASYNC110, ASYNC240
                await asyncio.sleep(0.01)
        finally:
            await asyncio.sleep(0.05)
            note(what="end", key=ev.key)
        return StopEvent(result=os.getpid())


def keyed(way: str) -> type[Workflow]:
    """A workflow of which a second start under one key does something."""

    class Keyed(Working, name="keyed", when_running=way):  # type: ignore[call-arg,arg-type]
        @run_key
        def key(self, inputs: Order) -> str:
            return inputs.key

    return Keyed


def counted(most: int) -> type[Workflow]:
    """A workflow of which only so many runs may be under way at once."""

    class Counted(Working, name="counted", limits=Limits(concurrent_runs=most)):
        pass

    return Counted


class Asked(Workflow, name="asked", when_running="reject", limits=Limits(concurrent_runs=1)):
    """Waits for a person, and has its place meanwhile."""

    @run_key
    def key(self, inputs: Order) -> str:
        return inputs.key

    @pause
    def ask(self, ev: Order) -> Question[Given]:
        note(what="begin", key=ev.key)
        return Question(Given, title="Well?", assign=["user:ann"])

    @ask.then
    def asked(self, ev: Order, result: Given) -> StopEvent:
        note(what="end", key=ev.key)
        return StopEvent(result=result.ok)


def opened(store: str, kind: str) -> Engine:
    """An engine with the workflow that is named as ``keyed:queue``, ``counted:2`` or ``asked``."""
    engine = Engine(store=store)
    name, _, value = kind.partition(":")
    engine.add({"keyed": keyed, "counted": lambda most: counted(int(most))}.get(name, lambda _: Asked)(value))
    return engine


async def outcome(handler: Any) -> str:
    try:
        return f"by {await handler}"
    except WorkflowCancelledByUser as error:
        return f"cancelled: {error}"
    except RunExistsError as error:
        return f"refused: {error.run_id}"


async def run(engine: Engine, name: str, run_id: str, key: str, seconds: str) -> None:
    """Starts a run, and waits for its end."""
    try:
        handler = engine.workflow(name).run(run_id=run_id, key=key, seconds=float(seconds))  # type: ignore[attr-defined]
    except RunExistsError as error:
        note(what="outcome", run=run_id, said=f"refused: {error.run_id}")
        return
    note(what="started", run=run_id, of=handler.run_id)
    note(what="outcome", run=run_id, said=await outcome(handler))


async def at(engine: Engine, name: str, moment: str, run_id: str, key: str, seconds: str) -> None:
    """Starts a run when a file is there, so that several processes do so at once."""
    note(what="ready")
    while not Path(moment).exists():  # noqa: ASYNC240
        pass
    await run(engine, name, run_id, key, seconds)


async def rest(engine: Engine, name: str, run_id: str, key: str) -> None:
    """Starts a run, and puts it to rest."""
    handler = engine.workflow(name).run(run_id=run_id, key=key)  # type: ignore[attr-defined]
    await engine.park(run_id)
    try:
        await handler
    except RunParkedError:
        note(what="outcome", run=run_id, said="rests")


async def many(engine: Engine, name: str, prefix: str, count: str, seconds: str) -> None:
    """Starts several runs at once."""
    await asyncio.gather(
        *(run(engine, name, f"{prefix}-{number}", prefix, seconds) for number in range(int(count)))
    )


async def work(engine: Engine, name: str, at_once: str) -> None:
    """Works on what is due until it is stopped."""
    await Worker(engine, lambda due: None, lambda _: None, at_once=int(at_once)).run()


async def main(store: str, kind: str, do: str, *arguments: str) -> None:
    engine = opened(store, kind)
    await {"run": run, "at": at, "rest": rest, "many": many, "work": work}[do](
        engine, kind.partition(":")[0], *arguments
    )
    await asyncio.sleep(0.2)  # what was cancelled cleans up
    engine.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
