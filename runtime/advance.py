"""``advance(execution, tick)``: what a tick changes. No clock, no chance, no I/O, no waiting."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wfc.runtime.cancelling import cancel_steps
from wfc.runtime.errors import RunFailedError, StuckError, UndeclaredResultError, WorkflowRuntimeError
from wfc.runtime.events import (
    Event,
    InputRequiredEvent,
    StepState,
    StopEvent,
    event_name,
)
from wfc.runtime.execution import Execution, Frame, Path, Pause, StepRun
from wfc.runtime.frames import (
    leave,
    move_into_fork,
    open_batch,
    open_item,
    open_recovery,
    open_root,
    wanting,
)
from wfc.runtime.gathering import arrive, matched, time_out
from wfc.runtime.items import gave, item_failed
from wfc.runtime.notes import note_emitted, note_queued, note_state
from wfc.runtime.outcomes import All, Batch, Fail
from wfc.runtime.pausing import answered, broken, keep, paused, resolved, took, waited
from wfc.runtime.scheduling import free_worker, resume, start_run, start_timer
from wfc.runtime.ticks import (
    Answered,
    Arrived,
    Broken,
    Cancelled,
    Completed,
    Failed,
    Gave,
    ItemFailed,
    Matched,
    Paused,
    Publish,
    Resolve,
    Resolved,
    Started,
    StepsCancelled,
    Tick,
    TimerFired,
    Took,
    TriedAgain,
)

if TYPE_CHECKING:
    from wfc.runtime.table import EventClass, Step

__all__ = ["advance"]


def advance(execution: Execution, tick: Tick) -> None:
    """Changes a run by what happened. Ticks for what is no more, or after the end, change nothing."""
    if execution.outcome is None:
        try:
            _TICKS[type(tick)](execution, tick)
        except WorkflowRuntimeError as error:
            execution.outcome = error


def _started(execution: Execution, tick: Started) -> None:
    execution.inputs = tick.event
    execution.limits = tick.limits
    open_root(execution)
    note_emitted(execution, tick.event, None)
    for step in execution.table.acceptors(type(tick.event)):
        _deliver(execution, step, tick.event, execution.root, ())
    _check_alive(execution, None)


def _completed(execution: Execution, tick: Completed) -> None:
    run = execution.in_flight.pop(tick.number, None)
    if run is None:
        return
    step = run.step
    emitted = tick.emitted
    if execution.observed:
        note_state(execution, run, StepState.NOT_RUNNING, emitted)
    routes = step.routes.get(type(emitted))
    if routes is not None and run.frame is None and not step.opens:
        # the common case, without frames
        if execution.observed:
            note_emitted(execution, emitted, step)
        for target in routes:
            if target.simple:
                start_run(execution, target, emitted, None, ())
            else:
                _deliver(execution, target, emitted, None, ())
    else:
        if run.frame is not None and execution.table.cancelling:
            run.frame.forget(run.number)
        if emitted is not None:
            _emit(execution, run, emitted)
            if execution.outcome is not None:
                return
    free_worker(execution, step)
    if run.frame is not None:
        leave(execution, run.frame)
    if not execution.in_flight:
        _check_alive(execution, run)


def _tried_again(execution: Execution, tick: TriedAgain) -> None:
    run = execution.in_flight.pop(tick.number, None)
    if run is not None:
        run.attempt += 1
        run.timer = start_timer(execution, tick.delay, run)
        free_worker(execution, run.step)


def _failed(execution: Execution, tick: Failed) -> None:
    run = execution.in_flight.pop(tick.number, None)
    if run is None:
        return
    handler = run.step.handler
    frame = None if handler is None or tick.event is None else open_recovery(run, handler)
    if handler is None or tick.event is None or frame is None:
        execution.outcome = tick.error
        return
    note_emitted(execution, tick.event, run.step)
    if run.frame is not None and execution.table.cancelling:
        run.frame.forget(run.number)
    start_run(execution, handler, tick.event, frame, run.path)
    free_worker(execution, run.step)
    if run.frame is not None:
        leave(execution, run.frame)


def _arrived(execution: Execution, tick: Arrived) -> None:
    event = tick.event
    if tick.message_id is not None:
        execution.receive(tick.message_id)
    run = execution.in_flight.get(tick.sender) if tick.sender is not None else None
    frame: Frame | None = execution.root
    path: Path = ()
    if run is not None:
        if run.step.opens:
            move_into_fork(execution, run)
        frame, path = run.frame, _next_path(run)
    note_emitted(execution, event, run.step if run is not None else None)
    if isinstance(event, StopEvent):
        execution.outcome = event
        return
    if isinstance(event, InputRequiredEvent):
        _ask(execution, event)
    if execution.waiters:
        _give_to_waiters(execution, event)
    targets = execution.table.acceptors(type(event)) if tick.step is None else (tick.step,)
    if not targets and tick.sender is None and type(event) in execution.table.received:
        keep(execution, event)
    _deliver_all(execution, targets, event, frame, path)


def _give_to_waiters(execution: Execution, event: Event) -> None:
    for number, waiter in list(execution.waiters.items()):
        if waiter.takes(event):
            del execution.waiters[number]
            execution.wants.append(Resolve(number, event))


def _timer_fired(execution: Execution, tick: TimerFired) -> None:
    waiting = execution.timers.pop(tick.timer, None)
    if isinstance(waiting, StepRun):
        resume(execution, waiting)
    elif isinstance(waiting, Pause):
        waited(execution, waiting, tick.timer)
    elif waiting is not None:
        frame, step = waiting
        time_out(execution, step, frame)


def _steps_cancelled(execution: Execution, tick: StepsCancelled) -> None:
    cancel_steps(execution, tick)
    _check_alive(execution, None)


def _cancelled(execution: Execution, tick: Cancelled) -> None:
    execution.outcome = tick.error


_TICKS: dict[type[Tick], Callable[[Execution, Any], None]] = {
    Started: _started,
    Completed: _completed,
    TriedAgain: _tried_again,
    Failed: _failed,
    Arrived: _arrived,
    Paused: paused,
    Answered: answered,
    Took: took,
    Resolved: resolved,
    Broken: broken,
    Gave: gave,
    ItemFailed: item_failed,
    Matched: matched,
    StepsCancelled: _steps_cancelled,
    TimerFired: _timer_fired,
    Cancelled: _cancelled,
}


def _emit(execution: Execution, run: StepRun, emitted: Any) -> None:
    """What a step run gives goes where it belongs."""
    if run.step.opens:
        move_into_fork(execution, run)
    if not isinstance(emitted, All):
        _emit_one(execution, run, emitted, _next_path(run) if run.sends else run.path)
        return
    for one in emitted.events:
        _emit_one(execution, run, one, _next_path(run))
        if execution.outcome is not None:
            return


def _emit_one(execution: Execution, run: StepRun, emitted: Any, path: Path) -> None:
    step = run.step
    if isinstance(emitted, Event):
        routes = step.routes.get(type(emitted))
        if routes is None:
            routes = _declared(execution, step, type(emitted))
        note_emitted(execution, emitted, step)
        if isinstance(emitted, StopEvent):
            execution.outcome = emitted
            return
        if isinstance(emitted, InputRequiredEvent):
            _ask(execution, emitted)
        _deliver_all(execution, routes, emitted, run.frame, path)
    elif isinstance(emitted, list):
        _emit_batch(execution, run, emitted, path)
    elif isinstance(emitted, Fail):
        raise RunFailedError(emitted.text)
    elif emitted is not None:
        raise _refusal(step, emitted)


def _emit_batch(execution: Execution, run: StepRun, items: list[Any], path: Path) -> None:
    """One event for each item: a frame for the batch if it is collected, and one for each item."""
    step = run.step
    if not step.emissions.batches:
        raise _refusal(step, items)
    kind = items.event if isinstance(items, Batch) else type(items[0]) if items else None
    collectors = step.batches.get(kind)
    if collectors is None:
        collectors = step.batches.get(None, ())
    frame = run.frame
    counted = bool(collectors) or bool(step.items_open) or execution.table.has_limits
    if collectors:
        frame = open_batch(execution, run, collectors, path)
    for position, item in enumerate(items):
        routes = step.items.get(type(item))
        if routes is None:
            routes = _declared_item(execution, step, item)
        note_emitted(execution, item, step)
        place = (*path, position)
        if counted:
            inner = open_item(execution, run, frame, place)
            _deliver_all(execution, routes, item, inner, place)
            leave(execution, inner)
        else:
            _deliver_all(execution, routes, item, frame, place)
    if collectors:
        leave(execution, frame)


def _deliver_all(
    execution: Execution, steps: tuple[Step, ...], event: Event, frame: Frame | None, path: Path
) -> None:
    if len(steps) == 1 or frame is None or not frame.in_batch:
        for step in steps:
            _deliver(execution, step, event, frame, path)
    else:
        for branch, step in enumerate(steps):
            _deliver(execution, step, event, frame, (*path, branch))


def _deliver(execution: Execution, step: Step, event: Event, frame: Frame | None, path: Path) -> None:
    if step.slots or step.collects:
        arrive(execution, step, event, frame, path)
    else:
        start_run(execution, step, event, frame, path)
        if execution.observed:
            note_queued(execution, step)


def _next_path(run: StepRun) -> Path:
    """The place of the next of several events that one step run emits, in a batch."""
    run.sends += 1
    return (*run.path, run.sends) if run.frame is not None and run.frame.in_batch else run.path


def _declared(execution: Execution, step: Step, kind: EventClass) -> tuple[Step, ...]:
    """Where an event goes whose class the step's signature does not name itself."""
    if not any(issubclass(kind, one) for one in step.emissions.events):
        names = sorted({event_name(one) for one in step.emits}) or ["nothing"]
        raise UndeclaredResultError(
            f"step `{step.name}` emitted {event_name(kind)}, but declares {' | '.join(names)}"
        )
    routes = execution.table.acceptors(kind)
    if not issubclass(kind, StopEvent | InputRequiredEvent):
        step.routes[kind] = routes
    return routes


def _declared_item(execution: Execution, step: Step, item: Any) -> tuple[Step, ...]:
    for batch in step.emissions.batches:
        if isinstance(item, batch):
            step.items[type(item)] = routes = execution.table.acceptors(type(item))
            return routes
    raise _refusal(step, item)


def _refusal(step: Step, emitted: Any) -> UndeclaredResultError:
    names = [event_name(one) for one in step.emissions.events]
    names += [f"list[{' | '.join(event_name(one) for one in batch)}]" for batch in step.emissions.batches]
    return UndeclaredResultError(
        f"step `{step.name}` returned {_described(emitted)}, but declares {' | '.join(names) or 'None'}"
    )


def _described(value: Any) -> str:
    if isinstance(value, list) and value:
        return f"a list with {_described(value[0])}"
    return "an empty list" if isinstance(value, list) else f"a value of type {type(value).__name__}"


def _ask(execution: Execution, event: InputRequiredEvent) -> None:
    execution.asked = True
    execution.wants.append(Publish(event))


def _check_alive(execution: Execution, last: StepRun | None) -> None:
    """A run in which nothing runs, waits for a timer, or is awaited from outside, can only be stuck."""
    if execution.in_flight or execution.timers or execution.paused or execution.outcome is not None:
        return
    if execution.table.listens or execution.asked or execution.waiters:
        return
    said = "nothing is running or queued"
    if last is not None:
        said += f", and the last step, `{last.step.name}`, emitted nothing on {last.event_name}"
    found = _waiting(execution)
    if execution.fell_short is not None:
        found.append(wanting(*execution.fell_short))
    waiting = "; ".join(found)
    raise StuckError(
        f"the run can no longer move: {said}, so no end event can come" + (f"; {waiting}" if waiting else "")
    )


def _waiting(execution: Execution) -> list[str]:
    """Hand-written joins that have only a part of what they wait for, in words."""
    found = []
    for key, waiting in execution.buffers.items():
        step = execution.table.steps[key[0]]
        if isinstance(waiting, tuple):
            names = [event_name(slot.events[0]) for slot in step.slots]
            got = [name for name, queue in zip(names, waiting, strict=True) if queue]
            lacks = [name for name, queue in zip(names, waiting, strict=True) if not queue]
            found.append(f"step `{step.name}` has {' and '.join(got)} and waits for {' and '.join(lacks)}")
        else:
            kept = ", ".join(
                f"{len(queue)} {event_name(kind)}" for kind, queue in waiting.by_kind.items() if queue
            )
            more = len(waiting.expected) - waiting.count
            found.append(f"step `{step.name}` has collected {kept} and waits for {more} more")
    return found
