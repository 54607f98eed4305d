"""How runs share workers and the event loop, and what can be seen of them from outside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from wfc.runtime import (
    Context,
    ContextStateError,
    Event,
    HumanResponseEvent,
    InputRequiredEvent,
    ProgressText,
    StartEvent,
    StepFailedError,
    StopEvent,
    UndeclaredResultError,
    Workflow,
    WorkflowConfigurationError,
    WorkflowRuntimeError,
    WorkflowStepDoesNotExistError,
    WorkflowValidationError,
    require_output_format,
    step,
)
from wfc.runtime.errors import OutputFormatError
from wfc.runtime.events import EventEmitted, StepState, StepStateChanged

Play = Callable[..., Any]
Watch = Callable[..., list[Event]]
Virtually = Callable[[Callable[[], Any]], Any]


class Item(Event):
    value: int = 0


class Done(Event):
    value: int = 0


def busy(workers: int, waits: bool) -> type[Workflow]:
    """Forty events at a step with so many workers, which waits a second or not at all."""

    class Busy(Workflow):
        most = 0
        now = 0
        order: list[int] = []  # noqa: RUF012

        @step
        async def start(self, ev: StartEvent) -> list[Item]:
            return [Item(value=value) for value in range(40)]

        @step(num_workers=workers)
        async def work(self, ev: Item) -> Done:
            type(self).order = [*self.order, ev.value]
            type(self).now += 1
            type(self).most = max(self.most, self.now)
            if waits:
                await asyncio.sleep(1)
            type(self).now -= 1
            return Done(value=ev.value)

        @step
        async def end(self, events: list[Done]) -> StopEvent:
            return StopEvent(result=asyncio.get_running_loop().time())

    return Busy


@pytest.mark.parametrize(("workers", "seconds"), [(1, 40), (4, 10), (40, 1), (100, 1)])
def test_as_many_at_once_as_there_are_workers_first_come_first_served(
    virtually: Virtually, workers: int, seconds: float
) -> None:
    flow = busy(workers, waits=True)

    async def main() -> float:
        start = asyncio.get_running_loop().time()
        return await flow().run() - start  # type: ignore[no-any-return]

    assert virtually(main) == pytest.approx(seconds)
    assert (flow.most, flow.order) == (min(workers, 40), list(range(40)))  # type: ignore[attr-defined]


def test_steps_that_do_not_wait_are_served_in_order_too(play: Play) -> None:
    flow = busy(4, waits=False)
    play(flow)
    assert (flow.most, flow.order) == (1, list(range(40)))  # type: ignore[attr-defined]


def test_a_run_that_never_waits_lets_others_live() -> None:
    class Spin(Workflow):
        @step
        async def spin(self, ev: StartEvent | Item) -> Item | StopEvent:
            spins.append(None)
            return StopEvent(result=bool(flag)) if flag or len(spins) > 500_000 else Item()

    flag: list[bool] = []
    spins: list[None] = []

    async def main() -> Any:
        handler = Spin().run()
        for _ in range(20):
            await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(0.01, flag.append, True)
        return await handler

    assert asyncio.run(main())


def test_runs_of_one_object_may_be_bounded(virtually: Virtually) -> None:
    class Count(Workflow):
        now = most = 0

        @step
        async def work(self, ev: StartEvent) -> StopEvent:
            type(self).now += 1
            type(self).most = max(self.now, self.most)
            await asyncio.sleep(1)
            type(self).now -= 1
            if ev.number == 3:
                raise ValueError
            return StopEvent(result=ev.number)

    async def main() -> list[Any]:
        workflow = Count(num_concurrent_runs=2)
        handlers = [workflow.run(number=number) for number in range(6)]
        await handlers[5].cancel_run()
        return await asyncio.gather(*handlers, return_exceptions=True)

    results = virtually(main)
    assert results[:3] + results[4:5] == [0, 1, 2, 4]
    assert isinstance(results[3], StepFailedError)
    assert Count.most == 2


# --- streams


class Talks(Workflow):
    @step
    async def start(self, ctx: Context, ev: StartEvent) -> Item:
        for value in range(3):
            ctx.write_event_to_stream(Item(value=value))
            await asyncio.sleep(1)
        ctx.write_event_to_stream(None)
        return Item(value=9)

    @step
    async def end(self, ev: Item) -> StopEvent:
        return StopEvent(result="done")


async def read(handler: Any, **options: Any) -> list[Any]:
    return [
        event.value if isinstance(event, Item) else type(event).__name__
        async for event in handler.stream_events(**options)
    ]


def test_several_readers_each_from_the_beginning(virtually: Virtually) -> None:
    async def main() -> list[Any]:
        handler = Talks().run()
        early = asyncio.ensure_future(read(handler))
        await asyncio.sleep(1.5)
        late = asyncio.ensure_future(read(handler))
        given_up = asyncio.ensure_future(read(handler))
        await asyncio.sleep(0)
        given_up.cancel()
        await handler
        return [await early, await late, await read(handler)]

    assert virtually(main) == [[0, 1, 2, "StopEvent"]] * 3


def test_what_happens_inside_is_shown_to_those_who_ask(watch: Watch) -> None:
    seen: list[Any] = []
    for event in watch(Talks):
        if isinstance(event, StepStateChanged):
            seen.append((event.name, event.step_state, event.output_event_name))
        elif isinstance(event, EventEmitted):
            seen.append((event.step_name, type(event.event).__name__))
        else:
            seen.append(type(event).__name__)
    assert seen == [
        (None, "StartEvent"),
        ("start", StepState.RUNNING, None),
        "Item",
        "Item",
        "Item",
        ("start", StepState.NOT_RUNNING, "Item"),
        ("start", "Item"),
        ("end", StepState.RUNNING, None),
        ("end", StepState.NOT_RUNNING, "StopEvent"),
        ("end", "StopEvent"),
        "StopEvent",
    ]


def test_a_step_run_that_waits_for_a_worker_is_shown(watch: Watch) -> None:
    states = [event for event in watch(busy(1, waits=False)) if isinstance(event, StepStateChanged)]
    assert sum(event.step_state is StepState.PREPARING for event in states) == 39


def test_an_observer_that_fails_does_the_run_no_harm(virtually: Virtually) -> None:
    complaints = []

    async def main() -> Any:
        asyncio.get_running_loop().set_exception_handler(lambda loop, what: complaints.append(what))
        handler = Talks().run()
        handler.observe(lambda event: 1 // 0)  # type: ignore[arg-type,return-value]
        return await handler

    assert virtually(main) == "done"
    assert complaints


def test_verbose_runs_tell_what_they_do(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    play(Talks(verbose=True))
    assert capsys.readouterr().out.splitlines() == [
        "Running step start on StartEvent",
        "Step start produced Item",
        "Running step end on Item",
        "Step end produced StopEvent",
    ]


# --- events from steps and from outside


class Named(Workflow):
    @step
    async def start(self, ctx: Context, ev: StartEvent) -> Item | Done | None:
        ctx.send_event(ev.sent, step=ev.to)
        return None

    @step
    async def left(self, ev: Item) -> StopEvent:
        return StopEvent(result="left")

    @step
    async def right(self, ev: Item | Done) -> StopEvent:
        return StopEvent(result="right")


@pytest.mark.parametrize(
    ("sent", "to", "result"),
    [
        (Item(), "left", "left"),
        (Item(), "right", "right"),
        (Done(), None, "right"),
        (StopEvent(result="at once"), None, "at once"),
        (Item(), "nobody", WorkflowStepDoesNotExistError),
        (Done(), "left", UndeclaredResultError),
        (HumanResponseEvent(), None, UndeclaredResultError),
        (3, None, UndeclaredResultError),
    ],
)
def test_events_may_be_sent_to_all_or_to_one(play: Play, sent: Any, to: str | None, result: Any) -> None:
    if isinstance(result, str):
        assert play(Named, sent=sent, to=to) == result
    else:
        with pytest.raises(StepFailedError) as caught:
            play(Named, sent=sent, to=to)
        assert isinstance(caught.value.__cause__, result)


class Human(Workflow):
    @step
    async def ask(self, ctx: Context, ev: StartEvent) -> StopEvent:
        if ev.style == "twice":
            first = await self.answer(ctx, 1)
            return StopEvent(result=(first.text, (await self.answer(ctx, 2)).text))
        answer = await ctx.wait_for_event(
            HumanResponseEvent, InputRequiredEvent(prefix="?"), requirements={"user": "ann"}, timeout=10
        )
        return StopEvent(result=answer.text)

    async def answer(self, ctx: Context, number: int) -> HumanResponseEvent:
        return await ctx.wait_for_event(
            HumanResponseEvent, InputRequiredEvent(prefix="?"), "the question", {"number": number}
        )


def test_a_body_may_wait_for_an_event(virtually: Virtually) -> None:
    async def main() -> Any:
        handler = Human().run(style="once")
        async for event in handler.stream_events():
            if isinstance(event, InputRequiredEvent):
                with pytest.raises(UndeclaredResultError, match="no step accepts HumanResponseEvent"):
                    await handler.send_event(HumanResponseEvent(user="bob", text="not he"))
                await handler.send_event(HumanResponseEvent(user="ann", text="yes"))
        return await handler

    assert virtually(main) == "yes"


def test_a_question_with_an_id_is_asked_once(virtually: Virtually) -> None:
    async def main() -> Any:
        handler = Human().run(style="twice")
        asked = 0
        await asyncio.sleep(1)
        await handler.send_event(HumanResponseEvent(number=1, text="a"))
        await asyncio.sleep(1)
        await handler.send_event(HumanResponseEvent(number=2, text="b"))
        async for event in handler.stream_events():
            asked += isinstance(event, InputRequiredEvent)
        return await handler, asked

    assert virtually(main) == (("a", "b"), 1)


def test_a_wait_may_be_in_vain(play: Play) -> None:
    with pytest.raises(StepFailedError, match="timeout"):
        play(Human, style="once")


def test_events_sent_before_the_run_has_begun_are_kept(virtually: Virtually) -> None:
    class Keep(Workflow):
        @step
        async def both(self, ctx: Context, ev: StartEvent | HumanResponseEvent) -> StopEvent | None:
            seen = ctx.collect_events(ev, [StartEvent, HumanResponseEvent])
            return None if seen is None else StopEvent(result=len(seen))

    async def main() -> Any:
        handler = Keep().run()
        await handler.send_event(HumanResponseEvent())
        return await handler

    assert virtually(main) == 2


def test_collected_events_come_in_the_order_that_was_asked_for(play: Play) -> None:
    class Collect(Workflow):
        @step
        async def start(self, ctx: Context, ev: StartEvent) -> Item | Done | None:
            for event in ev.sent:
                ctx.send_event(event)
            return None

        @step(num_workers=1)
        async def gather(self, ctx: Context, ev: Item | Done) -> StopEvent | None:
            assert ctx.collect_events(ev, []) == []
            seen = ctx.collect_events(ev, [Done, Item, Item], buffer_id=str(ev.value % 10))
            return (
                None if seen is None else StopEvent(result=[(type(one).__name__, one.value) for one in seen])
            )

    sent = [Item(value=1), Done(value=2), Item(value=11), Item(value=21), Item(value=2), Done(value=1)]
    assert play(Collect, sent=sent) == [("Done", 1), ("Item", 1), ("Item", 11)]


def test_what_is_expected_may_change(play: Play) -> None:
    class Collect(Workflow):
        @step
        async def start(self, ctx: Context, ev: StartEvent) -> Item | Done | None:
            for event in (Item(), Item(), Done(), Item(), Done()):
                ctx.send_event(event)
            return None

        @step(num_workers=1)
        async def gather(self, ctx: Context, ev: Item | Done) -> StopEvent | None:
            self.calls += 1
            expected = [Item, Item, Item, Done] if self.calls < 4 else [Item, Done, Done, Done]
            seen = ctx.collect_events(ev, expected if self.calls < 5 else [Item, Done, Done])
            return None if seen is None else StopEvent(result=[type(one).__name__ for one in seen])

        calls = 0

    assert play(Collect) == ["Item", "Done", "Done"]


# --- state


class Inner(BaseModel):
    names: list[str] = ["a"]


class State(BaseModel):
    count: int = 0
    inner: Inner = Inner()
    free: dict[str, Any] = {}


class Typed(Workflow):
    @step
    async def work(self, ctx: Context[State], ev: StartEvent) -> StopEvent:
        return StopEvent(result=await ev.act(ctx.store))


async def nested(store: Any) -> Any:
    await store.set("inner.names.0", "b")
    await store.set("free.deep.er", 1)
    return await store.get("inner.names"), await store.get("free"), await store.get("free.none", default=3)


async def edited(store: Any) -> Any:
    async with store.edit_state() as state:
        state.count += 1
        state.inner.names.append("c")
    with pytest.raises(ZeroDivisionError):
        await failed_edit(store)
    return await store.get("count"), await store.get("inner.names")


async def failed_edit(store: Any) -> None:
    async with store.edit_state() as state:
        state.count = 7
        state.inner.names.append("never")
        assert await store.get("count") == 1
        raise ZeroDivisionError


async def replaced(store: Any) -> Any:
    copy = await store.get_state()
    copy.count = 5
    assert await store.get("count") == 0
    await store.set_state(copy)
    assert await store.get("count") == 5
    with pytest.raises(ValueError, match="must be of type State"):
        await store.set_state(Inner())
    await store.clear()
    return await store.get("count")


async def missing(store: Any) -> Any:
    with pytest.raises(ValueError, match=r"nothing at `inner\.none`"):
        await store.get("inner.none")
    with pytest.raises(ValueError, match="empty"):
        await store.set("", 1)
    return "told"


@pytest.mark.parametrize(
    ("act", "result"),
    [
        (nested, (["b"], {"deep": {"er": 1}}, 3)),
        (edited, (1, ["a", "c"])),
        (replaced, 0),
        (missing, "told"),
    ],
)
def test_the_store(play: Play, act: Any, result: Any) -> None:
    assert play(Typed, act=act) == result


def test_edits_of_the_state_exclude_each_other(play: Play) -> None:
    class Count(Workflow):
        @step
        async def start(self, ev: StartEvent) -> list[Item]:
            return [Item() for _ in range(20)]

        @step(num_workers=20)
        async def work(self, ctx: Context[State], ev: Item) -> Done:
            async with ctx.store.edit_state() as state:
                count = state.count
                await asyncio.sleep(0.1)
                state.count = count + 1
            return Done()

        @step
        async def end(self, ctx: Context[State], events: list[Done]) -> StopEvent:
            return StopEvent(result=await ctx.store.get("count"))

    assert play(Count) == 20


def test_a_state_that_nobody_declares_takes_everything(play: Play) -> None:
    class Free(Workflow):
        @step
        async def work(self, ctx: Context, ev: StartEvent) -> StopEvent:
            await ctx.store.set("anything", 1)
            await ctx.store.set("deep.est", 2)
            return StopEvent(result=(await ctx.store.get("anything"), await ctx.store.get("deep")))

    assert play(Free) == (1, {"est": 2})


def test_a_context_goes_on_from_run_to_run(virtually: Virtually) -> None:
    class Count(Workflow):
        @step
        async def work(self, ctx: Context[State], ev: StartEvent) -> StopEvent:
            await ctx.store.set("count", await ctx.store.get("count") + 1)
            return StopEvent(result=await ctx.store.get("count"))

    async def main() -> Any:
        workflow = Count()
        context: Context[State] = Context(workflow)
        await context.store.set("count", 10)
        assert not context.is_running
        for what in (lambda: context.send_event(Item()), lambda: context.run_id):
            with pytest.raises(ContextStateError, match="has not started"):
                what()
        first = workflow.run(ctx=context)
        assert (first.ctx, context.is_running) == (context, True)
        with pytest.raises(ContextStateError, match="is not over"):
            workflow.run(ctx=context)
        with pytest.raises(ContextStateError, match="inside a step"):
            context.retry_info()
        return await first, await workflow.run(ctx=context), await context.store.get("count")

    assert virtually(main) == (11, 12, 12)


# --- classes


def test_what_is_wrong_with_a_class_is_told_before_it_runs(virtually: Virtually) -> None:
    class Wrong(Workflow):
        @step
        async def start(self, ev: StartEvent) -> Item | StopEvent:
            return Item()

        @step
        async def lost(self, ev: Done) -> StopEvent:
            return StopEvent()

    async def main() -> None:
        with pytest.raises(WorkflowValidationError) as caught:
            Wrong().run()
        assert "no step emits Done, which `lost` accepts" in str(caught.value)
        assert "no step accepts Item, which `start` emits" in str(caught.value)
        assert "nothing leads to `lost`" in str(caught.value)

    virtually(main)


def test_a_class_needs_a_start_and_an_end() -> None:
    class Nothing(Workflow):
        pass

    class NoEnd(Workflow):
        @step
        async def start(self, ev: StartEvent) -> None: ...

    class NoStart(Workflow):
        @step
        async def end(self, ev: HumanResponseEvent | StopEvent) -> StopEvent:
            return StopEvent()

    for workflow, said in (
        (Nothing, "has no steps"),
        (NoEnd, "no step emits a StopEvent"),
        (NoStart, "no step accepts a StartEvent"),
    ):
        with pytest.raises(WorkflowConfigurationError, match=said):
            workflow()


def test_no_step_takes_an_end() -> None:
    class Afterwards(Workflow):
        @step
        async def start(self, ev: StartEvent) -> StopEvent: ...

        @step
        async def after(self, ev: StopEvent) -> None: ...

    with pytest.raises(WorkflowValidationError, match="no step can accept one: `after`"):
        Afterwards().validate()


def signatures() -> list[tuple[Any, str]]:
    async def no_event(self: Any, ctx: Context) -> StopEvent: ...
    async def untyped(self: Any, ev: StartEvent, other) -> StopEvent: ...  # type: ignore[no-untyped-def]
    async def unknown(self: Any, ev: StartEvent, other: int) -> StopEvent: ...
    async def no_return(self: Any, ev: StartEvent):  # type: ignore[no-untyped-def]
        ...

    async def no_events_returned(self: Any, ev: StartEvent) -> int: ...
    async def many(self: Any, ev: StartEvent, *more: Item) -> StopEvent: ...
    async def lists(self: Any, ev: StartEvent, more: list[Item]) -> StopEvent: ...
    async def unions(self: Any, one: StartEvent | Item, more: Item) -> StopEvent: ...
    async def misspelt(self: Any, ev: Strat) -> StopEvent: ...  # type: ignore[name-defined]  # noqa: F821

    return [
        (no_event, "must take an event"),
        (untyped, "nothing is known to give to the parameter `other` of type"),
        (unknown, "nothing is known to give to the parameter `other` of type int"),
        (no_return, "must say what it returns"),
        (no_events_returned, "must return events or `None`"),
        (many, r"`\*more` cannot be given anything"),
        (lists, "must take an event, several events, or one list of events"),
        (unions, "each of its parameters takes one kind of event"),
        (misspelt, "annotations cannot be read: name 'Strat' is not defined"),
    ]


@pytest.mark.parametrize(("function", "said"), signatures())
def test_signatures_that_make_no_sense(function: Any, said: str) -> None:
    function.__qualname__ = f"Flow.{function.__name__}"
    flow = type("Flow", (Workflow,), {function.__name__: step(function)})
    with pytest.raises(WorkflowValidationError, match=said):
        flow()


@pytest.mark.parametrize("options", [{"num_workers": 0}, {"num_workers": True}, {"timeout": 0}])
def test_options_that_make_no_sense(options: Any) -> None:
    with pytest.raises(WorkflowValidationError):
        step(**options)


def test_a_free_function_needs_its_class() -> None:
    with pytest.raises(WorkflowValidationError, match=r"`only` is not a method: say `@step\(workflow=…\)`"):

        @step
        async def only(ev: StartEvent) -> StopEvent:
            return StopEvent()

    with pytest.raises(WorkflowValidationError, match="already has a step `start`"):
        Talks.add_step(Talks.__dict__["start"])


def test_two_steps_of_one_name() -> None:
    class Twice(Workflow):
        @step(name="same")
        async def first(self, ev: StartEvent) -> StopEvent: ...
        @step(name="same")
        async def second(self, ev: StartEvent) -> StopEvent: ...

    with pytest.raises(WorkflowValidationError, match="two steps of Twice have the same name"):
        Twice()


def test_parameters_with_defaults_are_left_alone(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def only(self, ev: StartEvent, other: int = 3, *, ctx: Context) -> StopEvent:
            return StopEvent(result=(other, ctx.step_name))

    assert play(Flow) == (3, "only")


def test_inputs_that_do_not_fit(virtually: Virtually) -> None:
    class Begin(StartEvent):
        number: int

    class Other(StartEvent):
        pass

    class Flow(Workflow):
        @step
        async def only(self, ev: Begin) -> StopEvent:
            return StopEvent(result=ev.number)

    async def main() -> Any:
        workflow = Flow(workflow_name="mine")
        assert (workflow.start_event_class, workflow.stop_event_class) == (Begin, StopEvent)
        assert (workflow.workflow_name, workflow.events) == ("mine", [Begin, StopEvent])
        with pytest.raises(WorkflowRuntimeError, match="Begin cannot be made of these inputs"):
            workflow.run(number="x")
        with pytest.raises(WorkflowRuntimeError, match="must be a StartEvent"):
            workflow.run(start_event=Item())  # type: ignore[arg-type]
        with pytest.raises(WorkflowRuntimeError, match="no step accepts Other"):
            workflow.run(start_event=Other())
        handler = workflow.run(start_event=Begin(number=3), run_id="r1")
        assert (handler.run_id, handler.get_stop_event()) == ("r1", None)
        assert "r1 running" in repr(handler)
        await handler
        assert "r1 over" in repr(handler)
        return handler.get_stop_event().result  # type: ignore[union-attr]

    assert virtually(main) == 3


def test_code_for_another_runtime_is_not_run() -> None:
    require_output_format(1, "a.yaml")
    with pytest.raises(
        ImportError, match=r"this code is the older one, so compile it again: wfc compile a\.yaml"
    ):
        require_output_format(0, "a.yaml")
    with pytest.raises(OutputFormatError, match="the installed wfc-workflows is the older one, so install"):
        require_output_format(2, "a.yaml")


def test_a_name_that_there_is_not() -> None:
    import wfc.runtime

    with pytest.raises(ImportError, match="has no `Stepp`: it is misspelt, or"):
        from wfc.runtime import Stepp  # type: ignore[attr-defined]  # noqa: F401
    assert not hasattr(wfc.runtime, "_nothing")
    assert wfc.runtime.filters
    assert ProgressText
