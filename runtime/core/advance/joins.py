"""Arrival of events at joins: the join fires, waits for more, or the event is late."""

from __future__ import annotations

from collections import deque

from wfc.runtime.core.advance.cancelling import cancel_rest
from wfc.runtime.core.advance.frames import batch_of, collect_all, frame_of, leave, leave_out_pending
from wfc.runtime.core.advance.scheduling import continue_run, free_worker, start_run, stop_timer
from wfc.runtime.core.advance.stuck import check_not_stuck
from wfc.runtime.core.effects import NotifyObservers
from wfc.runtime.core.execution import NONE, Execution
from wfc.runtime.core.step_runs import Exit, Frame, FrameKind, Path, Slots, StepRun
from wfc.runtime.core.ticks import MatchValueComputed
from wfc.runtime.errors import WorkflowRuntimeError
from wfc.runtime.events import Event, event_name
from wfc.runtime.events.internal import LateEvent
from wfc.runtime.plan.joins import AllOf
from wfc.runtime.plan.step import Step

__all__ = ["arrive", "match_value_computed", "time_out"]


def arrive(execution: Execution, step: Step, event: Event, frame: Frame | None, path: Path) -> None:
    """Handle the arrival of an event at a step that joins.

    Raises:
        WorkflowRuntimeError: It has no frame of the join's fork, or the frame has had an event of its class.
    """
    if step.collects:
        _collect(execution, step, event, frame, path)
    elif step.join is None:
        _pair(execution, step, event, frame, path)
    elif step.match_by is not None:
        _match(execution, step, event, frame, path)
    else:
        _fill(execution, step, event, frame, step.index)


def _collect(execution: Execution, step: Step, event: Event, frame: Frame | None, path: Path) -> None:
    # most events come straight from the batch: a call for each of ten thousand can be felt
    batch = frame if frame is not None and step in frame.collectors else batch_of(frame, step)
    if batch is None:
        if any(not other.collects for other in execution.plan.acceptors(type(event))):
            return  # one by itself, which another step takes
        raise WorkflowRuntimeError(
            f"{event_name(event)} reached step `{step.name}`, which collects a batch, outside of any batch: "
            f"it must descend from a list of events that a step returned"
        )
    slots = batch.joins.get(step.index)
    if slots is not None and slots.fired:
        _late(execution, step, event)
        return
    found = batch.collected.get(step.index)
    if found is None:
        found = batch.collected_by(step.index)
    found.append((path, event))
    if step.take is not None and len(found) == step.take:
        collect_all(execution, batch, step)
    elif (step.count is not None or execution.bounds) and len(found) == execution.count_of(step):
        collect_all(execution, batch, step)
        if step.cancels:
            _cancel_items(execution, step, batch)


def _cancel_items(execution: Execution, step: Step, batch: Frame) -> None:
    """Cancel the items of a batch that its join, which has just gone on, did not wait for."""
    leave_out_pending(execution, batch)
    cancel_rest(execution, step, batch, execution.number)


def _match(execution: Execution, step: Step, event: Event, frame: Frame | None, path: Path) -> None:
    """Request the value that matches the event to others, which needs no free worker."""
    number = execution.number = execution.number + 1
    run = StepRun(number, step, event, frame, path)
    if frame is not None:
        frame.enter()
        frame.keep(number, run)
    continue_run(execution, run, Exit.MATCH)


def match_value_computed(execution: Execution, tick: MatchValueComputed) -> None:
    """Handle the match value of an event at a join, once computed."""
    run = execution.in_flight.pop(tick.number, None)
    if run is None:
        return
    free_worker(execution, run.step)
    if run.frame is not None:
        run.frame.forget(run.number)
    _fill(execution, run.step, run.event, run.frame, (run.step.index, tick.value))
    if run.frame is not None:
        leave(execution, run.frame)
    if not execution.in_flight:
        check_not_stuck(execution, None)


def _fill(
    execution: Execution, step: Step, event: Event, frame: Frame | None, key: int | tuple[int, str]
) -> None:
    """Add an event to a join, which fires once in each frame of its fork, or once there for each value."""
    found = frame_of(frame, step.fork)
    if found is None:
        fork = f"`{step.fork.name}`" if step.fork is not None else "the start"
        raise WorkflowRuntimeError(
            f"{event_name(event)} reached the join of step `{step.name}` without passing {fork} first"
        )
    slots = found.slots_for(key)
    at = step.slot_of(type(event))
    assert at is not None  # it was routed here because a slot takes it
    if slots.fired or (at in slots.arrived and not isinstance(step.join, AllOf)):
        _late(execution, step, event)
        return
    if at in slots.arrived:
        raise WorkflowRuntimeError(
            f"the join of step `{step.name}` received two {' or '.join(map(event_name, step.slots[at].events))} "
            f"in one frame"
        )
    slots.arrived[at] = event
    if len(slots.arrived) >= step.needed:
        _fire(execution, step, found, slots, Exit.ACTION)


def _late(execution: Execution, step: Step, event: Event) -> None:
    if execution.observed:
        execution.want(NotifyObservers(LateEvent(event=event, step_name=step.name)))


def _fire(execution: Execution, step: Step, frame: Frame, slots: Slots, exit: Exit) -> None:
    slots.fired = True
    arrived, slots.arrived = slots.arrived, {}
    start_run(execution, step, arrived, frame, frame.path, exit)
    if step.cancels:
        cancel_rest(execution, step, frame, execution.number)
    if slots.timer is not None:
        stop_timer(execution, slots.timer)
        frame.holds -= 1
        leave(execution, frame)


def time_out(execution: Execution, step: Step, frame: Frame) -> None:
    """Handle a join's time-out in a frame: fire it with what has arrived, or take its time-out exit."""
    way = Exit.ACTION if step.join is not None and step.join.proceed else Exit.TIMEOUT
    if step.collects:
        collect_all(execution, frame, step, way)
        if step.cancels:
            _cancel_items(execution, step, frame)
        elif getattr(step.join, "rest", None) is None:
            leave_out_pending(execution, frame)
    elif step.match_by is not None:
        _fire_all(execution, step, frame, way)
    else:
        _fire(execution, step, frame, frame.joins[step.index], way)


def _fire_all(execution: Execution, step: Step, frame: Frame, way: Exit) -> None:
    """Fire a timed-out join with match values: once for each value, or once without any if it has none."""
    of_frame = frame.joins[step.index]
    values = [slots for key, slots in frame.joins.items() if key != step.index and _is_of(key, step)]
    for slots in values:
        if not slots.fired:
            _fire(execution, step, frame, slots, way)
    if values:
        of_frame.fired = True
        frame.holds -= 1
        leave(execution, frame)
    else:
        _fire(execution, step, frame, of_frame, way)


def _is_of(key: int | tuple[int, str], step: Step) -> bool:
    return isinstance(key, tuple) and key[0] == step.index


def _pair(execution: Execution, step: Step, event: Event, frame: Frame | None, path: Path) -> None:
    """Join events by order of arrival: a hand-written step takes the oldest for each of its parameters."""
    scope = frame
    while scope is not None and scope.kind is not FrameKind.ITEM:
        scope = scope.parent
    key = (step.index, scope)
    waiting: tuple[deque[Event], ...] | None = execution.buffers.get(key)
    if waiting is None:
        if execution.buffers is NONE:
            execution.buffers = {}
        waiting = execution.buffers[key] = tuple(deque() for _ in step.slots)
    kind = type(event)
    fitting = [
        at
        for at, slot in enumerate(step.slots)
        if kind in slot.events or (step.subclasses and issubclass(kind, slot.events))
    ]
    at = min(fitting, key=lambda one: len(waiting[one]))
    waiting[at].append(event)
    if all(waiting):
        taken = {one: queue.popleft() for one, queue in enumerate(waiting)}
        if not any(waiting):
            del execution.buffers[key]
        start_run(execution, step, taken, frame, path)
