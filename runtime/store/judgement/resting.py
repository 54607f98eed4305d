"""Where runs of a plan may rest, by its description alone: what the judgement is asked of where there is no run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final, Literal, NamedTuple

from wfc.runtime.store.judgement.flow_graph import FlowGraph
from wfc.runtime.store.judgement.moves import Description
from wfc.runtime.store.judgement.position import FramePosition, JoinPosition, RunPosition, StepPosition
from wfc.runtime.store.judgement.types import classes_in

__all__ = ["RestingPlace", "joined", "resting_places"]

_OTHER_WAYS: Final = frozenset({"on_limit", "on_timeout", "on_expired", "match_by"})
"""The exits that a run may be about to take without the step's result."""

Filled = Mapping[str, tuple[str, ...]]


class RestingPlace(NamedTuple):
    """A place where a run may stand when its workflow changes.

    Args:
        step: The step; empty: it has not begun.
        at: Whether it waits there for something outside, is cut off at work, has failed in what follows from its
            result, is to be tried again, has an event from outside that nobody has taken, or has not begun.
        position: What a run has there and nowhere else; of one that stands at several places, these together.
    """

    step: str
    at: Literal["pause", "work", "result", "retry", "event", "start"]
    position: RunPosition


def resting_places(plan: Description, filled: Filled | None = None) -> Iterator[RestingPlace]:
    """Yield all places where a run of a plan may rest.

    Args:
        filled: The fields of forms that questions name: filled, or with choices; by step.
    """
    graph = FlowGraph(plan)
    begins = frozenset(plan["starts"])
    yield RestingPlace("", "start", RunPosition(has_begun=False, values=begins))
    always = RunPosition(
        values=begins,
        limits=frozenset(key for key, step in plan["steps"].items() if step["limit"] == "computed"),
    )
    for event in graph.from_outside():
        held = always._replace(pending=(event,), values=begins | {event})
        yield RestingPlace(event, "event", held)
    for key, step in plan["steps"].items():
        if not (step["acts"] or step["pauses"]):
            continue  # it goes on at once, in the same commit
        name = key.removesuffix("[]")
        for frames in _frames(graph, name):
            for at, runs in _stands(plan, key, filled or {}):
                position = always._replace(
                    steps=runs,
                    frames=frames,
                    counts=graph.counted_before(name),
                    values=begins.union(*(_held(plan, run) for run in runs), _arrived(frames)),
                    mentions=frozenset[str]().union(*(run.awaits for run in runs)),
                )
                for way in graph.ways_to(name):
                    yield RestingPlace(name, at, position._replace(way=way))


def _stands(plan: Description, key: str, filled: Filled) -> Iterator[tuple[Any, tuple[StepPosition, ...]]]:
    """Yield how a run may stand at a step, or at an item of one."""
    step, name = plan["steps"][key], key.removesuffix("[]")
    above: tuple[StepPosition, ...] = ()
    if key != name:
        above = tuple(StepPosition(0, name, "pause", events, pause="Items") for events in _events(plan, name))
    for events in _events(plan, key) if not above else [()]:
        stands = StepPosition(1, key, "work", events)
        for pause in step["pauses"]:
            for run in _paused(plan, stands, pause, filled.get(name, ())):
                yield "pause", (*above, run)
        if step["acts"] and not step["pauses"]:
            yield "work", (*above, stands)
        yield "result", (*above, stands._replace(has_result=True))
        for exit in _OTHER_WAYS.intersection(step["exits"]):
            yield "work", (*above, stands._replace(exit=exit))
        retry = step["soft"]["retry"]
        most = retry["max_attempts"] if isinstance(retry, dict) else 1
        if isinstance(most, int) and most > 1:
            yield "retry", (*above, stands._replace(at="retry", attempt=most))


def _held(plan: Description, run: StepPosition) -> set[str]:
    """Return the classes of what a run has at a step: its events, its result, what others have answered already."""
    steps = plan["steps"]
    held = list(steps[run.step]["forms"]) if run.is_shared else []
    if run.has_result or run.given:
        held.append(steps.get(f"{run.step}[]", steps[run.step])["result"])
    return set(run.events).union(*map(classes_in, held))


def _events(plan: Description, key: str) -> list[tuple[str, ...]]:
    """Return on which events a step runs: each by itself, or those that it joins."""
    step = plan["steps"][key]
    if step["slots"]:
        return [tuple(dict.fromkeys(event for slot in step["slots"] for event in slot))]
    return [(event,) for event in step["accepts"]] or [()]


def _paused(
    plan: Description, stands: StepPosition, pause: str, filled: tuple[str, ...]
) -> Iterator[StepPosition]:
    step = plan["steps"][stands.step]
    waits = stands._replace(at="pause", pause=pause)
    if pause == "Question":
        is_shared = any(isinstance(taken, list) and taken[0] == "list" for taken in step["takes"])
        for form in range(len(step["forms"])) or [None]:
            yield waits._replace(form=form, filled=filled, is_shared=is_shared)
    elif pause == "Outside":
        yield waits._replace(awaits=tuple(step["awaits"]))
    elif pause == "Child":
        yield waits._replace(has_parts=True)
    elif pause == "Items":
        yield waits._replace(given=1)
    else:
        yield waits


def _frames(graph: FlowGraph, key: str) -> Iterator[tuple[FramePosition, ...]]:
    """Yield what may keep events together while a run stands at a step: nothing has met yet, or something has."""
    frames = [frame for frame in graph.frames if key in frame.inside]
    yield tuple(
        FramePosition(frame.kind, frame.fork, frame.collectors, tuple(_joins(graph, frame, key, "nothing")))
        for frame in frames
    )
    if frames:
        yield tuple(
            FramePosition(frame.kind, frame.fork, frame.collectors, tuple(_joins(graph, frame, key, "some")))
            for frame in frames
        )


def _joins(graph: FlowGraph, frame: Any, key: str, arrived: str) -> Iterator[JoinPosition]:
    for join in frame.joins:
        has_timer = graph.plan["steps"][join]["soft"]["within"] is not None
        if key not in frame.before[join]:
            yield JoinPosition(join, (), has_fired=True, has_timer=False)
        elif arrived == "some":
            yield JoinPosition(join, graph.arriving(join), has_fired=False, has_timer=has_timer)


def _arrived(frames: tuple[FramePosition, ...]) -> set[str]:
    return {event for frame in frames for join in frame.joins for event in join.arrived}


def joined(places: list[RestingPlace]) -> RunPosition:
    """Return the position of a run that stands at several places at once."""
    found = [place.position for place in places]
    return RunPosition(
        has_begun=any(one.has_begun for one in found),
        steps=tuple(chain.from_iterable(one.steps for one in found)),
        frames=tuple(chain.from_iterable(one.frames for one in found)),
        pending=tuple(dict.fromkeys(chain.from_iterable(one.pending for one in found))),
        values=frozenset[str]().union(*(one.values for one in found)),
        mentions=frozenset[str]().union(*(one.mentions for one in found)),
        counts=tuple(dict.fromkeys(chain.from_iterable(one.counts for one in found))),
        limits=frozenset[str]().union(*(one.limits for one in found)),
        way=next((one.way for one in found if one.way), ""),
    )
