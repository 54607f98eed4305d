"""The end of pauses and dropped step runs, and of what they hold: timers, questions, child runs, items."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from wfc.runtime.core.advance.frames import leave
from wfc.runtime.core.advance.observing import note_state
from wfc.runtime.core.advance.scheduling import continue_run, free_worker, stop_timer
from wfc.runtime.core.effects import CancelTask, NotifyObservers, Publish, StopChild, StopTimer
from wfc.runtime.core.execution import NONE, Execution
from wfc.runtime.core.step_runs import Exit, Pause, StepRun
from wfc.runtime.errors import UndeclaredResultError
from wfc.runtime.events import StopEvent, event_name
from wfc.runtime.events.internal import StepState, UnhandledEvent
from wfc.runtime.plan.pauses import Child, ClosedBecause, Question, QuestionClosed

__all__ = ["drop", "drop_all", "finish", "finish_run", "question_id"]

_BECAUSE: dict[Exit, ClosedBecause] = {
    Exit.RESULT: "answered",
    Exit.EXPIRED: "expired",
    Exit.BROKEN: "timed out",
    Exit.DROPPED: "cancelled",
}


def question_id(execution: Execution, run: StepRun) -> str:
    """Return the id of a question for use from outside, which never changes."""
    return f"{execution.run_id}/{run.step.name}/{run.number}"


def finish(
    execution: Execution, pause: Pause, exit: Exit, result: Any = None, *, child_ended: bool = False
) -> None:
    """End a pause and continue its step run by ``exit``, with what it waited for or the error instead."""
    run = pause.run
    _release(execution, pause, exit, child_ended=child_ended)
    run.result = result
    if pause.at_work:
        execution.busy[run.step.index] -= 1  # which it takes up again at once
    continue_run(execution, run, exit)


def _release(execution: Execution, pause: Pause, exit: Exit, *, child_ended: bool = False) -> None:
    del execution.paused[pause.run.number]
    execution.expecting.pop(pause.run.number, None)
    for timer in pause.timers:
        stop_timer(execution, timer)
    if isinstance(pause.value, Question):
        _close(execution, pause, exit)
    elif isinstance(pause.value, Child) and not child_ended and not pause.value.detach:
        execution.want(StopChild(pause.run.number))
    if pause.items is not None:
        for run in list(pause.items.live.values()):
            drop(execution, run)


def _close(execution: Execution, pause: Pause, exit: Exit) -> None:
    closed = QuestionClosed(
        id=question_id(execution, pause.run), step=pause.run.step.name, because=_BECAUSE[exit]
    )
    execution.want(Publish(closed))


def drop(execution: Execution, run: StepRun) -> None:
    """Cancel a step run, wherever it is: at work, in a queue, before its next attempt, or paused."""
    if run.exit is Exit.DROPPED:
        return
    pause = execution.paused.get(run.number)
    if pause is not None:
        _release(execution, pause, Exit.DROPPED)
        if pause.at_work:
            free_worker(execution, run.step)
    elif execution.in_flight.pop(run.number, None) is not None:
        with suppress(ValueError):  # whoever starts it may have it already
            execution.starting.remove(run)
        execution.want(CancelTask(run))
        free_worker(execution, run.step)
    else:
        stop_timer(execution, getattr(run, "timer", 0))
        if run.keeps_place:
            run.keeps_place = False
            free_worker(execution, run.step)
    run.exit = Exit.DROPPED  # for a queue, which it stays in until its turn comes
    note_state(execution, run, StepState.CANCELLED, None)
    if run.frame is not None and run.step.of is None:
        if execution.plan.cancelling:
            run.frame.forget(run.number)
        leave(execution, run.frame)


def release_all(execution: Execution) -> None:
    """Release all pauses: close their questions, and stop the child runs that are not detached."""
    for pause in execution.paused.values():
        if isinstance(pause.value, Question):
            _close(execution, pause, Exit.DROPPED)
        elif isinstance(pause.value, Child) and not pause.value.detach:
            execution.want(StopChild(pause.run.number))
    execution.paused = execution.expecting = NONE


def drop_all(execution: Execution) -> None:
    """Cancel all step runs, and stop all timers; nobody may look at frames, joins and queues after that."""
    release_all(execution)
    waiting = [one for one in execution.timers.values() if isinstance(one, StepRun)]
    queued = [run for queue in execution.queues.values() for run in queue if run.exit is not Exit.DROPPED]
    for run in (*execution.in_flight.values(), *waiting, *queued):
        run.exit = Exit.DROPPED
        note_state(execution, run, StepState.CANCELLED, None)
    execution.want(*(CancelTask(run) for run in execution.in_flight.values()))
    execution.want(*map(StopTimer, execution.timers))
    execution.in_flight.clear()
    execution.starting.clear()


def finish_run(execution: Execution) -> None:
    """Finish a run: release its pauses, and report the events that nobody took.

    An event that a step sent, that no step accepts and that no body has ever waited for, is an error.
    """
    release_all(execution)
    if execution.unclaimed and isinstance(execution.outcome, StopEvent):
        kind, sender = next(iter(execution.unclaimed.items()))
        execution.outcome = UndeclaredResultError(
            f"no step accepts {kind.__name__}, which step `{sender}` sent, and nothing has waited for it"
        )
    for event in execution.inbox.values():
        kind = type(event)
        unhandled = UnhandledEvent(
            event_type=event_name(event), qualified_name=f"{kind.__module__}.{kind.__qualname__}"
        )
        if kind in execution.plan.received:  # which the workflow has said that it takes
            execution.want(Publish(unhandled))
        elif execution.observed:
            execution.want(NotifyObservers(unhandled))
    execution.inbox = NONE
