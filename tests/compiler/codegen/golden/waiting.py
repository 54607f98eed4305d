"""Take an order, wait for the money, have the delivery approved, and tell the
customer.
"""

# Generated from waiting.yaml. Edit the spec, not this file.
# sha256:c0eca5e4f661aaeffff7ce390b75aa461fd52dec7969fafccaa29a9043dded38, output format 2

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any, Literal, overload

from pydantic import Field
from wfc.runtime import (
    UNHANDLED,
    ClosedFields,
    Context,
    Delay,
    Event,
    Inputs,
    Keep,
    Moment,
    Outside,
    Question,
    Receives,
    Record,
    RetryPolicy,
    RunState,
    StartEvent,
    StepError,
    StopEvent,
    Unhandled,
    Unmet,
    Until,
    Workflow,
    WorkflowHandler,
    filters,
    pause,
    require_output_format,
    run_key,
    step,
    transform,
)

require_output_format(2, "waiting.yaml")


class ApproveForm(Record):
    decision: Literal["deliver", "reject"]
    note: str | None = None
    copies: Annotated[int, Field(ge=1)] = 1


class Ordered(ClosedFields, StartEvent):
    number: int
    total: Decimal
    due: Moment


class Paid(ClosedFields, Event):
    class_: Annotated[int, Field(alias="class")]
    amount: Decimal


class Nudge(ClosedFields, Event):
    pass


class Unpaid(ClosedFields, Event):
    pass


class Approve(ClosedFields, Event):
    pass


class Rejected(ClosedFields, Event):
    note: str | None = None


class Approved(ClosedFields, Event):
    pass


class Rested(ClosedFields, Event):
    pass


class News(ClosedFields, Event):
    number: int


class Told(ClosedFields, Event):
    pass


class Gone(ClosedFields, Event):
    pass


class Shipped(ClosedFields, StopEvent):
    votes: int


class Dropped(ClosedFields, StopEvent):
    reason: str


class State(RunState):
    nudges: int = 0
    votes: int = 0


REMIND_RETRY = RetryPolicy(max_attempts=2, delay=1.0, backoff=2.0, max_delay=60.0)


def approve_show(event: Approve | Rejected, inputs: Inputs[Ordered]) -> str:
    parts: list[str] = []
    parts.append(f"It costs {filters.text(inputs.total)}.\n")
    if isinstance(event, Rejected):
        parts.append(
            (
                "It was rejected before: "
                f"{event.note if event.note is not None else 'without a word'}"
            ),
        )
    parts.append("\n")
    return "".join(parts)


class Waiting(
    Workflow,
    name="waiting",
    deadline=2419200.0,
    receives=(Receives(Paid, key="class_"), Receives(Nudge)),
    when_running="join",
    source="waiting.yaml",
):
    """Take an order, wait for the money, have the delivery approved, and tell the
    customer.
    """

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        number: int,
        total: Decimal,
        due: Moment,
    ) -> WorkflowHandler[Shipped | Dropped]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[Shipped | Dropped]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[Shipped | Dropped]:
        """Go on with a context."""

    def run(self, *args: Any, **inputs: Any) -> WorkflowHandler[Shipped | Dropped]:
        """Start a run.

        Its inputs are ``number``, ``total``, ``due``.
        """
        return super().run(*args, **inputs)

    # waiting.yaml:31
    @pause(within=259200.0)
    def payment(self, event: Ordered) -> Outside[Paid]:
        return Outside(Paid)

    @payment.then
    def after_payment(self) -> Approve:
        return Approve()

    @payment.on_expired
    def payment_expired(self) -> Unpaid:
        return Unpaid()

    @payment.that
    def payment_that(self, inputs: Inputs[Ordered], result: Paid) -> bool:
        return result.amount >= inputs.total

    @payment.stream_before
    def before_payment(self) -> str:
        return "Waiting for the money."

    # waiting.yaml:40
    @step(retry_policy=REMIND_RETRY)
    async def remind(
        self,
        ctx: Context[State],
        event: Unpaid,
        inputs: Inputs[Ordered],
    ) -> None:
        await ctx.send(
            Nudge(),
            to="waiting",
            key=str(inputs.number),
            if_absent=Keep(86400.0),
        )

    @remind.then
    def after_remind(self) -> Dropped:
        return Dropped(reason="not paid")

    @remind.on_error
    def remind_failed(self, error: StepError) -> Dropped | Unhandled:
        if error.matches("run.unknown", "run.ended"):
            return Dropped(reason=error.message)
        return UNHANDLED

    @remind.idempotency_key
    def remind_key(self, inputs: Inputs[Ordered]) -> str:
        return f"remind-{inputs.number}"

    # waiting.yaml:51
    @transform
    def nudged(self, event: Nudge, state: State) -> None:
        state.nudges = state.nudges + 1

    # waiting.yaml:56
    @pause(within=14400.0, max_runs=3)
    def approve(
        self,
        event: Approve | Rejected,
        inputs: Inputs[Ordered],
        state: State,
    ) -> Question[ApproveForm]:
        """Two people look at each delivery."""
        return Question(
            ApproveForm,
            title=f"Deliver order {inputs.number}?",
            show=approve_show(event, inputs),
            prefill={"decision": "deliver", "note": f"{state.nudges} nudges"},
            assign=["group:stock", f"user:{inputs.number}"],
            quorum=2,
        )

    @approve.require
    def require_approve(self, result: ApproveForm) -> Iterator[str]:
        if result.copies >= 10:
            yield Unmet(f"{result.copies} are too many.", "copies")
            return
        if not (result.note is not None or result.decision == "deliver"):
            yield Unmet("Say why.", "decision", "note")

    @approve.then
    def after_approve(
        self,
        state: State,
        result: list[ApproveForm],
    ) -> Approved | Rejected:
        votes = state.votes + len(
            [item for item in result if item.decision == "deliver"],
        )
        emitted: Approved | Rejected
        if len([item for item in result if item.decision == "deliver"]) == 2:
            emitted = Approved()
        else:
            emitted = Rejected(note=result[0].note)
        state.votes = votes
        return emitted

    @approve.on_limit
    def approve_over_limit(self) -> Dropped:
        return Dropped(reason="rejected again and again")

    @approve.on_expired
    def approve_expired(self) -> Dropped:
        return Dropped(reason="nobody looked at it")

    # waiting.yaml:81
    @pause
    def rest(self, event: Approved, inputs: Inputs[Ordered]) -> Until:
        return Until(inputs.due)

    @rest.then
    def after_rest(self) -> Rested:
        return Rested()

    # waiting.yaml:82
    @pause
    def settle(self, event: Rested) -> Delay:
        return Delay(90.0)

    @settle.then
    def after_settle(self) -> Told:
        return Told()

    # waiting.yaml:83
    @pause(within=86400.0)
    def confirm(self, event: Told) -> Question[None]:
        return Question(None, title="Is it gone?")

    @confirm.then
    def after_confirm(self) -> Gone:
        return Gone()

    @confirm.on_expired
    def confirm_expired(self) -> Dropped:
        return Dropped(reason="it is still there")

    # waiting.yaml:90
    @step
    async def announce(
        self,
        ctx: Context[State],
        event: Gone,
        inputs: Inputs[Ordered],
    ) -> None:
        await ctx.publish(News(number=inputs.number), topic="deliveries")

    @announce.then
    def after_announce(self, state: State) -> Shipped:
        return Shipped(votes=state.votes)

    @run_key
    def key(self, inputs: Ordered) -> str:
        return str(inputs.number)
