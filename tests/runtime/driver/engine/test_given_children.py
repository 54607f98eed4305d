"""Workflows given to steps as parameters, which start them by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from part_flows import LOG, Asking, engine_with

from wfc.runtime import (
    Context,
    Engine,
    ProgressText,
    Restart,
    RetryPolicy,
    RunExistsError,
    StartEvent,
    StepFailedError,
    StopEvent,
    Workflow,
    WorkflowCancelledByUser,
    WorkflowValidationError,
    step,
)
from wfc.runtime.errors import NoEventLoopError
from wfc.runtime.tracing import Span, SpanHandler, get_dispatcher

Virtually = Callable[[Callable[[], Any]], Any]


@pytest.fixture(autouse=True)
def _empty_log() -> None:
    LOG.clear()


class Chapter(StartEvent):
    title: str


class Draft(Workflow):
    def __init__(self, seconds: float = 1, **options: Any) -> None:
        super().__init__(**options)
        self.seconds = seconds

    @step
    async def write(self, ctx: Context[Any], ev: Chapter) -> StopEvent:
        LOG.append(f"+{ctx.run_id}")
        ctx.write_event_to_stream(ProgressText(text=ev.title, step="write"))
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            LOG.append(f"x{ctx.run_id}")
            raise
        if ev.title == "bad":
            raise ValueError("writer's block")
        return StopEvent(result=ev.title.upper())


class Book(Workflow):
    @step
    async def start(self, ev: StartEvent, draft: Draft) -> StopEvent:
        results = [await draft.run(title=title) for title in ev.get("titles", ["a", "b"])]
        assert isinstance(draft, Draft)
        return StopEvent(result=results)


def test_a_workflow_given_to_a_step_is_part_of_its_run(virtually: Virtually) -> None:
    async def main() -> None:
        engine = Engine()
        book = Book(engine=engine)
        book.add_workflows(draft=Draft(seconds=5))
        handler = book.run(run_id="p")
        events = [(run_id, event) async for run_id, event in handler.stream_with_run_ids()]
        assert await handler == ["A", "B"]
        assert [run_id for run_id, event in events if isinstance(event, ProgressText)] == [
            "p/start/1",
            "p/start/1.2",
        ]
        assert not engine._runs
        # by itself it is as it ever was
        assert await Draft(engine=engine).run(title="c") == "C"

    virtually(main)


def test_a_thread_without_a_loop_starts_no_part_and_uses_up_no_id() -> None:
    class Threaded(Workflow):
        @step
        async def start(self, ev: StartEvent, draft: Draft) -> StopEvent:
            with pytest.raises(NoEventLoopError):
                await asyncio.to_thread(draft.run, title="a")
            return StopEvent(result=draft.run(title="b").run_id)

    async def main() -> None:
        threaded = Threaded()
        threaded.add_workflows(draft=Draft())
        assert await threaded.run(run_id="p") == "p/start/1"

    asyncio.run(main())


def test_a_run_takes_those_that_its_steps_have_started_with_it(virtually: Virtually) -> None:
    async def main() -> None:
        book = Book(engine=Engine())
        book.add_workflows(draft=Draft(seconds=50, timeout=None))
        handler = book.run(run_id="p")
        await asyncio.sleep(1)
        await handler.cancel_run()
        with pytest.raises(WorkflowCancelledByUser):
            await handler
        await asyncio.sleep(1)

    virtually(main)
    assert LOG == ["+p/start/1", "xp/start/1"]


def test_what_a_child_raises_is_raised_where_it_is_awaited(virtually: Virtually) -> None:
    async def main() -> None:
        book = Book(engine=Engine())
        book.add_workflows(draft=Draft())
        with pytest.raises(StepFailedError, match="writer's block"):
            await book.run(titles=["bad"])

    virtually(main)


def test_an_attempt_that_fails_takes_its_children_with_it(virtually: Virtually) -> None:
    class Hasty(Workflow):
        @step(timeout=2, retry_policy=RetryPolicy(max_attempts=2, delay=1))
        async def start(self, ev: StartEvent, draft: Draft) -> StopEvent:
            return StopEvent(result=await draft.run(title="a"))

    async def main() -> None:
        hasty = Hasty(engine=Engine())
        hasty.add_workflows(draft=Draft(seconds=5))
        with pytest.raises(StepFailedError, match="longer than 2 s"):
            await hasty.run(run_id="p")

    virtually(main)
    assert LOG == ["+p/start/1", "xp/start/1", "+p/start/1.2", "xp/start/1.2"]


def test_where_a_step_s_workflow_comes_from(virtually: Virtually) -> None:
    usual = Draft()

    class Default(Workflow):
        @step
        async def start(
            self, ev: StartEvent, draft: Workflow = usual, more: Draft | None = None
        ) -> StopEvent:
            return StopEvent(result=(await draft.run(title="x"), more))

    async def main() -> None:
        engine = Engine()
        with pytest.raises(WorkflowValidationError, match=r"add_workflows\(draft=…\)"):
            Book(engine=engine).run()
        with pytest.raises(WorkflowValidationError, match="no step of Book has a parameter `other`"):
            Book(engine=engine).add_workflows(other=Draft())
        with pytest.raises(WorkflowValidationError, match="must be a Draft, not Book"):
            Book(engine=engine).add_workflows(draft=Book())
        assert await Default(engine=engine).run() == ("X", None)
        engine.add(Draft(engine=engine), "draft")
        assert await Book(engine=engine).run() == ["A", "B"]

    virtually(main)


def test_a_run_id_of_a_part_is_one_run_s_too(virtually: Virtually) -> None:
    class Same(Workflow):
        @step
        async def start(self, ev: StartEvent, draft: Draft) -> StopEvent:
            first = draft.run(title="a", run_id="same")
            with pytest.raises(RunExistsError):
                draft.run(title="b", run_id="same")
            return StopEvent(result=await first)

    async def main() -> Any:
        same = Same(engine=Engine())
        same.add_workflows(draft=Draft())
        return await same.run()

    assert virtually(main) == "A"


class Tree(SpanHandler):
    def __init__(self) -> None:
        self.entered: list[Span] = []

    def enter(self, span: Span) -> None:
        self.entered.append(span)

    def line(self, span: Span | None) -> list[str]:
        return (
            [] if span is None else [*self.line(span.parent), f"{span.kind} {span.name.rpartition('.')[2]}"]
        )


def test_a_child_s_span_is_below_the_step_that_started_it(virtually: Virtually) -> None:
    tree = Tree()
    dispatcher = get_dispatcher("root")
    dispatcher.add_span_handler(tree)

    async def main() -> None:
        await Asking(engine=engine_with()).run()
        book = Book(engine=Engine())
        book.add_workflows(draft=Draft())
        await book.run(titles=["a"])

    try:
        virtually(main)
    finally:
        dispatcher.remove_handler(tree)
    look = next(span for span in tree.entered if span.name == "look")
    assert tree.line(look)[:3] == ["run Asking", "step ask", "run research"]
    write = next(span for span in tree.entered if span.name == "write")
    assert tree.line(write)[:4] == ["run Book", "step start", "attempt start 1", "run Draft"]


def test_a_run_that_begins_anew_leaves_its_parts_behind(virtually: Virtually) -> None:
    class Round(StartEvent):
        number: int = 0

    class Rounds(Workflow):
        @step
        async def start(self, ev: Round, draft: Draft) -> StopEvent | Restart:
            draft.run(title="nobody awaits it")
            await asyncio.sleep(1)
            return StopEvent() if ev.number else Restart(Round(number=1))

    async def main() -> None:
        engine = Engine()
        rounds = Rounds(engine=engine)
        rounds.add_workflows(draft=Draft(seconds=50, timeout=None))
        await rounds.run(run_id="p")
        await asyncio.sleep(1)
        assert not engine._runs

    virtually(main)
    assert sorted(LOG) == ["+p/start/1", "+p/start/2", "xp/start/1", "xp/start/2"]
