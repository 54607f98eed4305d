"""The items of a pause: each is a step run of its own, and all of them together give the step's result."""

from __future__ import annotations

from wfc.runtime.core.advance.observing import note_state
from wfc.runtime.core.advance.releasing import finish
from wfc.runtime.core.advance.scheduling import count_steps, free_worker, start_or_queue
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import Exit, ItemRuns, Pause, StepRun
from wfc.runtime.core.ticks import ItemCompleted, ItemFailed
from wfc.runtime.events.internal import StepState
from wfc.runtime.plan.pauses import SKIP, Items
from wfc.runtime.values.drafts import save

__all__ = ["item_completed", "item_failed", "skip_item", "start_items"]


def start_items(execution: Execution, pause: Pause) -> None:
    """Start the runs of a pause's items, as many at once as there are workers, and queue the others."""
    run, value = pause.run, pause.value
    assert isinstance(value, Items)
    step = run.step.item
    assert step is not None  # the table says so of a step that may return items
    count_steps(execution, len(value.items))
    items = pause.items = ItemRuns(len(value.items))
    for position in range(len(value.items)):
        number = execution.number = execution.number + 1
        one = StepRun(number, step, run.event, run.frame, (*run.path, position))
        one.parent, one.position = pause, position
        items.live[number] = one
        start_or_queue(execution, one)
    if not items.live:
        finish(execution, pause, Exit.RESULT, [])


def item_completed(execution: Execution, tick: ItemCompleted) -> None:
    """Handle the completion of an item's run."""
    run = execution.in_flight.pop(tick.number, None)
    if run is not None:
        if tick.saved is not None:
            execution.state = save(execution.state, tick.saved)
        note_state(execution, run, StepState.NOT_RUNNING, None)
        free_worker(execution, run.step)
        _record(execution, run, tick.value)


def item_failed(execution: Execution, tick: ItemFailed) -> None:
    """Handle the final failure of an item's run."""
    run = execution.in_flight.pop(tick.number, None)
    if run is None:
        return
    free_worker(execution, run.step)
    if run.step.on_item_error == "fail":
        del _items(run).live[run.number]
        finish(execution, run.parent, Exit.BROKEN, tick.error)
    else:
        _record(execution, run, None if run.step.on_item_error == "null" else SKIP)


def skip_item(execution: Execution, run: StepRun) -> None:
    """Leave out an item whose run was cancelled, if its pause still waits for it."""
    if run.number in _items(run).live:
        _record(execution, run, SKIP)


def _record(execution: Execution, run: StepRun, value: object) -> None:
    items = _items(run)
    del items.live[run.number]
    items.given[run.position] = value
    if not items.live:
        finish(execution, run.parent, Exit.RESULT, [one for one in items.given if one is not SKIP])


def _items(run: StepRun) -> ItemRuns:
    assert run.parent.items is not None
    return run.parent.items
