"""``advance(execution, tick)``: the changes by a tick, without clock, randomness, I/O or waiting."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from wfc.runtime.core.advance.cancelling import cancel_steps
from wfc.runtime.core.advance.collecting import uncollect
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
    open_recovery,
    open_root,
)
from wfc.runtime.core.advance.items import item_completed, item_failed
from wfc.runtime.core.advance.joins import arrive, match_value_computed, time_out
from wfc.runtime.core.advance.observing import note_emitted, note_queued, note_state
from wfc.runtime.core.advance.pausing import (
    inbox_event_taken,
    keep_in_inbox,
    keep_sent_event,
    pause_failed,
    pause_resolved,
    pause_timer_fired,
    question_answered,
    step_paused,
)
from wfc.runtime.core.advance.restarting import Restarting, restart
from wfc.runtime.core.advance.run_exits import exit_taken, fail
from wfc.runtime.core.advance.scheduling import free_worker, resume, start_run, start_timer
from wfc.runtime.core.advance.stuck import check_not_stuck
from wfc.runtime.core.effects import Publish
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import Frame, Path, Pause, StepRun
from wfc.runtime.core.ticks import (
    Answered,
    Arrived,
    AttemptFailed,
    Cancelled,
    Completed,
    Failed,
    InboxEventTaken,
    ItemCompleted,
    ItemFailed,
    MatchValueComputed,
    ModelUsed,
    Paused,
    PauseFailed,
    PauseResolved,
    RunExitTaken,
    Started,
    StepsCancelled,
    Tick,
    TimerFired,
)
from wfc.runtime.errors import RunFailedError, WorkflowRuntimeError
from wfc.runtime.events import (
    Event,
    InputRequiredEvent,
    StepState,
    StopEvent,
)
from wfc.runtime.plan.outcomes import All, Batch, Fail, Restart
from wfc.runtime.plan.step import Step
from wfc.runtime.values.drafts import save

__all__ = ["advance"]


def advance(execution: Execution, tick: Tick, at: int = 0) -> None:
    """Apply a tick to a run. Ticks for what no longer exists, or after the end, change nothing.

    Args:
        at: The moment of the tick; for a clock that was put back, the moment of the last tick counts.
    """
    execution.at = max(execution.at, at)
    if execution.outcome is None:
        try:
            _TICKS[type(tick)](execution, tick)
            if execution.due:
                _begin_due(execution)
        except WorkflowRuntimeError as error:
            fail(execution, error)
        except Restarting as anew:
            restart(execution, anew.event)


def _started(execution: Execution, tick: Started) -> None:
    execution.inputs = tick.event
    execution.to_begin = None
    execution.limits = tick.limits
    if tick.bounds:
        execution.set_bounds(tick.bounds)
    _begin(execution, tick.event)


def _begin(execution: Execution, event: Event) -> None:
    """Deliver the event by which a run begins, or goes on by one of its exits."""
    open_root(execution)
    note_emitted(execution, event, None)
    for step in execution.plan.acceptors(type(event)):
        _deliver(execution, step, event, execution.root, ())
    check_not_stuck(execution, None)


def _completed(execution: Execution, tick: Completed) -> None:
    run = execution.in_flight.pop(tick.number, None)
    if run is None:
        return
    step = run.step
    emitted = tick.emitted
    if tick.saved is not None:
        execution.state = save(execution.state, tick.saved)
    if execution.observed:
        note_state(execution, run, StepState.NOT_RUNNING, emitted)
    routes = step.routes.get(type(emitted))
    if routes is not None and run.frame is None and not step.opens and not execution.event_waits:
        # the common case, without frames
        if execution.observed:
            note_emitted(execution, emitted, step)
        for target in routes:
            if target.simple:
                start_run(execution, target, emitted, None, ())
            else:
                _deliver(execution, target, emitted, None, ())
    else:
        if run.frame is not None and execution.plan.cancelling:
            run.frame.forget(run.number)
        if emitted is not None:
            _emit(execution, run, emitted)
            if execution.outcome is not None:
                return
    free_worker(execution, step)
    if run.frame is not None:
        leave(execution, run.frame)
    if not execution.in_flight:
        check_not_stuck(execution, run)


def _attempt_failed(execution: Execution, tick: AttemptFailed) -> None:
    run = execution.in_flight.pop(tick.number, None)
    if run is not None:
        uncollect(execution, run)
        run.raised, run.failed_at = tick.error, execution.at
        if tick.falls_back:
            run.choice += 1
            run.since = run.attempt
            run.began = execution.at
        run.attempt += 1
        run.timer = start_timer(execution, tick.delay, run)
        free_worker(execution, run.step)


def _failed(execution: Execution, tick: Failed) -> None:
    run = execution.in_flight.pop(tick.number, None)
    if run is None:
        return
    if tick.saved is not None:
        execution.state = save(execution.state, tick.saved)
    handler = run.step.handler
    frame = None if handler is None or tick.event is None else open_recovery(run, handler)
    if handler is None or tick.event is None or frame is None:
        fail(execution, tick.error)
        return
    note_emitted(execution, tick.event, run.step)
    if run.frame is not None and execution.plan.cancelling:
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
    targets = execution.plan.acceptors(type(event)) if tick.step is None else (tick.step,)
    if run is None:
        reached = targets if execution.reached is None else execution.reached
        targets = tuple(step for step in targets if not step.needs_frame and step in reached)
    if targets:
        _deliver_all(execution, targets, event, frame, path)
    elif not give_to_waiters(execution, event) and not isinstance(event, InputRequiredEvent):
        if run is not None:
            keep_sent_event(execution, event, run.step)
        elif tick.sender is None:
            keep_in_inbox(execution, event)


def _timer_fired(execution: Execution, tick: TimerFired) -> None:
    waiting = execution.timers.pop(tick.timer, None)
    execution.due_at.pop(tick.timer, None)
    if isinstance(waiting, StepRun):
        resume(execution, waiting)
    elif isinstance(waiting, Pause):
        pause_timer_fired(execution, waiting, tick.timer)
    elif waiting is not None:
        frame, step = waiting
        time_out(execution, step, frame)
        check_not_stuck(execution, None)


def _steps_cancelled(execution: Execution, tick: StepsCancelled) -> None:
    cancel_steps(execution, tick)
    check_not_stuck(execution, None)


def _cancelled(execution: Execution, tick: Cancelled) -> None:
    fail(execution, tick.error)


def _run_exit_taken(execution: Execution, tick: RunExitTaken) -> None:
    """Handle the result of an exit of the run."""
    if tick.saved is not None:
        execution.state = save(execution.state, tick.saved)
    event = exit_taken(execution, tick.emitted)
    if event is not None:
        _begin(execution, event)


def _model_used(execution: Execution, tick: ModelUsed) -> None:
    execution.tokens += tick.tokens
    execution.cost_usd += tick.cost_usd


_TICKS: dict[type[Tick], Callable[[Execution, Any], None]] = {
    Started: _started,
    Completed: _completed,
    AttemptFailed: _attempt_failed,
    Failed: _failed,
    Arrived: _arrived,
    Paused: step_paused,
    Answered: question_answered,
    InboxEventTaken: inbox_event_taken,
    PauseResolved: pause_resolved,
    PauseFailed: pause_failed,
    ItemCompleted: item_completed,
    ItemFailed: item_failed,
    RunExitTaken: _run_exit_taken,
    ModelUsed: _model_used,
    MatchValueComputed: match_value_computed,
    StepsCancelled: _steps_cancelled,
    TimerFired: _timer_fired,
    Cancelled: _cancelled,
}


def _emit(execution: Execution, run: StepRun, emitted: Any) -> None:
    """Deliver what a step run emits."""
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
            routes = routes_of_subclass(execution, step, type(emitted))
        note_emitted(execution, emitted, step)
        if isinstance(emitted, StopEvent):
            if type(emitted) is StopEvent:
                check_result(step, emitted.result)
            execution.outcome = emitted
            return
        if isinstance(emitted, InputRequiredEvent):
            _ask(execution, emitted)
        _deliver_all(execution, routes, emitted, run.frame, path)
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
            _deliver_all(execution, routes, item, inner, place)
            leave(execution, inner)
        else:
            _deliver_all(execution, routes, item, frame, place)
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
    _deliver_all(execution, routes, item, inner, place)
    leave(execution, inner)
    if not batch.pending:
        leave(execution, batch)


def _begin_due(execution: Execution) -> None:
    """Emit the items of batches for which others have made room."""
    while execution.due and execution.outcome is None:
        _begin_item(execution, execution.due.pop(0))
    execution.due.clear()
    if not execution.in_flight:
        check_not_stuck(execution, None)


def _deliver_all(
    execution: Execution, steps: tuple[Step, ...], event: Event, frame: Frame | None, path: Path
) -> None:
    if execution.event_waits and (woken := give_to_waiters(execution, event)):
        steps = tuple(step for step in steps if step not in woken)
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
    """Return the path in a batch of the next of several events that one step run emits."""
    run.sends += 1
    return (*run.path, run.sends) if run.frame is not None and run.frame.in_batch else run.path


def _ask(execution: Execution, event: InputRequiredEvent) -> None:
    execution.asked = True
    execution.effects.append(Publish(event))
