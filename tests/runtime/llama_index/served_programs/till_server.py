"""A till: a run shows what it was given, what comes together, and ends with a receipt."""

import asyncio

from llama_agents.server import WorkflowServer
from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent


class Basket(StartEvent):
    prices: list[int]
    voucher: int = 0


class Subtotal(Event):
    cents: int


class Receipt(StopEvent):
    text: str


class Till(Workflow):
    @step
    async def add_up(self, ev: Basket, ctx: Context) -> Receipt | None:
        ctx.write_event_to_stream(ev)
        ctx.write_event_to_stream(Subtotal(cents=sum(ev.prices)))
        return Receipt(text=f"to pay: {sum(ev.prices) - ev.voucher}")


async def main() -> None:
    server = WorkflowServer()
    server.add_workflow("till", Till(timeout=60))
    await server.serve("localhost", 8000)


if __name__ == "__main__":
    asyncio.run(main())
