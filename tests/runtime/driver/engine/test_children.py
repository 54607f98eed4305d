"""Runs of other workflows as parts of a run: started by a pause or in a body, shown, asked and cancelled with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from part_flows import (
    ENDS,
    LOG,
    Ask,
    Asking,
    Done,
    Research,
    ResearchDone,
    ResearchGaveUp,
    Topic,
    engine_with,
)

from wfc.runtime import (
    Child,
    ChildEnd,
    Engine,
    Event,
    Item,
    Items,
    ProgressText,
    RetryPolicy,
    StartEvent,
    StepError,
    StepFailedError,
    StopEvent,
    Workflow,
    WorkflowCancelledByUser,
    WorkflowTimeoutError,
    pause,
    run_key,
    step,
)
from wfc.runtime.calls.sibling_modules import sibling_module

Virtually = Callable[[Callable[[], Any]], Any]


@pytest.fixture(autouse=True)
def _empty_log() -> None:
    LOG.clear()


OtherDone = type("OtherDone", (ChildEnd,), {"__annotations__": {"text": int}}, closed=True, name="Done")


@pytest.mark.parametrize(
    ("how", "result"),
    [
        ({}, ResearchDone(text="all about owls")),
        ({"workflow": Research}, ResearchDone(text="all about owls")),
        ({"inputs": Topic(topic="owls")}, ResearchDone(text="all about owls")),
        ({"ends": ()}, Done(text="all about owls")),
        ({"ends": (Done,)}, Done(text="all about owls")),
        ({"inputs": {"topic": "owls", "way": "tired"}}, ResearchGaveUp(reason="tired")),
        ({"inputs": {"topic": "owls", "seconds": 60}}, "expired"),
    ],
)
def test_a_step_runs_another_workflow_and_has_its_end(
    virtually: Virtually, how: dict[str, Any], result: Any
) -> None:
    async def main() -> Any:
        engine = engine_with()
        handler = Asking(engine=engine, timeout=None).run(run_id="p", **how)
        got = await handler
        await asyncio.sleep(1)
        assert not engine._runs
        assert not handler._run.children
        return got

    assert virtually(main) == result
    assert LOG[0] == "+p/ask/1"
    assert (LOG[1:] == ["xp/ask/1"]) is (result == "expired")


@pytest.mark.parametrize(
    ("how", "name", "said"),
    [
        ({"workflow": "lost"}, "workflow.unknown", "no workflow `lost`"),
        ({"inputs": {}}, "workflow.inputs", "`topic`: field required"),
        ({"inputs": {"topic": 1}}, "workflow.inputs", "`topic`"),
        ({"inputs": {"topic": "owls", "more": 1}}, "workflow.inputs", "`more`"),
        ({"inputs": {"topic": object()}}, "workflow.inputs", "JSON"),
        ({"inputs": {"topic": "owls", "way": "fails"}}, "workflow.failed", "no library"),
        ({"ends": (ResearchGaveUp,)}, "workflow.failed", "ended with Done, which nobody"),
        ({"ends": (OtherDone,)}, "workflow.failed", "`text`"),
    ],
)
def test_why_another_workflow_gives_no_end(
    virtually: Virtually, how: dict[str, Any], name: str, said: str
) -> None:
    async def main() -> Any:
        return await Asking(engine=engine_with()).run(**how)

    error, message = virtually(main)
    assert error == name
    assert said in message


def test_a_child_that_is_cancelled_or_takes_too_long(virtually: Virtually) -> None:
    class Slow(Research, name="slow", deadline=5):
        pass

    async def main() -> None:
        engine = engine_with(Research, Slow)
        assert (await Asking(engine=engine).run(workflow="slow"))[0] == "workflow.timeout"
        handler = Asking(engine=engine).run(run_id="p")
        await asyncio.sleep(1)
        child = engine.run("p/ask/1")
        assert child is not None
        child.cancel("enough")
        assert (await handler) == ("workflow.cancelled", "the workflow `research` was cancelled: enough")

    virtually(main)


@pytest.mark.parametrize("how", ["cancelled", "timed out", "ended", "failed"])
@pytest.mark.parametrize("detach", [False, True])
def test_a_child_ends_with_the_run_that_it_is_part_of(virtually: Virtually, how: str, detach: bool) -> None:
    class Two(Asking):
        @step
        async def other(self, ev: Ask) -> StopEvent:
            await asyncio.sleep(2 if how in {"ended", "failed"} else 1000)
            if how == "failed":
                raise ValueError(how)
            return StopEvent(result=how)

        @step
        async def never(self, ev: Event) -> StopEvent:
            return StopEvent()

    if detach:

        class Two(Two):  # type: ignore[no-redef]
            @pause
            def ask(self, event: Ask) -> Child[Any]:
                return Child("research", {"topic": "owls"}, detach=True)

            @ask.then
            def asked(self, event: Ask, result: str) -> None:
                LOG.append(f"={result}")

    async def main() -> None:
        engine = engine_with()
        handler = Two(engine=engine, timeout=5, disable_validation=True).run(run_id="p")
        await asyncio.sleep(1)
        if how == "cancelled":
            await handler.cancel_run()
        if how == "ended":
            assert await handler == "ended"
        else:
            with pytest.raises((WorkflowCancelledByUser, WorkflowTimeoutError, StepFailedError)):
                await handler
        child = engine.run("p/ask/1")
        assert (child is not None) is detach
        if child is not None:
            assert await child.future == Done(text="all about owls")
            assert child.parent is not None
            assert (child.parent.run_id, child.parent.step, child.above) == ("p", "ask", None)
        await asyncio.sleep(1)
        assert not engine._runs

    virtually(main)
    assert sorted(LOG) == ["+p/ask/1", "=p/ask/1" if detach else "xp/ask/1"]


def test_a_step_that_is_tried_again_has_a_child_of_its_own(virtually: Virtually) -> None:
    class Again(Workflow):
        @pause(retry_policy=RetryPolicy(max_attempts=3, delay=1))
        def ask(self, event: StartEvent) -> Child[Any]:
            return Child("research", {"topic": "owls", "way": "fails"})

        @ask.then
        def asked(self, result: Event) -> StopEvent:
            return StopEvent()

    async def main() -> None:
        with pytest.raises(StepFailedError, match="no library"):
            await Again(engine=engine_with()).run(run_id="p")

    virtually(main)
    assert LOG == ["+p/ask/1", "+p/ask/1.2", "+p/ask/1.3"]


def test_a_workflow_that_starts_itself_without_end_fails(virtually: Virtually) -> None:
    class Again(Workflow, name="again", deadline=None):
        @pause
        def call(self, event: StartEvent) -> Child[Any]:
            return Child("again")

        @call.then
        def called(self, result: StopEvent) -> StopEvent:
            return StopEvent()

    async def main() -> None:
        engine = engine_with(Again)
        with pytest.raises(StepFailedError, match="this would never end"):
            await Again(engine=engine).run()
        assert not engine._runs

    virtually(main)


@pytest.mark.parametrize(
    ("way", "result"),
    [("queue", "run.exists"), ("reject", "run.exists"), ("replace", "run.exists"), ("parallel", "in")],
)
def test_a_child_under_the_key_of_its_parent_never_waits_for_it(
    virtually: Virtually, way: Any, result: str
) -> None:
    class Depth(StartEvent):
        left: int = 1

    class Keyed(Workflow, when_running=way):
        @run_key
        def key(self, inputs: Depth) -> str:
            return "same"

        @pause
        def call(self, event: Depth) -> Child[Any]:
            return Child(Keyed if event.left else Research, {"left": 0} if event.left else {"topic": "x"})

        @call.then
        def called(self, result: Event) -> StopEvent:
            return StopEvent(result="in")

        @call.on_error
        def failed(self, error: StepError) -> StopEvent:
            return StopEvent(result=error.name)

    async def main() -> Any:
        return await Keyed(engine=Engine()).run()

    assert virtually(main) == result


GENERATED = """\
from typing import Any
from wfc.runtime import Child, ChildEnd, StartEvent, StopEvent, Workflow, pause, step

class Asked(StartEvent, closed=True):
    left: int

class Told(StopEvent, closed=True):
    text: str

class BelowTold(ChildEnd, closed=True, name="Told"):
    text: str

class {class_name}(Workflow, name="{name}", deadline=None, source="{name}.yaml"):
    @pause
    def call(self, event: Asked) -> Child[Any]:
        return Child("{other}", {{"left": event.left - 1}}, ends=(BelowTold,))

    @call.then
    def called(self, event: Asked, result: BelowTold) -> Told:
        return Told(text="{name} " + result.text)

    @call.on_error
    def stopped(self, event: Asked) -> Told:
        return Told(text="end")
"""


def test_generated_workflows_call_each_other_across_modules(virtually: Virtually, tmp_path: Path) -> None:
    for name, other in [("ping", "pong"), ("pong", "ping")]:
        text = GENERATED.format(class_name=name.capitalize(), name=name, other=other)
        text = text.replace("left: int", "left: Annotated[int, Field(ge=0)]")
        text = "from typing import Annotated\nfrom pydantic import Field\n" + text
        (tmp_path / f"{name}_workflow.py").write_text(text)
    module = sibling_module(tmp_path, "ping_workflow")
    assert module is not None

    async def main() -> Any:
        return await module.Ping(engine=Engine()).run(left=3)

    assert virtually(main).text == "ping pong ping end"


def test_each_item_may_be_a_run_of_another_workflow(virtually: Virtually) -> None:
    class Many(Workflow):
        @pause
        def each(self, event: StartEvent) -> Items[str]:
            return Items(["owls", "cats", "bees"])

        @each.item(num_workers=2)
        def one(self, event: StartEvent, item: Item[str]) -> Child[Any]:
            return Child("research", {"topic": item}, ends=ENDS)

        @each.then
        def all_there(self, result: list[Any]) -> StopEvent:
            return StopEvent(result=[one.text for one in result])

    async def main() -> Any:
        engine = engine_with()
        handler = Many(engine=engine).run(run_id="p")
        events = [(run_id, event) async for run_id, event in handler.stream_with_run_ids()]
        assert len({run_id for run_id, event in events if isinstance(event, ProgressText)}) == 3
        assert not engine._runs
        return await handler, asyncio.get_running_loop().time()

    assert virtually(main) == (["all about owls", "all about cats", "all about bees"], 20)
