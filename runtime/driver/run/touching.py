"""What the bodies of hand-written steps do to a run whose ticks are kept, and do not do twice when they are cut off."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Protocol

from wfc.runtime.core.body_ticks import Edited
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import Tick
from wfc.runtime.events import Event
from wfc.runtime.store.values import Values
from wfc.runtime.values.drafts import Saved, save

__all__ = ["Touches", "content_of", "edit", "was_sent"]

DIGEST = 12
"""The bytes of a digest: enough, for it only tells apart what one body has sent."""


class TouchedRun(Protocol):
    """The interface of a run that bodies change."""

    @property
    def execution(self) -> Execution:
        """The run's state of execution, as data."""

    def take(self, tick: Tick) -> None:
        """Apply a tick from outside, and start the step runs that are then ready."""


class Touches:
    """What an attempt of a body has done so far.

    ``sent_before`` counts what earlier attempts have sent that were cut off, and this one has not come to.
    """

    __slots__ = ("attempt", "edits", "sent_before")

    def __init__(self, step_run: StepRun) -> None:
        self.attempt = step_run.attempt
        self.edits = 0
        self.sent_before = Counter(getattr(step_run, "sent", ()))


def _touches(step_run: StepRun) -> Touches:
    touched = getattr(step_run, "touched", None)
    if touched is None or touched.attempt != step_run.attempt:
        touched = step_run.touched = Touches(step_run)
    found: Touches = touched
    return found


def edit(run: TouchedRun, step_run: StepRun | None, saved: Saved) -> None:
    """Change the state of a run; what the body of a step run has changed before it was cut off is done."""
    execution = run.execution
    if execution.outcome is not None:
        if saved is not None:  # it is over, and nothing is recorded any more
            execution.state = save(execution.state, saved)
    elif step_run is None:
        if saved is not None:
            run.take(Edited(None, 0, saved))
    else:
        touched = _touches(step_run)
        touched.edits += 1
        if touched.edits > getattr(step_run, "edits", 0):
            run.take(Edited(step_run.number, touched.edits, saved))


def content_of(event: Event, step: str | None, values: Values) -> str:
    """Return a digest of what is sent, and to which step.

    Raises:
        SnapshotError: The event cannot be written.
    """
    text = json.dumps([step, values.write_model(event)])
    return hashlib.blake2b(text.encode(), digest_size=DIGEST).hexdigest()


def was_sent(step_run: StepRun, content: str) -> bool:
    """Return whether an attempt that was cut off has sent this already; that counts once."""
    before = _touches(step_run).sent_before
    if not before[content]:
        return False
    before[content] -= 1
    return True
