"""Scheduling of step runs: their start, their queues for workers, and the release of workers."""

from __future__ import annotations

from collections import deque
from typing import Any

from wfc.runtime.core.effects import StartTimer, StopTimer
from wfc.runtime.core.execution import NONE, Execution, Timed
from wfc.runtime.core.moments import seconds_later
from wfc.runtime.core.step_runs import Exit, Frame, FrameKind, Path, StepRun
from wfc.runtime.errors import LimitError
from wfc.runtime.plan.step import Step
from wfc.runtime.values.drafts import draft_of

__all__ = [
    "continue_run",
    "count_steps",
    "free_worker",
    "place",
    "resume",
    "start_or_queue",
    "start_run",
    "start_timer",
    "stop_timer",
]

_DROPPED = Exit.DROPPED  # to look up a member of an enum is slow before Python 3.12


def start_run(
    execution: Execution,
    step: Step,
    event: Any,
    frame: Frame | None,
    path: Path,
    exit: Exit = Exit.ACTION,
) -> None:
    """Create a step run, and start it or queue it behind those that came before.

    Raises:
        LimitError: The step has run as often as it may, and has no other exit for that.
    """
    number = execution.number = execution.number + 1
    run = StepRun(number, step, event, frame, path, exit)
    if step.limited and exit is Exit.ACTION and _is_over_limit(execution, run, frame):
        if step.on_limit is None:
            raise LimitError(
                f"step `{step.name}` was to run on {run.event_name} more often than its bound allows"
            )
        run.exit = Exit.LIMIT
    if frame is not None:
        frame.enter()
        if execution.plan.cancelling:
            frame.keep(number, run)
    index, busy = step.index, execution.busy
    at_work = busy[index]
    if at_work < execution.workers[index]:
        busy[index] = at_work + 1
        run.began = run.started = execution.at
        if step.needs_snapshot:
            run.snapshot = draft_of(execution.state)
        execution.in_flight[number] = run
        execution.starting.append(run)
    else:
        _queue(execution, index).append(run)


def place(execution: Execution, run: StepRun) -> None:
    """Let a step run that has a worker begin; what it sees of the run is settled here, at its first attempt."""
    if run.attempt == 1:
        run.began = run.started = execution.at
        if run.step.needs_snapshot:
            run.snapshot = draft_of(execution.state)
    execution.in_flight[run.number] = run
    execution.starting.append(run)


def start_or_queue(execution: Execution, run: StepRun) -> None:
    """Start a step run, or queue it behind those that came before."""
    index = run.step.index
    if execution.busy[index] < execution.workers[index]:
        execution.busy[index] += 1
        place(execution, run)
    else:
        _queue(execution, index).append(run)


def free_worker(execution: Execution, step: Step) -> None:
    """Give the worker of a finished step run to the next one in the queue, or free it."""
    index, busy = step.index, execution.busy
    if execution.queues and busy[index] <= execution.workers[index]:
        queue = execution.queues.get(index)
        while queue:
            run = queue.popleft()
            if run.exit is not _DROPPED:
                place(execution, run)
                return
    busy[index] -= 1


def resume(execution: Execution, run: StepRun) -> None:
    """Start a step run's next attempt: at once if it has kept its place, else ahead of those that came after it."""
    run.exit = Exit.ACTION
    index, kept = run.step.index, run.keeps_place
    if kept or execution.busy[index] < execution.workers[index]:
        run.keeps_place = False
        execution.busy[index] += not kept
        execution.in_flight[run.number] = run
        execution.starting.append(run)
    else:
        _queue(execution, index).appendleft(run)


def continue_run(execution: Execution, run: StepRun, exit: Exit) -> None:
    """Continue a step run by an exit, as after a pause; this takes no time and needs no free worker."""
    run.exit = exit
    if exit is Exit.MATCH:
        run.began = run.started = execution.at
    execution.busy[run.step.index] += 1
    execution.in_flight[run.number] = run
    execution.starting.append(run)


def start_timer(execution: Execution, seconds: float, waiting: Timed, until: int | None = None) -> int:
    """Request a timer for what waits, and return the timer's number; it fires at ``until`` at the latest."""
    number = execution.number = execution.number + 1
    if execution.timers is NONE:
        execution.timers, execution.due_at = {}, {}
    execution.timers[number] = waiting
    due = seconds_later(execution.at, seconds)
    if until is not None:
        due = min(due, max(until, execution.at))
    execution.due_at[number] = due
    execution.want(StartTimer(number, due))
    return number


def stop_timer(execution: Execution, number: int) -> bool:
    """Stop a timer; return whether it was still there."""
    if execution.timers.pop(number, None) is None:
        return False
    execution.due_at.pop(number, None)
    execution.want(StopTimer(number))
    return True


def _queue(execution: Execution, index: int) -> deque[StepRun]:
    if execution.queues is NONE:
        execution.queues = {}
    queue = execution.queues.get(index)
    if queue is None:
        queue = execution.queues[index] = deque()
    return queue


def count_steps(execution: Execution, more: int) -> None:
    """Count more step runs, if the run has a bound on them.

    Raises:
        LimitError: The count exceeds the bound.
    """
    most = execution.most_steps
    if most is not None:
        execution.steps += more
        if execution.steps > most:
            raise LimitError(f"the run was to take more than {most} steps", "limit.steps")


def _is_over_limit(execution: Execution, run: StepRun, frame: Frame | None) -> bool:
    """Count one more run of a step, and return whether the count exceeds the step's limit.

    The count is that of the innermost item of a batch, or else of the whole run.
    """
    if execution.most_steps is not None:
        count_steps(execution, 1)
    step = run.step
    while frame is not None and frame.kind is not FrameKind.ITEM:
        frame = frame.parent
    if frame is None and execution.runs is NONE:
        execution.runs = {}
    if frame is not None and frame.runs is NONE:
        frame.runs = {}
    counts = execution.runs if frame is None else frame.runs
    run.round = counts[step.index] = counts.get(step.index, 0) + 1
    if step.max_runs is None:
        return False
    limit = step.max_runs if isinstance(step.max_runs, int) else execution.limits[step.index]
    return run.round > limit
