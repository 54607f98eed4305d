"""What newcomers get wrong in Python, and the sentence that says what to do instead."""

from __future__ import annotations

import gc
import inspect
import runpy
from pathlib import Path

import pytest

from wfc.runtime import Workflow
from wfc.runtime.errors import (
    ContextStateError,
    NoEventLoopError,
    StepFailedError,
    UndeclaredResultError,
    WorkflowConfigurationError,
    WorkflowRuntimeError,
    WorkflowValidationError,
)

BEFORE = """\
import asyncio

from wfc.runtime import Context, Event, StartEvent, StopEvent, Workflow, step


class Flow(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result=ev.get("topic"))


class Other(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> StopEvent:
        return StopEvent()


async def fetch() -> StopEvent:
    return StopEvent()


def class_of(name: str) -> type[Event]:
    return type(name, (Event,), {"__module__": __name__})


Item, ItemAgain = class_of("Item"), class_of("Item")
"""

MISTAKES: list[tuple[str, str, type[Exception], str]] = [
    (
        "an input by position",
        """
async def main():
    await Flow().run("jokes")
""",
        WorkflowRuntimeError,
        "`run` takes inputs by name, as in `run(topic=…)`; by position it takes a Context",
    ),
    (
        "an input by position where the start event names its inputs",
        """
class Asked(StartEvent):
    question: str

class Answering(Workflow):
    @step
    async def begin(self, ev: Asked) -> StopEvent:
        return StopEvent()

async def main():
    await Answering().run("why?")
""",
        WorkflowRuntimeError,
        "`run` takes inputs by name, as in `run(question=…)`; by position it takes a Context",
    ),
    (
        "a snapshot as the context",
        """
async def main():
    await Flow().run(ctx=Context(Flow()).to_dict())
""",
        WorkflowRuntimeError,
        "`ctx` takes a Context, and not its snapshot: `Context.from_dict(workflow, snapshot)` makes one of it",
    ),
    (
        "an `__init__` that does not call the base's",
        """
class Mine(Flow):
    def __init__(self):
        self.model = "large"

async def main():
    await Mine().run()
""",
        WorkflowConfigurationError,
        "`Mine.__init__` does not call `super().__init__()`, which every workflow needs",
    ),
    (
        "a run outside of a coroutine",
        """
asyncio.run(Flow().run())
""",
        NoEventLoopError,
        "`run` starts a run in the running event loop, and there is none: write `async def main(): return await "
        "Flow().run(…)`, and call `asyncio.run(main())`",
    ),
    (
        "a step named like a method",
        """
class Mine(Workflow):
    @step
    async def run(self, ev: StartEvent) -> StopEvent:
        return StopEvent()

Mine()
""",
        WorkflowValidationError,
        "Mine cannot be run: every workflow has `run` already, so a step needs another name",
    ),
    (
        "a text as the time-out",
        """
Flow(timeout="10")
""",
        WorkflowConfigurationError,
        "`timeout` must be a number of seconds, or None, not '10'",
    ),
    (
        "a text as a step's time-out",
        """
@step(workflow=Flow, timeout="10")
async def more(ev: Item) -> None: ...
""",
        WorkflowValidationError,
        "`timeout` must be a number of seconds greater than 0, or None, not '10'",
    ),
    (
        "a number as the retry policy",
        """
@step(workflow=Flow, retry_policy=3)
async def more(ev: Item) -> None: ...
""",
        WorkflowValidationError,
        "`retry_policy` must be a policy such as `RetryPolicy(max_attempts=3)`, or None, not 3",
    ),
    (
        "an event of another class of its name",
        """
class Mine(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> Item:
        return ItemAgain()

    @step
    async def end(self, ev: Item) -> StopEvent:
        return StopEvent()

async def main():
    await Mine().run()
""",
        UndeclaredResultError,
        "step `begin` emitted Item, but declares Item; there are 2 classes Item, since its module or notebook cell ran "
        "again: run the workflow's class again too",
    ),
    (
        "two classes of one name from two places",
        """
class Elsewhere:
    class Item(Event): ...

class Mine(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> Elsewhere.Item:
        return Elsewhere.Item()

    @step
    async def end(self, ev: Item) -> StopEvent:
        return StopEvent()

async def main():
    await Mine().run()
""",
        WorkflowValidationError,
        "Mine cannot be run: no step emits Item, which `end` accepts; no step accepts Item, which `begin` emits; "
        "there are 2 classes Item, mistake.Elsewhere.Item and mistake.Item: import one of them wherever it is used; "
        "nothing leads to `end`",
    ),
    (
        "a forgotten await before what a step returns",
        """
class Mine(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> StopEvent:
        return fetch()

async def main():
    await Mine().run()
""",
        UndeclaredResultError,
        "step `begin` returned a value of type coroutine, but declares StopEvent: `await` is missing before `fetch(…)`",
    ),
    (
        "a forgotten await before the run's result",
        """
class Mine(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result=fetch())

async def main():
    await Mine().run()
""",
        UndeclaredResultError,
        "step `begin` ends the run with a value of type coroutine: `await` is missing before `fetch(…)`",
    ),
    (
        "a run of another workflow that nobody awaits",
        """
class Mine(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result=Flow().run())

async def main():
    await Mine().run()
""",
        UndeclaredResultError,
        "step `begin` ends the run with a value of type WorkflowHandler: `await` is missing before it",
    ),
    (
        "a dict written to the stream",
        """
class Mine(Workflow):
    @step
    async def begin(self, ctx: Context, ev: StartEvent) -> StopEvent:
        ctx.write_event_to_stream({"progress": 1})
        return StopEvent()

async def main():
    await Mine().run()
""",
        StepFailedError,
        "only events can be shown, not dict: put it into one, as in `Event(progress=…)`",
    ),
    (
        "a dict sent as an event",
        """
class Mine(Workflow):
    @step
    async def begin(self, ctx: Context, ev: StartEvent) -> StopEvent:
        ctx.send_event({"progress": 1})
        return StopEvent()

async def main():
    await Mine().run()
""",
        StepFailedError,
        "only events can be sent, not dict: put it into one of a class that a step accepts",
    ),
    (
        "another workflow's context",
        """
async def main():
    await Flow().run(ctx=Context(Other()))
""",
        ContextStateError,
        "this context is of Other, and a run of Flow cannot go on with it: make one by `Context(workflow)`, and "
        "pass on what it needs of the other's state as inputs",
    ),
    (
        "the context of another workflow's run",
        """
async def main():
    handler = Other().run()
    await handler
    await Flow().run(ctx=handler.ctx)
""",
        ContextStateError,
        "this context is of Other, and a run of Flow cannot go on with it",
    ),
    (
        "the context of a run that is not over",
        """
async def main():
    handler = Flow().run()
    await Flow().run(ctx=handler.ctx)
""",
        ContextStateError,
        "this context's run is not over, so no other can go on with it: leave `ctx` out, or make one of its own by "
        "`Context(workflow)`",
    ),
]


def run_program(folder: Path, program: str) -> dict[str, object]:
    """Run a program as a module, which has `asyncio.run` its `main` if there is one; its names."""
    path = folder / "mistake.py"
    started = "asyncio.run(main())\n" if "def main" in program else ""
    path.write_text(BEFORE + program + started, encoding="utf-8")
    return runpy.run_path(str(path), run_name="mistake")


@pytest.mark.filterwarnings("error")  # such as that of a coroutine that was never awaited
@pytest.mark.parametrize(
    ("program", "kind", "message"), [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES]
)
def test_a_mistake_is_told_with_what_to_do(
    tmp_path: Path, program: str, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as caught:
        run_program(tmp_path, program)
    assert type(caught.value) is kind
    assert message in str(caught.value)
    gc.collect()


def test_help_shows_the_usual_time_out() -> None:
    assert str(inspect.signature(Workflow).parameters["timeout"]) == "timeout: 'float | None' = 45.0"


def test_workflows_and_contexts_say_what_they_are(tmp_path: Path) -> None:
    program = """
class Mine(Workflow):
    @step
    async def begin(self, ctx: Context, ev: StartEvent) -> Item:
        said.append(ctx)
        return Item()

    @step
    async def end(self, ev: Item) -> StopEvent:
        return StopEvent()

async def main():
    said.extend([Mine(), Context(Mine())])
    handler = Mine().run(run_id="r1")
    said.append(repr(handler.ctx))
    await handler
    said.append(handler.ctx)

said = []
"""
    said = run_program(tmp_path, program)["said"]
    assert isinstance(said, list)
    assert [str(one) for one in said] == [
        "<Mine with the steps begin, end>",
        "<Context of Mine, before its run>",
        "<Context of Mine, run r1, running>",
        "<Context of Mine, run r1, step `begin`>",
        "<Context of Mine, run r1, over>",
    ]
