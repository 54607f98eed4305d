"""``advance(execution, tick)``: the changes by a tick, without clock, randomness, I/O or waiting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wfc.runtime.core.advance.cancelling import cancel_steps
from wfc.runtime.core.advance.collecting import event_collected, uncollect
from wfc.runtime.core.advance.emitting import ask, begin_due, deliver, deliver_all, emit, next_path
from wfc.runtime.core.advance.event_waits import body_waits, give_to_waiters, wait_ended
from wfc.runtime.core.advance.frames import (
    leave,
    move_into_fork,
    open_recovery,
    open_root,
)
from wfc.runtime.core.advance.halting import breakpoints_set, event_replaced, run_continued, run_halted
from wfc.runtime.core.advance.items import item_completed, item_failed
from wfc.runtime.core.advance.joins import match_value_computed, time_out
from wfc.runtime.core.advance.observing import note_emitted, note_state
from wfc.runtime.core.advance.pausing import (
    child_joined,
    inbox_event_dropped,
    inbox_event_taken,
    inbox_events_refused,
    keep_in_inbox,
    keep_sent_event,
    pause_failed,
    pause_resolved,
    pause_timer_fired,
    question_answered,
    question_delegated,
    step_paused,
)
from wfc.runtime.core.advance.recovering import recover
from wfc.runtime.core.advance.restarting import Restarting, restart
from wfc.runtime.core.advance.rewinding import rewind, upgrade
from wfc.runtime.core.advance.run_exits import exit_taken, fail
from wfc.runtime.core.advance.scheduling import free_worker, resume, start_run, start_timer
from wfc.runtime.core.advance.stuck import check_not_stuck
from wfc.runtime.core.body_ticks import ChildJoined, ChildStarted, Collected, Edited, WaitEnded, Waiting
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.halt_ticks import BreakpointsSet, Continued, Halted
from wfc.runtime.core.moments import seconds_later
from wfc.runtime.core.step_runs import Frame, Path, Pause, StepRun
from wfc.runtime.core.ticks import (
    Answered,
    Arrived,
    AttemptFailed,
    Cancelled,
    Completed,
    Delegated,
    Failed,
    InboxEventDropped,
    InboxEventsRefused,
    InboxEventTaken,
    ItemCompleted,
    ItemFailed,
    MatchValueComputed,
    ModelUsed,
    Paused,
    PauseFailed,
    PauseResolved,
    Recovered,
    Replaced,
    Rewound,
    RunExitTaken,
    SearchMade,
    Started,
    StepsCancelled,
    Tick,
    TimerFired,
    Upgraded,
)
from wfc.runtime.errors import WorkflowRuntimeError, WorkflowTimeoutError
from wfc.runtime.events import Event, InputRequiredEvent, StopEvent
from wfc.runtime.events.internal import StepState
from wfc.runtime.values.drafts import save

__all__ = ["advance"]


def advance(execution: Execution, tick: Tick, at: int = 0) -> None:
    """Apply a tick to a run. Ticks for what no longer exists, or after the end, change nothing.

    Args:
        at: The moment of the tick; for a clock that was put back, the moment of the last tick counts.
    """
    passed = at - execution.at
    if passed > 0:
        execution.at = at
    if execution.outcome is None or type(tick) is Rewound:
        try:
            _TICKS[type(tick)](execution, tick)
            if execution.due:
                begin_due(execution)
        except WorkflowRuntimeError as error:
            fail(execution, error)
        except Restarting as anew:
            restart(execution, anew.event)


def _started(execution: Execution, tick: Started) -> None:
    execution.inputs = tick.event
    if execution.to_begin is not None:
        execution.to_begin = None
    if tick.limits:
        execution.limits = tick.limits
    if tick.bounds:
        execution.set_bounds(tick.bounds)
    if tick.timeout is not None:
        execution.deadline = seconds_later(execution.at, tick.timeout)
    _begin(execution, tick.event)


def _begin(execution: Execution, event: Event) -> None:
    """Deliver the event by which a run begins, or goes on by one of its exits."""
    if execution.plan.start_joins:
        open_root(execution)
    if execution.observed:
        note_emitted(execution, event, None)
    for step in execution.plan.acceptors(type(event)):
        deliver(execution, step, event, execution.root, ())
    if not execution.in_flight:
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
                deliver(execution, target, emitted, None, ())
    else:
        if run.frame is not None and execution.plan.cancelling:
            run.frame.forget(run.number)
        if emitted is not None:
            emit(execution, run, emitted)
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
        if hasattr(run, "edits") or hasattr(run, "sent") or hasattr(run, "answers"):
            _forget_done(run)
        if hasattr(run, "started_runs"):
            run.runs_before = run.started_runs
        run.raised, run.failed_at = tick.error, execution.at
        if tick.falls_back:
            run.choice += 1
            run.since = run.attempt
            run.began = execution.at
        run.attempt += 1
        run.timer = start_timer(execution, tick.delay, run)
        if tick.keeps_place:
            run.keeps_place = True
        else:
            free_worker(execution, run.step)


def _forget_done(run: StepRun) -> None:
    """Let the next attempt of a body do again what this one, which has failed, has done; it keeps what it has got."""
    run.edits, run.sent = 0, []
    if hasattr(run, "answers"):
        run.answers = [answer for answer in run.answers if answer.event is not None]


def _edited(execution: Execution, tick: Edited) -> None:
    if tick.saved is not None:
        execution.state = save(execution.state, tick.saved)
    run = None if tick.number is None else execution.in_flight.get(tick.number)
    if run is None and tick.number in execution.paused:  # what it waits for does it
        run = execution.paused[tick.number].run
    if run is not None:
        run.edits = tick.ordinal


def _child_started(execution: Execution, tick: ChildStarted) -> None:
    run = execution.in_flight.get(tick.number)
    if run is not None:
        run.started_runs = getattr(run, "started_runs", 0) + 1


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
        frame, path = run.frame, next_path(run)
        if tick.content is not None:
            if not hasattr(run, "sent"):
                run.sent = []
            run.sent.append(tick.content)
    if execution.observed:
        note_emitted(execution, event, run.step if run is not None else None)
    if isinstance(event, StopEvent):
        execution.outcome = event
        return
    if isinstance(event, InputRequiredEvent):
        ask(execution, event)
    targets = execution.plan.acceptors(type(event)) if tick.step is None else (tick.step,)
    if run is None:
        reached = targets if execution.reached is None else execution.reached
        targets = tuple(step for step in targets if not step.needs_frame and step in reached)
    if targets:
        deliver_all(execution, targets, event, frame, path)
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


def _recovered(execution: Execution, tick: Recovered) -> None:
    recover(execution, tick)
    if execution.to_begin is None and execution.failing is None:
        check_not_stuck(execution, None)


def _cancelled(execution: Execution, tick: Cancelled) -> None:
    if isinstance(tick.error, WorkflowTimeoutError):
        execution.deadline = None  # it is over, and an exit of the run may lead on
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


def _search_made(_execution: Execution, _tick: SearchMade) -> None:
    """Change nothing: what was found is in what the step gives."""


_TICKS: dict[type[Tick], Callable[[Execution, Any], None]] = {
    Started: _started,
    Recovered: _recovered,
    Rewound: rewind,
    Upgraded: upgrade,
    Halted: run_halted,
    Continued: run_continued,
    BreakpointsSet: breakpoints_set,
    Completed: _completed,
    AttemptFailed: _attempt_failed,
    Failed: _failed,
    Arrived: _arrived,
    Edited: _edited,
    Replaced: event_replaced,
    ChildJoined: child_joined,
    ChildStarted: _child_started,
    Collected: event_collected,
    Waiting: body_waits,
    WaitEnded: wait_ended,
    Paused: step_paused,
    Answered: question_answered,
    Delegated: question_delegated,
    InboxEventDropped: inbox_event_dropped,
    InboxEventTaken: inbox_event_taken,
    InboxEventsRefused: inbox_events_refused,
    PauseResolved: pause_resolved,
    PauseFailed: pause_failed,
    ItemCompleted: item_completed,
    ItemFailed: item_failed,
    RunExitTaken: _run_exit_taken,
    ModelUsed: _model_used,
    SearchMade: _search_made,
    MatchValueComputed: match_value_computed,
    StepsCancelled: _steps_cancelled,
    TimerFired: _timer_fired,
    Cancelled: _cancelled,
}
