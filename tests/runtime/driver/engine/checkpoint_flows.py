"""Workflows that fail until they are mended, and what is checked of every stored run that was gone back in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field

from wfc.runtime import (
    Child,
    Delay,
    Engine,
    Event,
    Item,
    Items,
    Outside,
    Question,
    Receives,
    Record,
    RetryPolicy,
    RunState,
    StartEvent,
    StopEvent,
    Workflow,
    pause,
    step,
    transform,
)
from wfc.runtime.driver.engine.kept_values import values_of
from wfc.runtime.store.folding import fold, write_snapshot
from wfc.runtime.store.journal import Kept

T = TypeVar("T")

LOG: list[str] = []
BROKEN: set[str] = set()
"""What fails when it is called."""


def act(name: str) -> None:
    LOG.append(name)
    if name.split(maxsplit=1)[0] in BROKEN:
        raise ValueError(f"{name} is broken")


class Paid(RunState):
    sum: int = 0
    names: list[str] = []  # noqa: RUF012 - pydantic copies it


class Go(StartEvent):
    n: int = 1


class Charged(Event):
    n: int


class Packed(Event):
    n: int


class Asked(Event):
    n: int


class End(StopEvent):
    n: int


class Order(Workflow):
    """Charges and packs side by side, then ships what both have come to."""

    @step
    async def charge(self, ev: Go) -> int:
        act("charge")
        return ev.n

    @charge.then
    def charged(self, ev: Go, result: int, state: Paid) -> Charged:
        state.sum += result
        return Charged(n=result)

    @step(retry_policy=RetryPolicy(max_attempts=2, delay=0))
    async def pack(self, ev: Go) -> Packed:
        act("pack")
        return Packed(n=ev.n)

    @step
    async def ship(self, charged: Charged, packed: Packed) -> int:
        act("ship")
        return charged.n + packed.n

    @ship.then
    def shipped(self, charged: Charged, packed: Packed, result: int, state: Paid) -> End:
        act("tail")
        state.names = [*state.names, "shipped"]
        return End(n=state.sum + result)


class Form(Record):
    ok: bool


class Asking(Workflow):
    """Asks a person between two actions."""

    @step
    async def first(self, ev: Go) -> Asked:
        act("first")
        return Asked(n=ev.n)

    @pause
    def ask(self, ev: Asked) -> Question[Form]:
        return Question(form=Form, title="All right?")

    @ask.then
    def answered(self, ev: Asked, result: Form) -> Charged:
        return Charged(n=ev.n + result.ok)

    @step
    async def last(self, ev: Charged) -> End:
        act("last")
        return End(n=ev.n)


class Line(Record):
    price: Decimal
    count: Annotated[int, Field(ge=1)] = 1


class Basket(RunState):
    sum_: Annotated[int, Field(alias="sum", ge=0)] = 0
    lines: list[Line] = []  # noqa: RUF012 - pydantic copies it


class Extra(Event):
    n: int


class Editing(Workflow):
    """Asks, and then ends with what is in its state; takes extras meanwhile."""

    @transform
    def put(self, ev: Go, state: Basket) -> Asked | Extra:
        state.lines = [Line(price=Decimal(ev.n))]
        return Asked(n=ev.n) if ev.n else Extra(n=1)

    @pause
    def ask(self, ev: Asked) -> Question[Form]:
        return Question(form=Form, title="All right?")

    @ask.then
    def answered(self, ev: Asked, result: Form, state: Basket) -> End:
        return End(n=state.sum_ + int(sum(line.price * line.count for line in state.lines)))

    @step
    async def add(self, ev: Extra) -> int:
        act("add")
        return ev.n

    @add.then
    def added(self, ev: Extra, result: int, state: Basket) -> None:
        state.sum_ += result


class Note(Event):
    n: int


class Noting(Workflow, receives=(Receives(Note),)):
    """Asks, and then waits for a note from outside that comes after or has come before."""

    @pause
    def ask(self, ev: Go) -> Question[Form]:
        return Question(form=Form, title="All right?")

    @ask.then
    def answered(self, ev: Go, result: Form) -> Asked:
        return Asked(n=ev.n)

    @pause
    def wait(self, ev: Asked) -> Outside[Note]:
        return Outside(Note)

    @wait.then
    def waited(self, ev: Asked, result: Note) -> End:
        return End(n=result.n)


class Below(Workflow):
    """A part that acts twice."""

    @step
    async def one(self, ev: Go) -> Charged:
        act("one")
        return Charged(n=ev.n)

    @step
    async def two(self, ev: Charged) -> End:
        act("two")
        return End(n=ev.n + 1)


class Above(Workflow):
    """Acts, and waits for a part."""

    @step
    async def before(self, ev: Go) -> Asked:
        act("before")
        return Asked(n=ev.n)

    @pause
    def part(self, ev: Asked) -> Child[Any]:
        return Child(Below, {"n": ev.n})

    @part.then
    def over(self, ev: Asked, result: End) -> End:
        return End(n=result.n)


class Many(Workflow):
    """Acts on several items, one of which may fail."""

    @pause
    def each(self, ev: Go) -> Items[int]:
        return Items([1, 2, 3])

    @each.item(num_workers=1)
    async def one(self, ev: Go, item: Item[int]) -> int:
        act(f"item{item}")
        return item

    @each.then
    def over(self, ev: Go, result: list[int]) -> End:
        return End(n=sum(result))


class Waiting(Workflow):
    """Waits for an hour, and then acts."""

    @pause
    def rest(self, ev: Go) -> Delay:
        return Delay(3600)

    @rest.then
    def rested(self, ev: Go, result: None) -> Charged:
        return Charged(n=ev.n)

    @step
    async def last(self, ev: Charged) -> End:
        act("last")
        return End(n=ev.n)


FLOWS: tuple[type[Workflow], ...] = (Order, Asking, Editing, Noting, Below, Above, Many, Waiting)


def within(path: str | Path, main: Callable[[Engine], Awaitable[T]]) -> T:
    """Runs a coroutine with an engine of its own, as a process would."""

    async def inside() -> T:
        engine = Engine(store=path)
        for one in FLOWS:
            engine.add(one)
        try:
            return await main(engine)
        finally:
            await asyncio.sleep(0)
            engine.close()

    return asyncio.run(inside())


async def finish(engine: Engine, run_id: str) -> Any:
    """Lets a run go on to its end, and returns that or its error."""
    handler = await engine.resume(run_id)
    try:
        return await handler
    except Exception as error:
        return error


def check(engine: Engine, run_id: str) -> None:
    """Holds the journal of a run against what is kept of the run besides."""
    row = engine.store.runs(run_id=run_id)[0]
    ticks = engine.store.history(run_id)
    assert [seq for seq, _ in ticks] == list(range(1, len(ticks) + 1)), "ticks without a gap"
    assert engine.store.problems() == []
    workflow = engine.workflow(row.workflow)
    plan, values = workflow._wfc.plan, values_of(workflow)
    start = engine.beginning_of(run_id).start
    whole = fold(Kept(None, 0, [body for _, body in ticks]), plan, run_id, start, values)
    kept = asyncio.run(engine.store.read(_lease(engine, run_id)))
    if kept.snapshot is not None:
        later = fold(kept, plan, run_id, start, values)
        assert (whole.outcome is None) == (later.outcome is None)
        if whole.outcome is None:
            assert json.loads(write_snapshot(whole, values)) == json.loads(write_snapshot(later, values))
    assert (whole.outcome is not None) == (row.ended is not None)
    told, in_brief = engine.replay(run_id), engine.replay(run_id)
    for seq, body in ticks[told.seq :]:
        told.tell(body)
        in_brief.skip(body)
        assert in_brief.lines() == told.lines(), f"what is told in brief after the tick {seq}"
    assert (in_brief.ended_by, in_brief.ready_by) == (told.ended_by, told.ready_by)


def _lease(engine: Engine, run_id: str) -> Any:
    from wfc.runtime.store.journal import Lease

    return Lease(run_id, engine.beginning_of(run_id).number)
