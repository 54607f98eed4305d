"""A test of a spec played for somebody who looks on: what its steps do and what happens, on a clock that jumps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from wfc.runtime.driver.run import Run
from wfc.runtime.errors import SettingsError
from wfc.runtime.events import Event, PartialResult, StopEvent, ThinkingText, TokenText
from wfc.runtime.events.internal import ChildNote, ModelCalled, StepStateChanged
from wfc.runtime.store.timeline import StepLine, Timeline
from wfc.runtime.testing.cases import outcome_of, play, waits_for_ever
from wfc.runtime.testing.clock import DeadlockError, run_virtually
from wfc.runtime.testing.expectations import Seen
from wfc.runtime.testing.preparing import CannotRunError, SpecTest, clock_of, ready

if TYPE_CHECKING:
    from wfc.runtime.workflow import Workflow

__all__ = ["Rehearsal", "rehearse"]

MOST: Final = 2_000
"""How many events are noted, and how many step runs."""

_PIECES: Final = (TokenText, ThinkingText, PartialResult, ChildNote, StopEvent)
"""What is shown of a reply piece by piece, of parts, and of the end: not noted."""


@dataclass(slots=True)
class Rehearsal:
    """What has happened in a rehearsal.

    Args:
        steps: The step runs, in the order in which they began.
        shown: What watchers are shown, each with its moment in nanoseconds.
        left_out: How many of these are not noted.
        end: The end event; ``None``: there is none.
        problem: Why there is none; empty if there is one.
        unmet: The expectations of the test that were not met, a sentence each.
        state: The state at the end.
    """

    steps: list[StepLine] = field(default_factory=list)
    shown: list[tuple[int, Event]] = field(default_factory=list)
    left_out: int = 0
    end: Event | None = None
    problem: str = ""
    unmet: Sequence[str] = ()
    state: Any = None


def rehearse(workflow: type[Workflow], case: SpecTest, others: Sequence[type[Workflow]] = ()) -> Rehearsal:
    """Play a test in an event loop of its own, with its mocks in the place of all actions.

    Args:
        others: Workflows that this one may call by name.

    Raises:
        RuntimeError: It is called inside a running event loop.
    """
    found, seen, timeline = Rehearsal(), Seen(), Timeline()
    try:
        given, moment = ready(workflow, case), clock_of(case.clock)
    except (CannotRunError, SettingsError) as error:
        found.problem = str(error)
        return found

    last = 0

    def watch(run: Run) -> None:
        def note(event: Event) -> None:
            nonlocal last
            last = run.execution.at
            _note(found, timeline, last, event)

        run.watchers.observe(note)

    try:
        run_virtually(lambda: play(given, seen, others, watch), start=moment)
    except DeadlockError:
        found.problem = waits_for_ever(given)
    except SettingsError as error:
        found.problem = str(error)
    if seen.failure is not None:
        found.problem = str(seen.failure)
    timeline.cut_off(last)
    found.steps = list(timeline.lines.values())[:MOST]
    found.end, found.state = seen.end, seen.state
    if not found.problem:
        found.unmet = outcome_of(case, given, seen).problems
    return found


def _note(found: Rehearsal, timeline: Timeline, at: int, event: Event) -> None:
    if isinstance(event, StepStateChanged):
        timeline.note(event, at, 0)
    elif isinstance(event, ModelCalled):
        timeline.pay(int(event.worker_id), event.tokens_in + event.tokens_out, event.cost_usd or 0.0)
    elif isinstance(event, _PIECES):
        return
    elif len(found.shown) < MOST:
        found.shown.append((at, event))
    else:
        found.left_out += 1
