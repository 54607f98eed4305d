"""Runs of other workflows as parts of a run: started by a pause or in a body, shown, asked and cancelled with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime import (
    Child,
    ChildEnd,
    ChildNote,
    Context,
    Engine,
    Event,
    HumanResponseEvent,
    InputRequiredEvent,
    Item,
    Items,
    ProgressText,
    Question,
    Record,
    Restart,
    RetryPolicy,
    RunExistsError,
    StartEvent,
    StepError,
    StepFailedError,
    StopEvent,
    UnknownQuestionError,
    Workflow,
    WorkflowCancelledByUser,
    WorkflowRuntimeError,
    WorkflowTimeoutError,
    WorkflowValidationError,
    pause,
    run_key,
    step,
)
from wfc.runtime.beside import module_beside
from wfc.runtime.events import EventEmitted, StepStateChanged
from wfc.runtime.instrumentation import Span, SpanHandler, get_dispatcher

Virtually = Callable[[Callable[[], Any]], Any]


class Topic(StartEvent, closed=True):
    topic: str
    seconds: float = 10
    way: str = "done"


class Done(StopEvent, closed=True):
    text: str


class GaveUp(StopEvent, closed=True):
    reason: str


class Yes(Record):
    yes: bool


LOG: list[str] = []


@pytest.fixture(autouse=True)
def _empty_log() -> None:
    LOG.clear()


class Research(Workflow, name="research", deadline=100):
    @step
    async def look(self, ctx: Context[Any], ev: Topic) -> Done | GaveUp:
        LOG.append(f"+{ctx.run_id}")
        ctx.write_event_to_stream(ProgressText(text=f"looking for {ev.topic}", step="look"))
        try:
            await asyncio.sleep(ev.seconds)
        except asyncio.CancelledError:
            LOG.append(f"x{ctx.run_id}")
            raise
        if ev.way == "fails":
            raise ValueError("no library")
        return Done(text=f"all about {ev.topic}") if ev.way == "done" else GaveUp(reason=ev.way)


# as the parent has them
ResearchDone = type("ResearchDone", (ChildEnd,), {"__annotations__": {"text": str}}, closed=True, name="Done")
ResearchGaveUp = type(
    "ResearchGaveUp", (ChildEnd,), {"__annotations__": {"reason": str}}, closed=True, name="GaveUp"
)
OtherDone = type("OtherDone", (ChildEnd,), {"__annotations__": {"text": int}}, closed=True, name="Done")

ENDS = (ResearchDone, ResearchGaveUp)


class Ask(StartEvent):
    inputs: Any = None
    workflow: Any = "research"
    ends: Any = ENDS
    detach: bool = False


class Asking(Workflow):
    """Runs a child as its inputs say; gives its end, or the name of the error."""

    @pause(within=50.0)
    def ask(self, event: Ask) -> Child[Any]:
        inputs = {"topic": "owls"} if event.inputs is None else event.inputs
        return Child(event.workflow, inputs, ends=event.ends, detach=event.detach)

    @ask.then
    def asked(self, event: Ask, result: Any) -> StopEvent:
        return StopEvent(result=result)

    @ask.on_expired
    def waited(self, event: Ask) -> StopEvent:
        return StopEvent(result="expired")

    @ask.on_error
    def failed(self, error: StepError) -> StopEvent:
        return StopEvent(result=(error.name, error.message))


def engine_with(*workflows: type[Workflow]) -> Engine:
    engine = Engine()
    for one in workflows or (Research,):
        engine.add(one)
    return engine


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


class Question1(InputRequiredEvent):
    text: str


class Answer1(HumanResponseEvent):
    text: str


def nested(depth: int) -> list[type[Workflow]]:
    """Workflows of which each runs the next; the last one asks in both ways, and reports."""

    class Last(Workflow, name="w0", deadline=None):
        @pause
        def sure(self, event: StartEvent) -> Question[Yes]:
            return Question(Yes, title="sure?")

        @sure.then
        def is_sure(self, event: StartEvent, result: Yes) -> Sure:
            return Sure(yes=result.yes)

        @step
        async def ask(self, ctx: Context[Any], ev: Sure) -> StopEvent:
            ctx.write_event_to_stream(ProgressText(text="asking", step="ask"))
            answer = await ctx.wait_for_event(Answer1, waiter_event=Question1(text="what?"), timeout=None)
            return StopEvent(result=[ev.yes, answer.text])

    found: list[type[Workflow]] = [Last]
    for level in range(1, depth + 1):

        class Above(Workflow, name=f"w{level}", deadline=None):
            below = f"w{level - 1}"

            @pause
            def call(self, event: StartEvent) -> Child[Any]:
                return Child(self.below)

            @call.then
            def called(self, result: StopEvent) -> StopEvent:
                return StopEvent(result=result.result)

        found.append(Above)
    return found


class Sure(Event):
    yes: bool


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_streams_and_questions_of_parts_surface_at_the_top(virtually: Virtually, depth: int) -> None:
    async def main() -> None:
        flows = nested(depth)
        handler = flows[-1](engine=engine_with(*flows)).run(run_id="p")
        below = "p" + "/call/1" * depth
        seen: list[tuple[str, str]] = []

        async def read() -> None:
            async for run_id, event in handler.stream_with_run_ids():
                seen.append((run_id.removeprefix(below) or "here", type(event).__name__))

        reading = asyncio.create_task(read())
        await asyncio.sleep(1)
        (question,) = handler.questions()
        assert (question.id, question.title) == (f"{below}/sure/1", "sure?")
        with pytest.raises(UnknownQuestionError):
            await handler.answer(f"{below}/sure/2", {"yes": True})
        await handler.answer(question.id, {"yes": True})
        await asyncio.sleep(1)
        assert handler.questions() == []
        await handler.answer(question.id, {"yes": False})  # once more is nothing
        await handler.send_event(Answer1(text="that"))
        assert await handler == [True, "that"]
        await handler.answer(question.id, {"yes": False})  # nor when its asker is over
        with pytest.raises(UnknownQuestionError):
            await handler.answer("q", {"yes": False})
        await reading
        assert seen == [
            ("here", "QuestionAsked"),
            ("here", "QuestionClosed"),
            ("here", "ProgressText"),
            ("here", "Question1"),
            ("here" if depth == 0 else "p", "StopEvent"),
        ]

    virtually(main)


@pytest.mark.parametrize("first", [True, False], ids=["from the start", "from the middle"])
def test_what_happens_inside_of_parts_is_noted_with_their_id(virtually: Virtually, first: bool) -> None:
    async def main() -> list[Event]:
        flows = nested(2)
        handler = flows[-1](engine=engine_with(*flows)).run(run_id="p")
        notes: list[Event] = []
        if not first:
            await asyncio.sleep(1)
        handler.observe(notes.append)
        await asyncio.sleep(1)
        await handler.answer(handler.questions()[0].id, {"yes": True})
        await asyncio.sleep(1)
        await handler.send_event(Answer1(text="x"))
        await handler
        return notes

    notes = virtually(main)
    own = {one.name for one in notes if isinstance(one, StepStateChanged)}
    assert own <= {"call"}
    inside = [one for one in notes if isinstance(one, ChildNote)]
    assert not any(isinstance(one.event, ChildNote) for one in inside)
    emitted = [(one.workflow, one.run_id) for one in inside if isinstance(one.event, EventEmitted)]
    begun = [("w1", "p/call/1"), ("w0", "p/call/1/call/1")]
    assert emitted == [*(begun if first else ()), *[("w0", "p/call/1/call/1")] * 3, ("w1", "p/call/1")]
    assert sum(isinstance(one, ProgressText) for one in notes) == 1


def test_an_answer_that_nobody_below_waits_for_is_an_error(virtually: Virtually) -> None:
    async def main() -> None:
        flows = nested(1)
        handler = flows[-1](engine=engine_with(*flows)).run()
        await asyncio.sleep(1)
        with pytest.raises(WorkflowRuntimeError, match="no step accepts Answer1"):
            await handler.send_event(Answer1(text="x"))
        await handler.cancel_run()

    virtually(main)


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


# --- given to a step


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
    dispatcher = get_dispatcher(__name__)
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
    module = module_beside(tmp_path, "ping_workflow")
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
