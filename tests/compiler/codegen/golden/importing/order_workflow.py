"""Uses what other files declare, and tools that lie beside those."""

# Generated from order.yaml. Edit the spec, not this file.
# sha256:22005b5ea0052fdc081dbc06d28bcfe51c85ee84c5488c393e8246bdb79b0440, output format 2

from pathlib import Path
from typing import Any, overload

from stock_shared import Item, ItemFound, Kind
from wfc.runtime import (
    ClosedFields,
    Context,
    Inputs,
    PythonResource,
    PythonTool,
    Record,
    RetryPolicy,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowHandler,
    require_output_format,
    step,
)

require_output_format(2, "order.yaml")


class Line(Record):
    item: Item
    count: int


class Ordered(ClosedFields, StartEvent):
    name: str
    count: int
    kind: Kind = "book"


class Missing(ClosedFields, StopEvent):
    name: str


class Sent(ClosedFields, StopEvent):
    lines: list[Line]
    by: str


STOCK = PythonResource(
    "stock:stock",
    beside=Path(__file__).parent / "shared",
    per="process",
)

FIND_ITEM: PythonTool[Item | None] = PythonTool(
    "stock:find",
    output=Item | None,
    beside=Path(__file__).parent / "shared",
    resources={"stock": STOCK},
)

AGAIN = RetryPolicy(max_attempts=2, delay=1.0, backoff=2.0, max_delay=60.0)

COUNT: PythonTool[int] = PythonTool(
    "counting:twice",
    output=int,
    beside=__file__,
    resources={"stock": STOCK},
)


class Order(Workflow, name="order", source="order.yaml"):
    """Uses what other files declare, and tools that lie beside those."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        name: str,
        count: int,
        kind: Kind = "book",
    ) -> WorkflowHandler[Sent | Missing]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[Sent | Missing]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[Sent | Missing]:
        """Go on with a context."""

    def run(self, *args: Any, **inputs: Any) -> WorkflowHandler[Sent | Missing]:
        """Start a run.

        Its inputs are ``name``, ``count``, ``kind``.
        """
        return super().run(*args, **inputs)

    # order.yaml:16
    @step(retry_policy=AGAIN)
    async def find(self, ctx: Context, event: Ordered) -> Item | None:
        return await ctx.tool(FIND_ITEM, {"name": event.name, "kind": event.kind})

    @find.then
    def after_find(self, event: Ordered, result: Item | None) -> Missing | ItemFound:
        if result is None:
            return Missing(name=event.name)
        return ItemFound(item=result)

    # order.yaml:25
    @step
    async def send(
        self,
        ctx: Context,
        event: ItemFound,
        inputs: Inputs[Ordered],
    ) -> int:
        return await ctx.tool(COUNT, {"number": inputs.count})

    @send.then
    def after_send(self, event: ItemFound, result: int) -> Sent:
        return Sent(
            lines=[Line(item=event.item, count=result)],
            by=event.item.shelf.name,
        )
