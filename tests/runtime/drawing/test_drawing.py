"""Pictures of workflows and of runs: nothing is lost, nothing in a text is more than text, nothing is loaded."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime import (
    Child,
    Context,
    Engine,
    Event,
    HumanResponseEvent,
    InputRequiredEvent,
    RetryPolicy,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowRuntimeError,
    drawing,
    pause,
    step,
)
from wfc.runtime.drawing.executions import _RECORDER, execution_graph
from wfc.runtime.drawing.workflows import nested_representation, opening_graph
from wfc.runtime.llama_index import drawing as their_drawing
from wfc.runtime.testing import run_virtually
from wfc.runtime.tracing import get_dispatcher

HOSTILE = '"><script>alert(1)</script>\\"]; x -->|"y"| z\n%%{init}%% #quot; &amp;'


class Part(Event):
    n: int = 0


class Done(Event):
    pass


class Asked(InputRequiredEvent):
    pass


class Told(HumanResponseEvent):
    pass


class Innermost(Workflow):
    @step
    async def deep(self, ev: StartEvent) -> StopEvent:
        return StopEvent()


class Inner(Workflow):
    @step
    async def calls(self, ev: StartEvent) -> StopEvent:
        async def later() -> Any:
            return await Innermost().run()

        return StopEvent(result=await later())


class Outer(Workflow):
    """Has <others> inside."""

    @step
    async def begin(self, ev: StartEvent) -> list[Part]:
        return [Part(n=1), Part(n=2)]

    @step(retry_policy=RetryPolicy(max_attempts=2, delay=1.0))
    async def work(self, ctx: Context, ev: Part) -> Done:
        if ev.n == 2 and ctx.attempt == 1:
            raise ValueError("not yet")
        await Inner().run()
        return Done()

    @step
    async def gather(self, evs: list[Done]) -> Asked:
        return Asked()

    @step
    async def end(self, ev: Told) -> StopEvent:
        return StopEvent(result=Outer.__name__)


# --- all that may happen


def test_children_are_drawn_inside_with_ways_in_and_out() -> None:
    graph = nested_representation(Outer)
    edges = {(edge.source, edge.target) for edge in graph.edges}
    inner = "work_Inner_"
    assert {
        # the child has a step of its own that is called `calls`
        *[("work", f"{inner}calls_"), (f"{inner}calls_", f"{inner}StartEvent")],
        *[(f"{inner}StopEvent", f"{inner}returns"), (f"{inner}returns", "work")],
        ("work_Inner_calls_Innermost_StartEvent", "work_Inner_calls_Innermost_deep"),
    } <= edges
    ids = [node.id for node in graph.nodes]
    assert len(set(ids)) == len(ids)
    assert all({edge.source, edge.target} <= set(ids) for edge in graph.edges)
    # a step that only mentions its own class starts no run inside itself
    assert not any("end_Outer" in id for id in ids)


class ByName(Workflow):
    @pause
    def child(self, ev: StartEvent) -> Child[Any]:
        """A text that is no name: ../innermost."""
        return Child("innermost", {"unknown": "elsewhere"})

    @child.then
    def after_child(self, ev: StartEvent, result: Any) -> StopEvent:
        return StopEvent()


def test_a_child_that_a_step_names_is_found_in_the_objects_engine() -> None:
    engine = Engine()
    engine.add(Innermost, name="innermost")
    graph = nested_representation(ByName(engine=engine))
    assert [node.id for node in graph.nodes if "Innermost" in node.id] == [
        f"child_Innermost_{one}" for one in ("calls", "returns", "deep", "StartEvent", "StopEvent")
    ]
    assert not any("Innermost" in node.id for node in nested_representation(ByName).nodes)


def test_how_deep_children_are_drawn_has_a_bound() -> None:
    shallow = nested_representation(Outer, deepest=2)
    assert any("Inner_" in node.id for node in shallow.nodes)
    assert not any("Innermost" in node.id for node in shallow.nodes)
    assert not any("Inner" in node.id for node in nested_representation(Outer, deepest=1).nodes)


def test_each_child_is_there_once_for_a_viewer_that_opens_it() -> None:
    engine = Engine()
    engine.add(Innermost, name="innermost")
    found = opening_graph(ByName(engine=engine))
    assert [(box.title, box.opens) for box in found.boxes if box.opens] == [("child", ("Innermost",))]
    assert [(name, each.title) for name, each in found.inside.items()] == [("Innermost", "Innermost")]
    found = opening_graph(Outer())
    opens = {
        (each.title, box.title): box.opens
        for each in (found, *found.inside.values())
        for box in each.boxes
        if box.opens
    }
    assert opens == {("Outer", "work"): ("Inner",), ("Inner", "calls"): ("Innermost",)}
    assert [*found.inside] == ["Inner", "Innermost"]
    # who may not see a workflow sees nothing of it, and nothing of what it runs
    found = opening_graph(Outer(), lambda name: name != "Inner")
    assert not found.inside and not any(box.opens for box in found.boxes)


def test_files_are_written_and_texts_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    their_drawing.draw_all_possible_flows(Outer)
    mermaid = their_drawing.draw_all_possible_flows_mermaid(Outer(), include_child_workflows=False)
    dot = their_drawing.draw_all_possible_flows_dot(Outer, filename="", max_label_length=4)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "workflow_all_flows.html",
        "workflow_all_flows.mermaid",
    ]
    assert (tmp_path / "workflow_all_flows.mermaid").read_text() == mermaid
    assert 'n0["begin"]' in mermaid and "Inner" not in mermaid
    assert 'label="beg*"' in dot
    page = (tmp_path / "workflow_all_flows.html").read_text()
    assert "Has &lt;others&gt; inside." in page and "returns: Inner" in page


def test_signatures_are_those_of_the_other_package() -> None:
    def parameters(function: Any) -> list[tuple[str, Any]]:
        return [(one.name, one.default) for one in inspect.signature(function).parameters.values()]

    empty = inspect.Parameter.empty
    more = [("max_label_length", None), ("include_child_workflows", True)]
    assert parameters(their_drawing.draw_all_possible_flows) == [
        *[("workflow", empty), ("filename", "workflow_all_flows.html"), ("notebook", False)],
        *more,
    ]
    assert parameters(their_drawing.draw_most_recent_execution) == [
        *[("handler", empty), ("filename", "workflow_recent_execution.html"), ("notebook", False), more[0]]
    ]
    assert parameters(their_drawing.draw_all_possible_flows_mermaid) == [
        *[("workflow", empty), ("filename", "workflow_all_flows.mermaid")],
        *more,
    ]


# --- what has happened


@pytest.fixture
def recorded() -> Iterator[None]:
    before = get_dispatcher().span_handlers, get_dispatcher().event_handlers
    _RECORDER.executions.clear()  # of what others have left under way
    drawing.record_executions()
    drawing.record_executions()  # nothing new
    assert len(get_dispatcher().span_handlers) == len(before[0]) + 1
    yield
    for handler in {*get_dispatcher().span_handlers} - {*before[0]}:
        get_dispatcher().remove_handler(handler)


def played(workflow: Workflow) -> Any:
    async def main() -> Any:
        handler = workflow.run()
        async for event in handler.stream_events():
            if isinstance(event, Asked):
                await handler.send_event(Told())
        try:
            await handler
        except WorkflowRuntimeError:
            return handler
        return handler

    return run_virtually(main)


@pytest.mark.usefixtures("recorded")
def test_what_ran_on_what_how_often_and_in_which_order() -> None:
    found = drawing.execution_of(played(Outer()))
    assert [(seen.name, seen.attempts, seen.outcome) for seen in found.steps] == [
        *[("begin", 1, "done"), ("work", 1, "done"), ("work", 2, "done")],
        *[("gather", 1, "done"), ("end", 1, "done")],
    ]
    numbers = {seen.number: seen.name for seen in found.steps}
    assert [(event.name, numbers.get(event.by or 0)) for event in found.events] == [
        ("StartEvent", None),
        *[("Part", "begin"), ("Part", "begin"), ("Done", "work"), ("Done", "work"), ("Asked", "gather")],
        *[("Told", None), ("StopEvent", "end")],
    ]
    taken = {seen.name: [found.events[at].name for at in seen.events] for seen in found.steps}
    assert taken == {
        "begin": ["StartEvent"],
        "work": ["Part"],
        "gather": ["Done", "Done"],
        "end": ["Told"],
    }
    assert found.outcome == "done" and found.ended is not None
    assert all(0 <= seen.began <= (seen.ended or 0) <= found.ended for seen in found.steps)


@pytest.mark.usefixtures("recorded")
def test_sent_events_belong_to_the_step_run_that_sent_them() -> None:
    class Sender(Workflow):
        @step
        async def begin(self, ev: StartEvent) -> list[Part]:
            return [Part(n=0), Part(n=1)]

        @step
        async def send(self, ctx: Context, ev: Part) -> None:
            await asyncio.sleep(2 - ev.n)
            ctx.send_event(Done())

        @step
        def gather(self, ctx: Context, ev: Done) -> StopEvent | None:
            return StopEvent() if ctx.collect_events(ev, [Done, Done]) else None

    found = drawing.execution_of(played(Sender(disable_validation=True)))
    senders = [event.by for event in found.events if event.name == "Done"]
    first, second = (seen.number for seen in found.steps if seen.name == "send")
    assert senders == [second, first]


@pytest.mark.usefixtures("recorded")
def test_a_run_that_fails_is_drawn_with_its_error(tmp_path: Path) -> None:
    class Fails(Workflow):
        @step
        async def begin(self, ev: StartEvent) -> StopEvent:
            raise KeyError("secret-ish detail")

    handler = played(Fails())
    page = tmp_path / "run.html"
    their_drawing.draw_most_recent_execution(handler, str(page))
    assert "failed: python.KeyError" in page.read_text()
    assert "secret-ish detail" not in page.read_text()
    mermaid = their_drawing.draw_most_recent_execution_mermaid(handler, "")
    assert ">" in mermaid and "begin#35;1" in mermaid
    assert "begin#1" in their_drawing.draw_most_recent_execution_dot(handler, "", max_label_length=20)


def test_a_run_that_nobody_recorded_says_what_to_do() -> None:
    with pytest.raises(WorkflowRuntimeError, match=r"record_executions\(\)` before it starts"):
        their_drawing.draw_most_recent_execution(played(Innermost()), "")


@pytest.mark.usefixtures("recorded")
def test_what_is_kept_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wfc.runtime.drawing.executions.MOST_STEPS", 3)
    monkeypatch.setattr("wfc.runtime.drawing.executions.MOST_RUNS", 3)  # one run, with two in it
    handlers = [played(Outer()) for _ in range(3)]
    found = drawing.execution_of(handlers[-1])
    assert (len(found.steps), len(found.events)) == (3, 3) and found.left_out > 0
    assert "are not shown" in execution_graph(found).description
    with pytest.raises(WorkflowRuntimeError):
        drawing.execution_of(handlers[0])
