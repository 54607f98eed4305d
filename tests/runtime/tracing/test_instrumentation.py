"""Who is told of what runs do, and that it costs nothing where nobody is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from wfc.runtime import (
    Child,
    Context,
    Delay,
    Event,
    EventEmitted,
    Restart,
    RetryPolicy,
    StartEvent,
    StepFailedError,
    StepStateChanged,
    StopEvent,
    Workflow,
    WorkflowCancelledByUser,
    pause,
    step,
)
from wfc.runtime.testing import run_virtually
from wfc.runtime.tracing import (
    Dispatched,
    Dispatcher,
    EventHandler,
    Span,
    SpanHandler,
    active_instrument_tags,
    active_span,
    get_dispatcher,
    instrument_tags,
    span_inside,
)

HERE = __name__


class Spans(SpanHandler):
    """Keeps what it is told, in the order of the ends."""

    def __init__(self) -> None:
        self.entered: list[Span] = []
        self.ended: list[Span] = []

    def enter(self, span: Span) -> None:
        self.entered.append(span)

    def exit(self, span: Span) -> None:
        self.ended.append(span)

    def tree(self, below: Span | None = None) -> dict[str, Any]:
        """What is inside what, in the order of the beginnings."""
        return {
            f"{span.kind} {span.name.rpartition('.')[2]}": self.tree(span)
            for span in self.entered
            if span.parent is below
        }

    def one(self, kind: str, name: str) -> Span:
        (found,) = (span for span in self.entered if span.kind == kind and span.name.endswith(name))
        return found


class Seen(EventHandler):
    def __init__(self) -> None:
        self.got: list[Dispatched] = []

    def handle(self, dispatched: Dispatched) -> None:
        self.got.append(dispatched)

    @property
    def names(self) -> list[str]:
        return [type(one.event).__name__ for one in self.got]


@pytest.fixture(autouse=True)
def nobody_left() -> Iterator[None]:
    """Handlers are the whole process's: takes them away again."""
    yield
    for name in ("root", HERE, f"{HERE}.Flow", f"{HERE}.Other", "elsewhere"):
        dispatcher = get_dispatcher(name)
        for handler in (*dispatcher.event_handlers, *dispatcher.span_handlers):
            dispatcher.remove_handler(handler)
        dispatcher.propagate = name != "root"


@pytest.fixture
def spans() -> Spans:
    handler = Spans()
    get_dispatcher().add_span_handler(handler)
    return handler


class Begun(StartEvent):
    fails: int = 0
    waits: float = 0.0


class Middle(Event):
    pass


class Flow(Workflow):
    tries = 0

    @step(retry_policy=RetryPolicy(max_attempts=2, delay=1.0))
    async def first(self, ctx: Context, ev: Begun) -> Middle:
        await asyncio.sleep(ev.waits)
        if ctx.attempt <= ev.fails:
            raise ValueError("not yet")
        with span_inside("tool", "lookup"):
            return Middle()

    @step
    def second(self, ev: Middle) -> StopEvent:
        span = active_span()
        return StopEvent(result=None if span is None else f"{span.kind} {span.name}")


class Other(Workflow):
    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        inner = await Flow().run()
        return StopEvent(result=inner)


def test_runs_steps_attempts_and_calls_are_spans_inside_each_other(spans: Spans, play: Any) -> None:
    # a plain function, in its thread, knows its span too
    assert play(Flow) == "attempt second 1"
    assert spans.tree() == {
        "run Flow": {
            "step first": {"attempt first 1": {"tool lookup": {}}},
            "step second": {"attempt second 1": {}},
        }
    }
    run = spans.one("run", "Flow")
    assert spans.ended[-1] is run and len(spans.ended) == len(spans.entered)
    assert all(span.ended is not None and span.ended >= span.started for span in spans.ended)
    first = spans.one("step", "first")
    assert first.attributes == {
        "wfc.step.name": "first",
        "wfc.step.run": 1,
        "wfc.step.event": "Begun",
        "wfc.run.id": run.attributes["wfc.run.id"],
        "wfc.step.attempts": 1,
        "wfc.step.emitted": ["Middle"],
    }
    assert isinstance(first.owner, Flow)


def test_each_attempt_is_a_span_and_the_step_one_around_them(spans: Spans, play: Any) -> None:
    play(Flow, fails=1)
    step_span = spans.one("step", "first")
    assert list(spans.tree(step_span)) == ["attempt first 1", "attempt first 2"]
    failed = spans.one("attempt", "first 1")
    assert isinstance(failed.error, ValueError) and not failed.is_cancelled
    assert step_span.error is None and step_span.attributes["wfc.step.attempts"] == 2


def test_a_failure_is_on_all_the_spans_that_it_ends(spans: Spans, play: Any) -> None:
    with pytest.raises(StepFailedError):
        play(Flow, fails=5)
    assert [str(span.error) for span in spans.ended] == ["not yet"] * 2 + ["ValueError: not yet"] * 2
    assert [span.kind for span in spans.ended] == ["attempt", "attempt", "step", "run"]


def test_a_run_that_is_cancelled_ends_all_its_spans(spans: Spans) -> None:
    async def main() -> None:
        handler = Flow().run(waits=3600.0)
        await asyncio.sleep(1)
        await handler.cancel_run()
        with pytest.raises(WorkflowCancelledByUser):
            await handler

    run_virtually(main)
    assert {span.kind for span in spans.ended} == {"run", "step", "attempt"}
    assert all(span.is_cancelled and span.error is None for span in spans.ended)


def test_a_run_started_in_a_step_is_below_that_step(spans: Spans, play: Any) -> None:
    play(Other)
    inner = spans.tree()["run Other"]["step only"]["attempt only 1"]
    assert list(inner) == ["run Flow"]


class Paused(Workflow):
    @pause
    def wait(self, event: Begun) -> Delay:
        return Delay(30.0)

    @wait.then
    def after_wait(self, event: Begun, result: None) -> StopEvent:
        return StopEvent()


def test_a_pause_is_part_of_its_steps_span(spans: Spans, play: Any) -> None:
    play(Paused)
    assert spans.tree() == {"run Paused": {"step wait": {"attempt wait 1": {}}}}
    wait = spans.one("step", "wait")
    assert wait.attributes["wfc.step.emitted"] == ["StopEvent"] and not wait.is_cancelled
    assert [span.kind for span in spans.ended] == ["attempt", "step", "run"]


class Parent(Workflow):
    """Waits for one run while another one, of which it waits for nothing, is under way."""

    @pause
    def child(self, event: Begun) -> Child[Any]:
        return Child(Flow, {"waits": 1.0})

    @child.then
    def after_child(self, event: Begun, result: Any) -> StopEvent:
        return StopEvent(result=result)


def test_a_run_that_a_pause_waits_for_is_below_that_step(spans: Spans, play: Any) -> None:
    seen = Seen()
    get_dispatcher().add_event_handler(seen)
    play(Parent)
    inner = spans.tree()["run Parent"]["step child"]
    assert list(inner) == ["attempt child 1", "run Flow"]
    assert list(inner["run Flow"]) == ["step first", "step second"]
    # what is shown above too is told of once
    stops = [one for one in seen.got if isinstance(one.event, StopEvent)]
    assert [one.span.name.rpartition(".")[2] for one in stops if one.span] == ["Flow", "Parent"]
    assert seen.names.count("EventEmitted") == 5
    emitted = [one.event for one in seen.got if isinstance(one.event, EventEmitted)]
    assert len({id(event) for event in emitted}) == 5


def test_what_is_cancelled_in_a_run_ends_there_and_then(spans: Spans) -> None:
    async def main() -> None:
        handler = Both().run()
        await asyncio.sleep(1)
        assert handler.cancel_step("slow") == 1
        await asyncio.sleep(0)
        assert spans.one("step", "slow").is_cancelled and spans.one("attempt", "slow 1").is_cancelled
        assert spans.one("run", "Both").ended is None
        await handler

    run_virtually(main)
    assert not spans.one("run", "Both").is_cancelled


class Both(Workflow):
    @step
    async def slow(self, ev: Begun) -> StopEvent:
        await asyncio.sleep(100)
        return StopEvent()

    @step
    async def quick(self, ev: Begun) -> StopEvent:
        await asyncio.sleep(10)
        return StopEvent()


class Anew(Workflow):
    @step
    async def begin(self, ev: Begun) -> Middle | Restart:
        await asyncio.sleep(1)
        return Restart(Begun(fails=ev.fails - 1)) if ev.fails else Middle()

    @step
    async def slow(self, ev: Begun) -> None:
        await asyncio.sleep(100 if ev.fails else 0)

    @step
    async def end(self, ev: Middle) -> StopEvent:
        return StopEvent()


def test_a_run_that_begins_anew_keeps_its_span_and_no_others(spans: Spans, play: Any) -> None:
    play(Anew, fails=3)
    (run,) = (span for span in spans.entered if span.kind == "run")
    assert len(spans.ended) == len(spans.entered) and spans.ended[-1] is run
    slow = [span for span in spans.entered if (span.kind, span.name) == ("step", "slow")]
    assert [span.is_cancelled for span in slow] == [True, True, True, False]


def test_a_parent_travels_as_plain_data(spans: Spans) -> None:
    async def main() -> None:
        from wfc.runtime.driver.run import Run

        first = Flow().run()
        await first
        carried = first._run.trace_context
        assert carried == {"wfc-span": spans.one("run", "Flow").id}
        run = Run(Flow(), Begun(), "again", trace_parent=carried)
        run.begin()
        await run.future

    run_virtually(main)
    one, other = (span for span in spans.entered if span.kind == "run")
    assert other.parent is None and other.parent_id == one.id


def test_tags_are_on_everything_that_happens_under_them(spans: Spans, play: Any) -> None:
    seen = Seen()
    get_dispatcher().add_event_handler(seen)

    async def main() -> None:
        with instrument_tags({"user": "ada"}):
            handler = Flow().run()
        assert active_instrument_tags() == {}
        await handler

    run_virtually(main)
    assert {span.tags["user"] for span in spans.entered} == {"ada"}
    assert {dispatched.tags["user"] for dispatched in seen.got} == {"ada"}


def test_event_handlers_see_what_the_run_shows_and_what_happens_inside(play: Any) -> None:
    seen = Seen()
    get_dispatcher().add_event_handler(seen)
    play(Flow)
    assert seen.names == [
        *["EventEmitted", "StepStateChanged", "StepStateChanged", "EventEmitted"],
        *["StepStateChanged", "StepStateChanged", "EventEmitted", "StopEvent"],
    ]
    changed = [one for one in seen.got if isinstance(one.event, StepStateChanged)]
    assert [one.span.name for one in changed[:2] if one.span] == ["first", "first"]
    assert seen.got[-1].span is not None and seen.got[-1].span.kind == "run"


@pytest.mark.parametrize(
    ("name", "propagates", "told"),
    [
        ("root", True, True),
        (HERE, True, True),
        (HERE.rpartition(".")[0] or "root", True, True),
        (f"{HERE}.Flow", True, True),
        (f"{HERE}.Other", True, False),
        ("elsewhere", True, False),
        (f"{HERE}.Flow", False, True),
        ("root", False, False),
    ],
)
def test_handlers_are_told_from_the_class_up_to_the_root(
    name: str, propagates: bool, told: bool, play: Any
) -> None:
    spans = Spans()
    get_dispatcher(name).add_span_handler(spans)
    get_dispatcher(f"{HERE}.Flow").propagate = propagates
    try:
        play(Flow)
    finally:
        get_dispatcher(name).remove_handler(spans)
    assert bool(spans.entered) == told


def test_dispatchers_know_their_parents() -> None:
    assert get_dispatcher() is get_dispatcher("root") and get_dispatcher().parent is None
    assert get_dispatcher(HERE) is get_dispatcher(HERE)
    assert get_dispatcher(f"{HERE}.Flow").parent is get_dispatcher(HERE)


def test_spans_and_events_of_ones_own(spans: Spans) -> None:
    seen = Seen()
    dispatcher: Dispatcher = get_dispatcher(HERE)
    dispatcher.add_event_handler(seen)

    @dispatcher.span
    def doubled(x: int) -> int:
        with dispatcher.open_span("inside", size=3):
            dispatcher.event(Middle())
        return 2 * x

    @dispatcher.span
    async def awaited() -> int:
        return doubled(4)

    assert asyncio.run(awaited()) == 8
    (tree,) = spans.tree().values()
    assert [list(tree), list(tree.values())] == [
        ["own doubled"],
        [{"own inside": {}}],
    ]
    assert spans.one("own", "doubled").result == 8
    inside = spans.one("own", "inside")
    assert inside.attributes == {"size": 3}
    assert [one.span for one in seen.got] == [inside]


def test_a_handler_that_fails_harms_nobody(play: Any, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Spans, EventHandler):
        def enter(self, span: Span) -> None:
            raise RuntimeError("broken")

        exit = activate = carry = handle = enter  # type: ignore[assignment]

        def deactivate(self, span: Span, token: Any) -> None:
            raise RuntimeError("broken")

    broken, good = Broken(), Spans()
    for handler in (broken, good):
        get_dispatcher().add_span_handler(handler)
    get_dispatcher().add_event_handler(broken)
    with caplog.at_level(logging.WARNING, "wfc.runtime"):
        assert play(Flow) == "attempt second 1"
    assert {record.message for record in caplog.records} == {
        "a span handler failed",
        "an event handler failed",
    }
    assert len(good.ended) == 6


def test_where_nobody_is_told_there_are_no_spans(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: Any, **_more: Any) -> None:
        raise AssertionError("a span was made")

    get_dispatcher("elsewhere").add_span_handler(Spans())  # of other workflows
    monkeypatch.setattr(Span, "__init__", refuse)
    assert play(Flow) is None


def test_a_handler_that_is_taken_away_still_learns_the_end(spans: Spans) -> None:
    async def main() -> None:
        handler = Flow().run(waits=1.0)
        await asyncio.sleep(0.5)
        get_dispatcher().remove_handler(spans)
        await handler
        await Flow().run()

    run_virtually(main)
    assert len([span for span in spans.ended if span.kind == "run"]) == 1
    assert len(spans.ended) == len(spans.entered)
