"""Opening and closing of frames: forks, batches, and what happens when no work of a frame is left."""

from __future__ import annotations

from wfc.runtime.core.advance.scheduling import start_run, start_timer, stop_timer
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import Exit, Frame, FrameKind, Path, Slots, StepRun
from wfc.runtime.errors import StuckError
from wfc.runtime.events import event_name
from wfc.runtime.plan.joins import AllOf
from wfc.runtime.plan.step import Step

__all__ = [
    "batch_of",
    "collect_all",
    "frame_of",
    "leave",
    "leave_out_pending",
    "missing",
    "move_into_fork",
    "open_batch",
    "open_item",
    "open_recovery",
    "open_root",
    "unfilled_join",
]

_FORK, _ITEM = FrameKind.FORK, FrameKind.ITEM  # to look up a member of an enum is slow before Python 3.12


def open_root(execution: Execution) -> None:
    """Open a frame for the start of a run, or for an exit by which it goes on, if a join has that as its fork."""
    joins = execution.plan.joins_from(execution.way)
    if joins:
        execution.root = _open(execution, None, None, joins, (), 0)
        if execution.listens:
            execution.root.enter()  # what comes from outside belongs to it, whenever that is


def move_into_fork(execution: Execution, run: StepRun) -> None:
    """Open a new frame for a step run of a fork, in place of the frame of the same fork that it came in.

    Inside an item of a batch, the new frame is put on top instead, so that the batch keeps count of it.
    """
    old = run.frame
    if old is not None and old.number == run.number and old.kind is FrameKind.FORK:
        return  # opened when the step run sent its first event
    step = run.step
    below = old
    frame = old
    recoveries: list[Step | None] = []
    while frame is not None and frame.kind is not FrameKind.ITEM:
        if frame.kind is FrameKind.FORK and frame.fork is step:
            frame.replaced = True
            below = frame.parent
            for handler in reversed(recoveries):  # how often errors were caught is not forgotten in a loop
                below = Frame(below, FrameKind.RECOVERY, handler, run.path, run.number)
            break
        if frame.kind is FrameKind.RECOVERY:
            recoveries.append(frame.fork)
        frame = frame.parent
    run.frame = _open(execution, below, step, step.opens, run.path, run.number)
    run.frame.enter()
    if old is not None:
        leave(execution, old)


def _open(
    execution: Execution,
    below: Frame | None,
    fork: Step | None,
    joins: tuple[Step, ...],
    path: Path,
    number: int,
) -> Frame:
    """Open the frame of a fork; the time-outs of its joins count from here."""
    frame = Frame(below, FrameKind.FORK, fork, path, number)
    if any(step.cancels for step in joins):
        frame.members = {}
    for step in joins:
        if (within := execution.within_of(step)) is not None:
            slots = frame.slots_for(step.index)
            slots.timer = start_timer(execution, within, (frame, step), execution.until_of(step))
            frame.holds += 1
            frame.enter()
            if below is not None and execution.plan.cancelling:
                below.keep(slots.timer, frame)
    return frame


def open_batch(execution: Execution, run: StepRun, collectors: tuple[Step, ...], path: Path) -> Frame:
    """Open the frame of a batch that a step run emits; it counts as alive until the caller leaves it."""
    batch = Frame(run.frame, FrameKind.BATCH, run.step, path, run.number, collectors)
    if any(collector.cancels for collector in collectors):
        batch.members = {}
    batch.enter()
    for collector in collectors:
        if (within := execution.within_of(collector)) is not None:
            slots = batch.slots_for(collector.index)
            slots.timer = start_timer(execution, within, (batch, collector), execution.until_of(collector))
            batch.keep(slots.timer, batch)
    return batch


def open_item(execution: Execution, opener: Step, number: int, below: Frame | None, path: Path) -> Frame:
    """Open the frame of a batch's item, and one for joins within it; alive until the caller leaves it.

    Args:
        opener: The step that has opened the batch.
        number: The number of its step run.
    """
    item = Frame(below, _ITEM, opener, path, number)
    if not opener.items_open:
        item.enter()
        return item
    frame = _open(execution, item, opener, opener.items_open, path, number)
    frame.enter()
    return frame


def open_recovery(run: StepRun, handler: Step) -> Frame | None:
    """Return the frame in which a handler takes over a failed step run; ``None`` at its recovery limit."""
    left = handler.max_recoveries
    frame = run.frame
    while frame is not None:
        if frame.kind is FrameKind.RECOVERY and frame.fork is handler:
            left -= 1
        frame = frame.parent
    return Frame(run.frame, FrameKind.RECOVERY, handler, run.path, run.number) if left > 0 else None


def frame_of(frame: Frame | None, fork: Step | None) -> Frame | None:
    """The innermost frame of a fork, on the stack that an event carries."""
    while frame is not None and not (frame.kind is FrameKind.FORK and frame.fork is fork):
        frame = frame.parent
    return frame


def batch_of(frame: Frame | None, collector: Step) -> Frame | None:
    """The innermost batch that a step collects, on the stack that an event carries."""
    while frame is not None and collector not in frame.collectors:
        frame = frame.parent
    return frame


def leave(execution: Execution, frame: Frame | None) -> None:
    """Count one step run, or live frame, less, and close frames in which no work is left.

    Raises:
        StuckError: A join in such a frame has some of its events, and cannot get the others any more.
    """
    while frame is not None:
        frame.live -= 1
        if frame.live > frame.holds:
            return
        if frame.kind is _FORK:
            _settle(execution, frame)
        if frame.live:
            return
        for collector in frame.collectors:
            collect_all(execution, frame, collector)
        if frame.kind is _ITEM and frame.parent is not None and frame.parent.pending:
            if not execution.due:
                execution.due = []
            execution.due.append(frame.parent)
        frame = frame.parent


def collect_all(execution: Execution, batch: Frame, collector: Step, exit: Exit = Exit.ACTION) -> None:
    """Fire a collector of a batch with the events that have arrived.

    They are in the order of the items, or of arrival if the collector does not wait for all.
    """
    slots = batch.slots_for(collector.index)
    if slots.fired:
        return
    slots.fired = True
    if slots.timer is not None:
        stop_timer(execution, slots.timer)
    found = batch.collected.pop(collector.index, [])
    if collector.take is None:  # else the order is that in which they came
        found.sort(key=lambda entry: entry[0])
    start_run(execution, collector, [event for _, event in found], batch.parent, batch.path, exit)


def leave_out_pending(execution: Execution, batch: Frame) -> None:
    """Let the items of a batch that have not begun never begin, if all who collect it have gone on without them."""
    fired = (batch.joins.get(collector.index) for collector in batch.collectors)
    if all(slots is not None and slots.fired for slots in fired) and batch.drop_pending():
        leave(execution, batch)


def _settle(execution: Execution, frame: Frame) -> None:
    """Handle a fork's frame with only time-outs left; without any, its waiting joins cannot fire any more."""
    for slots in frame.joins.values():
        if slots.timer is not None and not slots.fired and frame.replaced and not slots.arrived:
            # the run went round through the fork again: this frame's time-out has nobody to wait for
            slots.fired = True
            stop_timer(execution, slots.timer)
            frame.holds -= 1
            frame.live -= 1
    if frame.holds:
        return  # what follows on a time-out may end the run
    for index, slots in frame.joins.items():
        if not slots.fired:
            step = execution.plan.steps[index if isinstance(index, int) else index[0]]
            if isinstance(step.join, AllOf) and step.match_by is None:
                raise StuckError(f"the run is stuck: {unfilled_join(frame, step, slots)}")
            execution.fell_short = (frame, step, slots)


def unfilled_join(frame: Frame, step: Step, slots: Slots) -> str:
    """Return a description of a join that has only some of its events and will not get more."""
    fork = f"`{frame.fork.name}`" if frame.fork is not None else "the start of the run"
    return (
        f"the join of step `{step.name}` has {have(step, slots)}, and in this frame of {fork} nothing is left "
        f"that could bring it {missing(step, slots)}"
    )


def have(step: Step, slots: Slots) -> str:
    """Return the names of the events that have arrived at a join."""
    return " and ".join(event_name(event) for event in slots.arrived.values())


def missing(step: Step, slots: Slots) -> str:
    """Return the names of the events that have not arrived at a join."""
    names = [event_name(slot.events[0]) for at, slot in enumerate(step.slots) if at not in slots.arrived]
    return (" and " if step.needed == len(step.slots) else " or ").join(names)
