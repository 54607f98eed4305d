"""Their handlers, as their users write them, see our runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("llama_index_instrumentation")

from llama_index_instrumentation import get_dispatcher as their_dispatcher
from llama_index_instrumentation import root_dispatcher
from llama_index_instrumentation.base import BaseEvent
from llama_index_instrumentation.dispatcher import instrument_tags as their_tags
from llama_index_instrumentation.event_handlers import BaseEventHandler
from llama_index_instrumentation.span_handlers import SimpleSpanHandler

from wfc.runtime import Context, RetryPolicy, StartEvent, StepFailedError, StopEvent, Workflow, step
from wfc.runtime.llama_index import instrumentation as llama_index_instrumentation
from wfc.runtime.testing import run_virtually
from wfc.runtime.tracing import get_dispatcher, instrument_tags

model_dispatcher = their_dispatcher("somebody.elses.model")


class Model:
    @model_dispatcher.span
    async def complete(self, prompt: str) -> str:
        return prompt.upper()


class Begun(StartEvent):
    fails: int = 0


class Flow(Workflow):
    @step(retry_policy=RetryPolicy(max_attempts=2, delay=1.0))
    async def asks(self, ctx: Context, ev: Begun) -> StopEvent:
        if ctx.attempt <= ev.fails:
            raise ValueError("not yet")
        return StopEvent(result=await Model().complete("hello"))


class Events(BaseEventHandler):
    got: list[Any] = []  # noqa: RUF012 - pydantic copies it

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        self.got.append(event)


@pytest.fixture
def spans() -> Iterator[SimpleSpanHandler]:
    bridge = llama_index_instrumentation.install()
    before = root_dispatcher.span_handlers, root_dispatcher.event_handlers
    handler = SimpleSpanHandler()
    root_dispatcher.span_handlers = [*before[0], handler]
    yield handler
    root_dispatcher.span_handlers, root_dispatcher.event_handlers = before
    get_dispatcher().remove_handler(bridge)


@pytest.fixture
def events(spans: SimpleSpanHandler) -> Events:
    handler = Events(got=[])
    root_dispatcher.add_event_handler(handler)
    return handler


def named(id_: str | None) -> str:
    return "" if id_ is None else id_.partition("-")[0]


def test_runs_steps_and_what_models_record_are_one_tree(spans: SimpleSpanHandler, play: Any) -> None:
    assert play(Flow) == "HELLO"
    assert not spans.open_spans and not spans.dropped_spans
    assert {named(span.id_): named(span.parent_id) for span in spans.completed_spans} == {
        "Flow.run": "",
        "Flow.asks": "Flow.run",
        "Flow.asks 1": "Flow.asks",
        "Model.complete": "Flow.asks 1",
    }


def test_failures_drop_spans_and_say_so(spans: SimpleSpanHandler, events: Events, play: Any) -> None:
    with pytest.raises(StepFailedError):
        play(Flow, fails=2)
    assert [named(span.id_) for span in spans.dropped_spans] == [
        *["Flow.asks 1", "Flow.asks 2", "Flow.asks", "Flow.run"]
    ]
    dropped = [event for event in events.got if event.class_name() == "SpanDropEvent"]
    assert dropped[0].err_str == "not yet" and len(dropped) == 4


def test_a_cancelled_run_is_no_failure(spans: SimpleSpanHandler, events: Events) -> None:
    class Waiting(Workflow):
        @step
        async def waits(self, ctx: Context, ev: StartEvent) -> StopEvent:
            await ctx.wait_for_event(Begun, timeout=None)
            return StopEvent()

    async def main() -> None:
        import asyncio

        handler = Waiting().run()
        await asyncio.sleep(1)
        await handler.cancel_run()

    run_virtually(main)
    assert not spans.dropped_spans and not spans.open_spans
    assert len([one for one in events.got if one.class_name() == "SpanCancelledEvent"]) == 3


def test_tags_of_both_kinds_reach_their_handlers(spans: SimpleSpanHandler, events: Events, play: Any) -> None:
    async def main() -> None:
        with their_tags({"session": "s1"}), instrument_tags({"user": "ada"}):
            handler = Flow().run()
        await handler

    run_virtually(main)
    run_span = next(span for span in spans.completed_spans if named(span.id_) == "Flow.run")
    assert run_span.tags["session"] == "s1" and run_span.tags["user"] == "ada"
    assert run_span.tags["gen_ai.operation.name"] == "invoke_workflow"
    shown = [event for event in events.got if event.class_name() == "RunEvent"]
    assert [event.name for event in shown] == [
        *["EventEmitted", "StepStateChanged", "StepStateChanged", "EventEmitted", "StopEvent"]
    ]
    assert all(event.tags["user"] == "ada" for event in shown)
    assert named(shown[-1].span_id) == "Flow.run" and named(shown[1].span_id) == "Flow.asks"


def test_a_handler_of_theirs_that_fails_harms_no_run(spans: SimpleSpanHandler, play: Any) -> None:
    class Broken(SimpleSpanHandler):
        def span_enter(self, *_args: Any, **_more: Any) -> None:
            raise RuntimeError("broken")

    root_dispatcher.span_handlers = [*root_dispatcher.span_handlers, Broken()]
    assert play(Flow) == "HELLO"
