"""Cancellation of step runs and what follows from them: the rest of a join's frame, or on request."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain

from wfc.runtime.core.advance.frames import leave
from wfc.runtime.core.advance.items import skip_item
from wfc.runtime.core.advance.releasing import drop
from wfc.runtime.core.advance.scheduling import stop_timer
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import Exit, Frame, FrameKind, Pause, StepRun
from wfc.runtime.core.ticks import StepsCancelled
from wfc.runtime.errors import StuckError
from wfc.runtime.plan.step import Step

__all__ = ["affected", "cancel_rest", "cancel_steps"]


def cancel_rest(execution: Execution, join: Step, frame: Frame, fired: int) -> None:
    """Cancel what could still lead to a fired join in a frame, except for the join's own run ``fired``."""
    assert frame.members is not None  # a frame of such a join keeps them
    _abandon(execution, frame, join.cancels)
    for number, member in list(frame.members.items()):
        if isinstance(member, Frame):
            if number in execution.timers:
                _leave_out_items(member, frame, join.cancels)
                _abandon(execution, member, join.cancels, is_empty=True)
        elif member.step in join.cancels and number != fired:
            for inner in _frames(member.frame, frame):
                _abandon(execution, inner, join.cancels)
            drop(execution, member)


def _frames(frame: Frame | None, until: Frame | None = None) -> Iterator[Frame]:
    """Yield a frame and those below it on the stack, down to but without ``until``."""
    while frame is not None and frame is not until:
        yield frame
        frame = frame.parent


def _abandon(
    execution: Execution, frame: Frame, joins: Collection[Step] | None, *, is_empty: bool = False
) -> None:
    """Stop these joins, or all, from waiting for further events in a frame.

    Args:
        is_empty: Whether the frame may be alive only because of the time-outs of its joins.
    """
    for collector in frame.collectors:
        frame.slots_for(collector.index)
    _leave_out_items(frame, frame.parent, joins)
    stopped = 0
    for index, slots in frame.joins.items():
        step = execution.plan.steps[index if isinstance(index, int) else index[0]]
        if slots.fired or (joins is not None and step not in joins):
            continue
        slots.fired = True
        slots.arrived = {}
        if slots.timer is not None and stop_timer(execution, slots.timer):
            stopped += frame.kind is FrameKind.FORK
    frame.holds -= stopped
    for _ in range(stopped):
        if is_empty:
            leave(execution, frame)
        else:
            frame.live -= 1


def _leave_out_items(frame: Frame | None, until: Frame | None, joins: Collection[Step] | None) -> None:
    """Let items that have not begun never begin, in batches from a frame down to ``until``.

    Those are all of them, or those that only the given joins collect. Work of such a batch is left, and the caller
    takes it out, so that nobody has to leave the batch here.
    """
    for batch in _frames(frame, until):
        if joins is None or (batch.collectors and all(one in joins for one in batch.collectors)):
            batch.live -= batch.drop_pending()


def affected(execution: Execution, step: Step | None, number: int | None) -> list[StepRun]:
    """The live step runs of a step, or of a number, and all that carry a frame that such a run has opened."""
    found = []
    for run in list(_live(execution)):
        if _is_named(run, step, number) or any(
            _is_opened_by(frame, step, number) for frame in _frames(run.frame)
        ):
            found.append(run)
    return found


def _is_opened_by(frame: Frame, step: Step | None, number: int | None) -> bool:
    return frame.number == number if step is None else frame.fork is step and frame.number > 0


def _is_named(run: StepRun, step: Step | None, number: int | None) -> bool:
    return run.number == number if step is None else run.step is step


def _live(execution: Execution) -> Iterator[StepRun]:
    queued = chain.from_iterable(execution.queues.values())
    timed = (one for one in execution.timers.values() if isinstance(one, StepRun))
    waiting = (pause.run for pause in execution.paused.values())
    every = chain(execution.in_flight.values(), queued, timed, waiting)
    return (run for run in every if run.exit is not Exit.DROPPED)


def cancel_steps(execution: Execution, tick: StepsCancelled) -> None:
    """Cancel a step, or one run of it, with what follows, on request from outside.

    Raises:
        StuckError: Without the cancelled step runs, the run cannot come to an end.
    """
    step, number = tick.step, tick.number
    try:
        runs = affected(execution, step, number)
        for frame in [one[0] for one in execution.timers.values() if isinstance(one, tuple)]:
            if any(_is_opened_by(each, step, number) for each in _frames(frame)):
                for each in _frames(frame):
                    if _is_opened_by(each, step, number):
                        _leave_out_items(each, each.parent, None)
                _abandon(execution, frame, None, is_empty=True)
        for run in runs:
            if run.exit is Exit.DROPPED:
                continue  # dropped already, with the step that it was an item of
            for frame in _frames(run.frame):
                if _is_opened_by(frame, step, number):
                    _abandon(execution, frame, None)
            drop(execution, run)
            if run.step.of is not None and isinstance(run.parent, Pause):
                skip_item(execution, run)
    except StuckError as error:
        name = f"step `{step.name}`" if step is not None else f"step run {number}"
        raise StuckError(f"{name} was cancelled, and without it {error}") from None
