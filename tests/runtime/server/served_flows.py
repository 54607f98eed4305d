"""Workflows that tests serve."""

from __future__ import annotations

from wfc.runtime import (
    Context,
    Delay,
    Event,
    Outside,
    Question,
    Receives,
    Record,
    RunState,
    StartEvent,
    StepError,
    StopEvent,
    Unmet,
    Workflow,
    pause,
    run_key,
    step,
    transform,
)


class Asked(StartEvent, closed=True):
    text: str
    times: int = 1


class Done(StopEvent, closed=True):
    text: str


class Echo(Workflow, name="echo"):
    @step
    async def echo(self, event: Asked) -> Done:
        if event.text == "fail":
            raise StepError("told_to", "it was told to fail")
        return Done(text=event.text * event.times)


class Further(Event, closed=True):
    words: list[str]


class Trouble(Workflow, name="trouble"):
    """A step that does what the next word says each time it is called: it goes well, or fails by that error."""

    @transform
    def begin(self, event: Asked) -> Further:
        return Further(words=event.text.split())

    @step
    async def go(self, event: Further, ctx: Context) -> Further | Done:
        calls = ctx.attempt - 1
        if event.words[calls] != "ok":
            raise StepError(event.words[calls], "as it was told")
        left = event.words[calls + 1 :]
        return Further(words=left) if left else Done(text="it went well")


class Decision(Record):
    ok: bool
    note: str | None = None


class Decided(StopEvent, closed=True):
    ok: bool
    note: str | None


class Approval(Workflow, name="approval"):
    @pause(within=4 * 3600.0)
    def approve(self, event: Asked) -> Question[Decision]:
        return Question(Decision, title=f"May {event.text} go out?", show=event.text, assign=["group:leads"])

    @approve.require
    def approve_requires(self, event: Asked, result: Decision) -> list[str]:
        return [Unmet("a refusal says why", "ok", "note")] if not result.ok and not result.note else []

    @approve.then
    def after_approve(self, event: Asked, result: Decision) -> Decided:
        return Decided(ok=result.ok, note=result.note)

    @approve.on_expired
    def approve_expired(self, event: Asked) -> Decided:
        return Decided(ok=False, note="nobody answered")


class Both(Workflow, name="both"):
    """Asks two people, and each of them is to say yes."""

    @pause(within=4 * 3600.0)
    def approve(self, event: Asked) -> Question[Decision]:
        who = ["user:bob", "user:eve"]
        return Question(Decision, title=f"May {event.text} go out?", assign=who, quorum=2)

    @approve.then
    def after_approve(self, event: Asked, result: list[Decision]) -> Decided:
        return Decided(ok=all(one.ok for one in result), note=f"{len(result)} have said so")

    @approve.on_expired
    def approve_expired(self, event: Asked) -> Decided:
        return Decided(ok=False, note="nobody answered")


class Ordered(StartEvent, closed=True):
    order: str


class Paid(Event, closed=True):
    order: str
    amount: int


class Seen(RunState):
    paid: int = 0


class Order(Workflow, name="order", receives=(Receives(Paid, key="order"),)):
    @run_key
    def key(self, inputs: Ordered) -> str:
        return inputs.order

    @pause
    def wait(self, event: Ordered) -> Outside[Paid]:
        return Outside(Paid)

    @wait.then
    def after_wait(self, state: Seen, event: Ordered, result: Paid) -> Done:
        state.paid = result.amount
        return Done(text=f"{event.order}: {result.amount}")


class Turn(Event, closed=True):
    left: int


class Count(StartEvent, closed=True):
    turns: int


class Counted(StopEvent, closed=True):
    turns: int


class Long(Workflow, name="long"):
    """A run with as many steps as it is asked for."""

    @transform
    def begin(self, event: Count) -> Turn:
        return Turn(left=event.turns)

    @step
    async def turn(self, event: Turn) -> Turn | Counted:
        return Turn(left=event.left - 1) if event.left else Counted(turns=0)


class Sleeps(Workflow, name="sleeps"):
    @pause
    def rest(self, event: Asked) -> Delay:
        return Delay(3600.0)

    @rest.then
    def after_rest(self, event: Asked, result: None) -> Done:
        return Done(text=event.text)


class Wrote(StartEvent, closed=True):
    person: str
    text: str


class Said(Event, closed=True):
    person: str
    text: str


class Again(Event, closed=True):
    text: str


class Answered(Event, closed=True):
    text: str
    hidden: str


class Talk(Workflow, name="talk", receives=(Receives(Said, key="person"),)):
    """Somebody with whom one talks, until one says bye."""

    @run_key
    def key(self, inputs: Wrote) -> str:
        return inputs.person

    @transform
    def answer(self, event: Wrote | Again) -> Answered:
        return Answered(text=f"you said: {event.text}", hidden="nobody's business")

    @pause
    def listen(self, event: Answered) -> Outside[Said]:
        return Outside(Said)

    @listen.then
    def after_listen(self, event: Answered, result: Said) -> Again | Done:
        return Done(text="it is over") if result.text == "bye" else Again(text=result.text)


WORKFLOWS = (Echo, Approval, Order, Long, Sleeps, Talk, Trouble)
"""What the server of most tests serves."""
