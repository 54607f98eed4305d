"""A run goes on from its snapshot where it was: in another loop, with another object of its workflow."""

from __future__ import annotations

import asyncio
import json
from typing import Any, ClassVar

import pytest
from parking import after, gone_on, parked
from pydantic import Field

from wfc.runtime import (
    AllOf,
    Child,
    Context,
    ContextStateError,
    Delay,
    Event,
    HumanResponseEvent,
    InputRequiredEvent,
    Item,
    Items,
    Outside,
    Question,
    Receives,
    Record,
    RetryPolicy,
    RunState,
    SnapshotError,
    StartEvent,
    StepError,
    StopEvent,
    Workflow,
    WorkflowHandler,
    pause,
    step,
    transform,
)
from wfc.runtime.driver.engine import Engine
from wfc.runtime.testing import run_virtually


class Form(Record):
    note: str


class Asked(StartEvent):
    topic: str


class Answered(Event):
    note: str


class Kept(RunState):
    said: list[str] = Field(default_factory=list)


class Asks(Workflow):
    @pause(within=100)
    def ask(self, event: Asked) -> Question[Form]:
        return Question(Form, title=event.topic)

    @ask.then
    def after_ask(self, state: Kept, event: Asked, result: Form) -> Answered:
        state.said.append(result.note)
        return Answered(note=result.note)

    @ask.on_expired
    def ask_expired(self, event: Asked) -> Answered:
        return Answered(note="nobody")

    @step
    async def end(self, event: Answered) -> StopEvent:
        return StopEvent(result=event.note)


def test_a_question_is_answered_after_the_run_was_parked() -> None:
    text = parked(Asks, after(1), topic="tea?")

    async def answer(handler: WorkflowHandler) -> None:
        await asyncio.sleep(0)
        (question,) = handler.questions()
        assert (question.id, question.title) == ("r/ask/1", "tea?")
        await handler.answer(question.id, {"note": "yes"})

    assert gone_on(Asks, text, answer) == "yes"
    assert gone_on(Asks, text) == "nobody"


class Both(Workflow):
    """Counts what its steps do in a list that outlives the run."""

    done: ClassVar[list[str]] = []

    @step
    async def begin(self, ctx: Context[Any], event: StartEvent) -> Answered | Other:
        ctx.send_event(Answered(note="a"))
        return Other()

    @step
    async def quick(self, event: Answered) -> Left:
        self.done.append("quick")
        return Left()

    @step
    async def slow(self, ctx: Context[Any], event: Other) -> Right:
        self.done.append(f"slow {ctx.attempt} {ctx.idempotency_key}")
        await asyncio.sleep(10)
        return Right()

    @step
    async def join(self, left: Left, right: Right) -> StopEvent:
        self.done.append("join")
        return StopEvent(result=list(self.done))


class Other(Event):
    pass


class Left(Event):
    pass


class Right(Event):
    pass


def test_what_was_at_work_begins_again_and_what_was_done_does_not() -> None:
    Both.done.clear()
    text = parked(Both, after(5))
    assert gone_on(Both, text) == ["quick", "slow 1 r/slow/3", "slow 2 r/slow/3", "join"]


class Retried(Workflow):
    @step(retry_policy=RetryPolicy(max_attempts=3, delay=30))
    async def work(self, ctx: Context[Any], event: StartEvent) -> StopEvent:
        if ctx.attempt < 3:
            raise StepError("busy", "not yet")
        return StopEvent(result=(ctx.attempt, str(ctx.retry_info().last_exception)))


def test_the_time_left_before_an_attempt_and_the_count_of_attempts_are_kept() -> None:
    text = parked(Retried, after(40))
    took: list[float] = []

    async def watch(handler: WorkflowHandler) -> None:
        began = asyncio.get_running_loop().time()
        await handler.stop_event_result()
        took.append(asyncio.get_running_loop().time() - began)

    assert gone_on(Retried, text, watch) == (3, "not yet")
    assert took == pytest.approx([50], abs=0.1)


class InARow(Workflow):
    """One item after the other, each of which is tried twice."""

    @pause
    def work(self, event: StartEvent) -> Items[int]:
        return Items([1, 2])

    @work.item(num_workers=1, retry_policy=RetryPolicy(max_attempts=2, delay=30, backoff=1))
    async def work_item(self, ctx: Context[Any], event: StartEvent, item: Item[int]) -> float:
        if ctx.attempt == 1:
            raise StepError("busy", "not yet")
        return asyncio.get_running_loop().time()

    @work.then
    def after_work(self, event: StartEvent, result: list[float]) -> StopEvent:
        return StopEvent(result=result)


@pytest.mark.parametrize("seconds", [10, 40])
def test_an_item_keeps_its_place_in_a_snapshot(seconds: float) -> None:
    ended = gone_on(InARow, parked(InARow, after(seconds)))
    assert ended[-1] - ended[0] == 30 if seconds == 10 else ended[0] == 30
    assert ended[-1] == 60 - seconds


class Paid(Event, closed=True):
    number: int


class Many(Workflow, receives=(Receives(Paid),)):
    @transform
    def begin(self, event: Asked) -> list[Answered]:
        return [Answered(note=one) for one in event.topic.split()]

    @pause(num_workers=1)
    def work(self, event: Answered) -> Items[str]:
        return Items(list(event.note))

    @work.item(num_workers=2)
    async def work_item(self, event: Answered, item: Item[str]) -> str:
        await asyncio.sleep(10)
        return item.upper()

    @work.then
    def after_work(self, event: Answered, result: list[str]) -> Left:
        return Left(note="".join(result))  # type: ignore[call-arg]

    @pause
    def pay(self, event: Answered) -> Outside[Paid] | Delay:
        return Outside(Paid)

    @pay.then
    def after_pay(self, event: Answered, result: Paid | None) -> Right:
        assert result is not None
        return Right(number=result.number)  # type: ignore[call-arg]

    @transform(join=AllOf("begin"))
    def meet(self, left: Left, right: Right) -> Met:
        return Met(note=f"{left['note']}{right['number']}")

    @transform
    def rest(self, state: Kept, events: list[Met]) -> StopEvent:
        state.said.extend(one.note for one in events)
        return StopEvent(result=" ".join(state.said))


class Met(Event):
    note: str


@pytest.mark.parametrize("seconds", [0, 5, 12, 15, 22, 25, 31])
def test_batches_items_joins_and_events_from_outside_go_on(seconds: float) -> None:
    async def before(handler: WorkflowHandler) -> None:
        await handler.send_event(Paid(number=1))
        await asyncio.sleep(seconds)

    async def then(handler: WorkflowHandler) -> None:
        for number in (2, 3):
            await handler.send_event(Paid(number=number))

    said = gone_on(Many, parked(Many, before, topic="abc d ef"), then)
    assert said == "ABC1 D2 EF3"


class Chat(Workflow):
    bodies: ClassVar[list[int]] = []

    @step
    async def talk(self, ctx: Context[Any], event: StartEvent) -> StopEvent:
        self.bodies.append(ctx.attempt)
        first = await ctx.wait_for_event(HumanResponseEvent, InputRequiredEvent(text="name"), "one")
        second = await ctx.wait_for_event(HumanResponseEvent, InputRequiredEvent(text="age"), "two")
        return StopEvent(result=(first["said"], second["said"]))


def test_a_body_that_waits_begins_again_and_is_not_asked_again() -> None:
    Chat.bodies.clear()

    async def before(handler: WorkflowHandler) -> None:
        await asyncio.sleep(1)
        await handler.send_event(HumanResponseEvent(said="Ann"))
        await asyncio.sleep(1)

    async def then(handler: WorkflowHandler) -> None:
        await handler.send_event(HumanResponseEvent(said=36))

    async def wait_first(handler: WorkflowHandler) -> None:
        await asyncio.sleep(1)
        await then(handler)

    text = parked(Chat, before)
    assert gone_on(Chat, text, then) == ("Ann", 36)
    assert gone_on(Chat, text, wait_first) == ("Ann", 36)
    assert Chat.bodies == [1, 2, 2]


class Gathers(Workflow):
    @step
    async def begin(self, ctx: Context[Any], event: StartEvent) -> Answered | None:
        for note in "abcd":
            ctx.send_event(Answered(note=note))
        return None

    @step(num_workers=4)
    async def gather(self, ctx: Context[Any], event: Answered) -> StopEvent | None:
        await asyncio.sleep({"a": 1, "b": 1, "c": 20, "d": 30}[event.note])
        found = ctx.collect_events(event, [Answered] * 4)
        await asyncio.sleep(15)
        return None if found is None else StopEvent(result=sorted(one.note for one in found))


@pytest.mark.parametrize("seconds", [0, 10, 17, 25, 33, 40])
def test_what_was_collected_is_collected_once(seconds: float) -> None:
    assert gone_on(Gathers, parked(Gathers, after(seconds))) == ["a", "b", "c", "d"]


class Parent(Workflow):
    @pause
    def call(self, event: Asked) -> Child[Any]:
        return Child("asks", {"topic": event.topic})

    @call.then
    def after_call(self, event: Asked, result: StopEvent) -> StopEvent:
        return StopEvent(result=f"child: {result.result}")


def test_a_child_goes_on_with_its_parent() -> None:
    def make() -> Workflow:
        engine = Engine()
        engine.add(Asks, "asks")
        return Parent(engine=engine)

    text = parked(make, after(1), topic="tea?")

    async def answer(handler: WorkflowHandler) -> None:
        await asyncio.sleep(1)
        (question,) = handler.questions()
        assert question.id == "r/call/1/ask/1"
        await handler.answer(question.id, {"note": "yes"})

    assert gone_on(make, text, answer) == "child: yes"


def test_a_run_that_has_not_begun_and_one_that_is_over() -> None:
    async def main() -> None:
        workflow = Asks()
        handler = workflow.run(topic="tea?", run_id="r")
        text = json.dumps(handler.ctx.to_dict())
        await asyncio.sleep(0)
        await handler.answer("r/ask/1", {"note": "no"})
        assert await handler == "no"
        over = json.loads(json.dumps(handler.ctx.to_dict()))
        again: Context[Kept] = Context.from_dict(workflow, over)
        assert (await again.store.get_state()).said == ["no"]
        second = workflow.run(ctx=again, topic="more?")
        await asyncio.sleep(1)
        await second.answer(second.questions()[0].id, {"note": "a bit"})
        await second
        assert (await second.ctx.store.get_state()).said == ["no", "a bit"]
        fresh: Context[Kept] = Context.from_dict(workflow, json.loads(text))
        with pytest.raises(ContextStateError, match="takes no inputs"):
            workflow.run(ctx=fresh, topic="other")
        third = workflow.run(ctx=fresh)
        await asyncio.sleep(1)
        assert third.questions()[0].title == "tea?"
        await third.cancel_run()

    run_virtually(main)


def test_a_snapshot_of_another_workflow_is_refused() -> None:
    text = parked(Asks, after(1), topic="tea?")
    with pytest.raises(SnapshotError, match=r"is of `.*Asks`, and not of `.*Both`"):
        Context.from_dict(Both(), json.loads(text))
    data = json.loads(text)
    with pytest.raises(SnapshotError, match="with other steps or events"):
        Context.from_dict(Asks(), {**data, "shape": "0"})
    with pytest.raises(SnapshotError, match="version 4"):
        Context.from_dict(Asks(), {**data, "wfc": 4})
    for damaged in (None, [], {}, "x", {**data, "execution": []}, {**data, "state": ["Own", {}]}):
        with pytest.raises(SnapshotError):
            Context.from_dict(Asks(), damaged)  # type: ignore[arg-type]
