"""Delivery of what step runs emit: single events, several side by side, and batches."""

from __future__ import annotations

from collections import deque
from typing import Any

from wfc.runtime.core.advance.declarations import (
    check_result,
    routes_of_item_subclass,
    routes_of_subclass,
    undeclared_result,
)
from wfc.runtime.core.advance.event_waits import give_to_waiters
from wfc.runtime.core.advance.frames import (
    leave,
    move_into_fork,
    open_batch,
    open_item,
)
from wfc.runtime.core.advance.joins import arrive
from wfc.runtime.core.advance.observing import note_emitted, note_queued
from wfc.runtime.core.advance.restarting import Restarting
from wfc.runtime.core.advance.scheduling import start_run
from wfc.runtime.core.advance.stuck import check_not_stuck
from wfc.runtime.core.effects import Publish
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import Frame, Path, StepRun
from wfc.runtime.errors import RunFailedError
from wfc.runtime.events import (
    Event,
    InputRequiredEvent,
    StopEvent,
)
from wfc.runtime.plan.outcomes import All, Batch, Fail, Restart
from wfc.runtime.plan.step import Step

__all__ = ["ask", "begin_due", "deliver", "deliver_all", "emit", "next_path"]


def emit(execution: Execution, run: StepRun, emitted: Any) -> None:
    """Deliver what a step run emits."""
    if run.step.opens:
        move_into_fork(execution, run)
    if not isinstance(emitted, All):
        _emit_one(execution, run, emitted, next_path(run) if run.sends else run.path)
        return
    for one in emitted.events:
        _emit_one(execution, run, one, next_path(run))
        if execution.outcome is not None:
            return


def _emit_one(execution: Execution, run: StepRun, emitted: Any, path: Path) -> None:
    step = run.step
    if isinstance(emitted, Event):
        kind = type(emitted)
        routes = step.routes.get(kind)
        if routes is None and (routes := step.ends.get(kind)) is None:
            routes = routes_of_subclass(execution, step, kind)
        if execution.observed:
            note_emitted(execution, emitted, step)
        if isinstance(emitted, StopEvent):
            if kind is StopEvent:
                check_result(step, emitted._get_result())
            execution.outcome = emitted
            return
        if isinstance(emitted, InputRequiredEvent):
            ask(execution, emitted)
        deliver_all(execution, routes, emitted, run.frame, path)
    elif isinstance(emitted, list):
        _emit_batch(execution, run, emitted, path)
    elif isinstance(emitted, Fail):
        raise RunFailedError(emitted.text)
    elif isinstance(emitted, Restart):
        raise Restarting(emitted.event)
    elif emitted is not None:
        raise undeclared_result(step, emitted)


def _emit_batch(execution: Execution, run: StepRun, items: list[Any], path: Path) -> None:
    """Emit one event for each item, with a frame for the batch if it is collected, and one for each item."""
    step = run.step
    if not step.emissions.batches:
        raise undeclared_result(step, items)
    kind = items.event if isinstance(items, Batch) else type(items[0]) if items else None
    collectors = step.batches.get(kind)
    if collectors is None:
        collectors = step.batches.get(None, ())
    frame = run.frame
    concurrency = items.concurrency if isinstance(items, Batch) else None
    counted = bool(collectors) or bool(step.items_open) or execution.plan.has_limits
    if collectors or concurrency is not None:
        frame = open_batch(execution, run, collectors, path)
    if concurrency is not None and frame is not None:
        _emit_slowly(execution, frame, items, concurrency)
        return
    for position, item in enumerate(items):
        routes = step.items.get(type(item))
        if routes is None:
            routes = routes_of_item_subclass(execution, step, item)
        note_emitted(execution, item, step)
        place = (*path, position)
        if counted:
            inner = open_item(execution, step, run.number, frame, place)
            deliver_all(execution, routes, item, inner, place)
            leave(execution, inner)
        else:
            deliver_all(execution, routes, item, frame, place)
    if collectors:
        leave(execution, frame)


def _emit_slowly(execution: Execution, batch: Frame, items: list[Any], concurrency: int) -> None:
    """Emit the first items of a batch, each with a frame of its own; the others follow as these are done."""
    batch.pending = deque(enumerate(items))
    if not items:
        leave(execution, batch)
    for _ in range(min(concurrency, len(items))):
        _begin_item(execution, batch)


def _begin_item(execution: Execution, batch: Frame) -> None:
    """Emit the next item of a batch, if there is one; the batch is left when that was the last."""
    if not batch.pending:
        return
    position, item = batch.pending.popleft()
    step, place = batch.fork, (*batch.path, position)
    assert step is not None  # a batch is opened by a step
    routes = step.items.get(type(item))
    if routes is None:
        routes = routes_of_item_subclass(execution, step, item)
    note_emitted(execution, item, step)
    inner = open_item(execution, step, batch.number, batch, place)
    deliver_all(execution, routes, item, inner, place)
    leave(execution, inner)
    if not batch.pending:
        leave(execution, batch)


def begin_due(execution: Execution) -> None:
    """Emit the items of batches for which others have made room."""
    while execution.due and execution.outcome is None:
        _begin_item(execution, execution.due.pop(0))
    execution.due.clear()
    if not execution.in_flight:
        check_not_stuck(execution, None)


def deliver_all(
    execution: Execution, steps: tuple[Step, ...], event: Event, frame: Frame | None, path: Path
) -> None:
    """Deliver an event to steps that take it, but to those that have waited for it as such."""
    if execution.event_waits and (woken := give_to_waiters(execution, event)):
        steps = tuple(step for step in steps if step not in woken)
    if len(steps) == 1 or frame is None or not frame.in_batch:
        for step in steps:
            deliver(execution, step, event, frame, path)
    else:
        for branch, step in enumerate(steps):
            deliver(execution, step, event, frame, (*path, branch))


def deliver(execution: Execution, step: Step, event: Event, frame: Frame | None, path: Path) -> None:
    """Let an event arrive at a step's join, or start the step."""
    if step.slots or step.collects:
        arrive(execution, step, event, frame, path)
    else:
        start_run(execution, step, event, frame, path)
        if execution.observed:
            note_queued(execution, step)


def next_path(run: StepRun) -> Path:
    """Return the path in a batch of the next of several events that one step run emits."""
    run.sends += 1
    return (*run.path, run.sends) if run.frame is not None and run.frame.in_batch else run.path


def ask(execution: Execution, event: InputRequiredEvent) -> None:
    """Show an event by which a step asks somebody outside."""
    execution.asked = True
    execution.want(Publish(event))
