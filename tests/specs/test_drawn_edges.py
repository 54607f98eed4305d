"""Each way that a run takes is an arrow of the drawing, and each arrow is a way that its spec says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from wfc.compiler.cli import main
from wfc.compiler.draw import flow_graph
from wfc.compiler.passes import check_text
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.sources import load
from wfc.runtime.drawing import executions
from wfc.runtime.drawing.executions import RecordedExecution
from wfc.runtime.tracing import get_dispatcher

ROOT = Path(__file__).parents[2]
SPECS = sorted([*(ROOT / "docs" / "language").glob("*.yaml"), *(ROOT / "specs").glob("*.yaml")])
EXITS = ("emit", "on_error", "on_limit", "on_timeout")

Edge = tuple[str, str, str]


@pytest.fixture
def recorded() -> Iterator[Any]:
    """Record the runs of a test."""
    recorder = executions._Recorder()
    dispatcher = get_dispatcher("root")
    dispatcher.add_span_handler(recorder)
    dispatcher.add_event_handler(recorder)
    yield recorder
    dispatcher.remove_handler(recorder)


def drawn(path: Path) -> tuple[str, set[Edge]]:
    """Return a workflow's name and its arrows: from where, which event, to where; a start is empty."""
    source = load(str(path))
    workflow = check_text(source.raw, source.path, project_of([source])).workflow
    if workflow is None:
        return "", set()
    graph = flow_graph(workflow)
    names = {
        box["id"]: ""
        if box["shape"] in ("start", "outside")
        else f"({box['title']})" * (box["shape"] in ("end", "fail")) or box["title"]
        for box in graph["boxes"]
    }
    return workflow.name, {
        (names[each["source"]], each["label"], names[each["target"]]) for each in graph["arrows"]
    }


def taken(run: RecordedExecution) -> Iterator[Edge]:
    """Yield what a run did, as arrows."""
    names = {step.number: step.name for step in run.steps}
    for step in run.steps:
        for at in step.events:
            event = run.events[at]
            yield "" if event.by is None else names[event.by], event.name, step.name
    for event in run.events:
        if event.role == "end" and event.by is not None:
            yield names[event.by], event.name, f"({event.name})"


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(path, id=path.stem, marks=pytest.mark.full if number % 8 else ())
        for number, path in enumerate(SPECS)
    ],
)
def test_each_way_that_is_taken_is_drawn(spec: Path, recorded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    name, arrows = drawn(spec)
    assert main(["test", str(spec)]) == 0
    found = {edge for run in recorded.executions.values() if run.workflow == name for edge in taken(run)}
    assert found or not arrows
    assert not found - arrows


def said(data: dict[str, Any]) -> set[Edge]:
    """Return the ways that a spec says, read from nothing but its text."""
    steps, ends = data["steps"], data["end"] if isinstance(data["end"], list) else [data["end"]]
    accepted = {name: set(names_in(step["accepts"], data["events"])) for name, step in steps.items()}
    to = {event: [name for name in steps if event in accepted[name]] for event in data["events"]}
    for event in ends:
        to[event] = [f"({event})"]
    return {
        (name, event, target)
        for name, step in steps.items()
        for exit_ in EXITS
        for event in names_in(step.get(exit_), data["events"])
        for target in to[event]
    }


def names_in(value: Any, events: Any) -> Iterator[str]:
    """Yield the names of events in a value; what an event is filled with is not looked at."""
    if isinstance(value, str) and value in events:
        yield value
    for each in value if isinstance(value, list) else ():
        yield from names_in(each, events)
    for key, each in value.items() if isinstance(value, dict) else ():
        if key not in ("with", "when", "save"):
            yield from names_in(each, events)


PLAIN = [
    path
    for path in SPECS
    if "import" not in path.read_text("utf-8") and "\nworkflow:" in path.read_text("utf-8")
]


@pytest.mark.parametrize("spec", PLAIN, ids=lambda path: path.stem)
def test_each_arrow_is_a_way_that_the_spec_says_and_none_is_left_out(spec: Path) -> None:
    data = yaml.load(spec.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    _, arrows = drawn(spec)
    assert {edge for edge in arrows if edge[0] in data["steps"] and edge[1]} == said(data)
