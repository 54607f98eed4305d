"""Asks for what a service has replied."""

# Generated from replies.yaml. Edit the spec, not this file.
# sha256:c8a01cf7f7420998722ac61a3220fbdb0fbfa8986ebb45cf3ee53277204b8bb7, output format 2

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, overload

from pydantic import Field
from wfc.runtime import (
    UNHANDLED,
    ClosedFields,
    Context,
    Event,
    HttpResponse,
    Item,
    Items,
    Loop,
    Output,
    Record,
    StartEvent,
    StepError,
    StopEvent,
    Unhandled,
    Workflow,
    WorkflowHandler,
    filters,
    pause,
    require_output_format,
    step,
)

require_output_format(2, "replies.yaml")


class Full(Record):
    people: int


class Closed(Record):
    until: date


class Conflict(Record):
    code: str
    free: Annotated[list[str], Field(validation_alias="freeSlots")]
    why: Full | Closed


class SlotOutput(Record):
    free: int


class BookResult(Record):
    number: str


class BookReply(Record):
    reason: str


class Asked(ClosedFields, StartEvent):
    slots: list[str]


class Looked(ClosedFields, Event):
    found: list[str]


class Booked(ClosedFields, StopEvent):
    number: str


class Refused(ClosedFields, StopEvent):
    why: str


CONFLICT_REPLY: Output[Conflict] = Output(Conflict)

BOOK_REPLY: Output[BookReply] = Output(BookReply)

REPLY: Output[list[str] | None] = Output(list[str] | None)


async def slot_tool(ctx: Context, name: str) -> SlotOutput:
    return await ctx.http(
        "GET",
        f"https://desk.example/slots/{filters.path_part(name)}",
        server="https://desk.example",
        output=SlotOutput,
    )


class Replies(Workflow, name="replies", source="replies.yaml"):
    """Asks for what a service has replied."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        slots: list[str],
    ) -> WorkflowHandler[Booked | Refused]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[Booked | Refused]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[Booked | Refused]:
        """Go on with a context."""

    def run(self, *args: Any, **inputs: Any) -> WorkflowHandler[Booked | Refused]:
        """Start a run.

        Its inputs are ``slots``.
        """
        return super().run(*args, **inputs)

    # replies.yaml:26
    @pause
    def look(self, event: Asked) -> Items[str]:
        return Items.kept(
            [
                (slot, slot != "" and number != 1)
                for every in [event.slots]
                for number, slot in enumerate(every, 1)
            ],
            most=9,
        )

    @look.item()
    async def look_item(
        self,
        ctx: Context,
        event: Asked,
        slot: Item[str],
        loop: Loop,
    ) -> SlotOutput:
        return await slot_tool(ctx, name=f"{slot} {loop.index}")

    @look.give
    def look_given(
        self,
        slot: Item[str],
        result: SlotOutput,
        response: HttpResponse,
    ) -> str:
        return f"{slot}: {result.free} {response.status}"

    @look.on_item_error
    def look_item_failed(self, slot: Item[str], loop: Loop, error: StepError) -> str:
        return f"{loop.index}{'.' if loop.last else ''} {error.name}"

    @look.require
    def require_look(
        self,
        slot: Item[str],
        loop: Loop,
        response: HttpResponse,
    ) -> Iterator[str]:
        if response.status != 200:
            yield f"{loop.index} is not there"

    @look.then
    def after_look(self, result: list[str]) -> Looked:
        return Looked(found=result)

    # replies.yaml:38
    @step
    async def book(self, ctx: Context, event: Looked) -> BookResult:
        return await ctx.http("POST", "https://desk.example/slots", output=BookResult)

    @book.then
    def after_book(self, result: BookResult) -> Booked:
        return Booked(number=result.number)

    @book.on_error
    def book_failed(self, error: StepError) -> Refused | Unhandled:
        if (
            error.matches("http.409")
            and (reply := CONFLICT_REPLY.parse(error.body)) is not None
            and reply.value.code == "taken"
            and isinstance(reply.value.why, Full)
        ):
            return Refused(
                why=f"{reply.value.why.people} and {', '.join(reply.value.free)}",
            )
        if (
            error.matches("http.4xx")
            and (reply_ := BOOK_REPLY.parse(error.body)) is not None
        ):
            return Refused(why=reply_.value.reason)
        if (
            reply__ := REPLY.parse(error.body)
        ) is not None and reply__.value is not None:
            return Refused(why=filters.default(filters.first(reply__.value), ""))
        if error.matches("http.4xx"):
            return Refused(why=error.name)
        return UNHANDLED
