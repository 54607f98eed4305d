"""What a class of steps must be, and what it is told if it is not."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from wfc.runtime import (
    Context,
    Event,
    HumanResponseEvent,
    ProgressText,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowConfigurationError,
    WorkflowRuntimeError,
    WorkflowValidationError,
    require_output_format,
    step,
)
from wfc.runtime.authoring import definition
from wfc.runtime.authoring.class_reader import read_plan
from wfc.runtime.authoring.output_format import OUTPUT_FORMAT
from wfc.runtime.errors import OutputFormatError

Play = Callable[..., Any]


Virtually = Callable[[Callable[[], Any]], Any]


class Item(Event):
    value: int = 0


class Done(Event):
    value: int = 0


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


def test_a_class_has_one_plan_though_threads_ask_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run goes on with a context only by the plan that it was made with."""

    class Asked(Workflow):
        @step
        async def only(self, ev: StartEvent) -> StopEvent:
            return StopEvent()

    def slowly(*args: Any, **options: Any) -> Any:
        time.sleep(0.02)
        return read_plan(*args, **options)

    monkeypatch.setattr(definition, "read_plan", slowly)
    together = threading.Barrier(4)

    def ask(_: int) -> Any:
        together.wait()
        return Asked()._wfc.plan

    with ThreadPoolExecutor(4) as threads:
        plans = list(threads.map(ask, range(4)))
    assert all(plan is Asked()._wfc.plan for plan in plans)


def test_code_for_another_runtime_is_not_run() -> None:
    require_output_format(OUTPUT_FORMAT, "a.yaml")
    require_output_format(OUTPUT_FORMAT - 1, "a.yaml")  # what is committed outlives one change of the format
    with pytest.raises(
        ImportError, match=r"this code is the older one, so compile it again: wfc compile a\.yaml"
    ):
        require_output_format(OUTPUT_FORMAT - 2, "a.yaml")
    with pytest.raises(OutputFormatError, match="the installed wfc-workflows is the older one, so install"):
        require_output_format(OUTPUT_FORMAT + 1, "a.yaml")


def test_a_name_that_there_is_not() -> None:
    import wfc.runtime

    with pytest.raises(ImportError, match="has no `Stepp`: it is misspelt, or"):
        from wfc.runtime import Stepp  # type: ignore[attr-defined]  # noqa: F401
    assert not hasattr(wfc.runtime, "_nothing")
    assert wfc.runtime.filters
    assert ProgressText
