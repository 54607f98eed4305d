"""Orders that wait for messages."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from wfc.runtime import (
    Context,
    Event,
    Receives,
    RunState,
    StartEvent,
    StopEvent,
    Workflow,
    run_key,
    step,
)


class Opened(StartEvent, closed=True):
    order_id: str
    wanted: int = 1


class Paid(Event, closed=True):
    order_id: str
    amount: Decimal = Decimal(0)


class Note(Event, closed=True):
    text: str


class Got(RunState):
    amounts: list[str] = []  # noqa: RUF012


class Orders(
    Workflow,
    name="orders",
    deadline=None,
    when_running="parallel",
    receives=(Receives(Paid, key="order_id"), Receives(Note, topic="news")),
):
    """Ends when it has been paid as often as wanted; gives the amounts."""

    @run_key
    def key(self, inputs: Opened) -> str:
        return inputs.order_id

    @step
    async def begin(self, ev: Opened) -> None:
        return None

    @step
    async def paid(self, ctx: Context[Got], ev: Paid) -> StopEvent | None:
        return await self.count(ctx, str(ev.amount))

    @step
    async def noted(self, ctx: Context[Got], ev: Note) -> StopEvent | None:
        return await self.count(ctx, ev.text)

    async def count(self, ctx: Context[Got], what: str) -> StopEvent | None:
        async with ctx.store.edit_state() as state:
            state.amounts = [*state.amounts, what]
        return StopEvent(result=state.amounts) if len(state.amounts) >= inputs_of(ctx).wanted else None


def inputs_of(ctx: Context[Any]) -> Any:
    return ctx._started("inputs").execution.inputs
