"""Detection of runs that can no longer make progress."""

from __future__ import annotations

from wfc.runtime.core.advance.frames import unfilled_join
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.errors import StuckError
from wfc.runtime.events import event_name

__all__ = ["check_not_stuck"]


def check_not_stuck(execution: Execution, last: StepRun | None) -> None:
    """Check that a run can make progress: something runs, is paused, or is awaited from outside.

    Args:
        last: The step run that has just ended, if any.

    Raises:
        StuckError: It cannot; the message names what still waits for something.
    """
    if execution.in_flight or execution.timers or execution.paused or execution.outcome is not None:
        return
    if execution.due:
        return
    if execution.listens or execution.asked or execution.event_waits:
        return
    said = "nothing is running or queued"
    if last is not None:
        said += f", and the last step, `{last.step.name}`, emitted nothing on {last.event_name}"
    found = _waiting(execution)
    found += [f"{event_name(event)} was sent, and nothing waits for it" for event in execution.inbox.values()]
    if execution.fell_short is not None:
        found.append(unfilled_join(*execution.fell_short))
    waiting = "; ".join(found)
    raise StuckError(
        f"the run can no longer move: {said}, so no end event can come" + (f"; {waiting}" if waiting else "")
    )


def _waiting(execution: Execution) -> list[str]:
    """Return descriptions of the hand-written joins that have only a part of what they wait for."""
    found = []
    for key, waiting in execution.buffers.items():
        step = execution.plan.steps[key[0]]
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
