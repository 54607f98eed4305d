"""What the watchers of a run are told of its attempts: progress, states, and the errors that a step has taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Protocol

from wfc.runtime.authoring.injection import CallingRun
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.run.watchers import Watchers
from wfc.runtime.events import ErrorHandled, Event, ProgressText, event_name
from wfc.runtime.events.internal import StepState, StepStateChanged
from wfc.runtime.plan.outcomes import All

__all__ = ["events_in", "note_state", "tell", "tell_before", "tell_handled", "tell_of_emitted"]


class TellingRun(CallingRun, Protocol):
    """The interface of a run that tells of its attempts."""

    @property
    def watchers(self) -> Watchers:
        """The run's watchers."""


def events_in(emitted: object) -> Iterator[Event]:
    """Yield the events that an exit has emitted: one, several, or one for each item of a list."""
    if isinstance(emitted, Event):
        yield emitted
    elif isinstance(emitted, list | tuple | All):
        for each in emitted.events if isinstance(emitted, All) else emitted:
            yield from events_in(each)


def tell_handled(
    run: TellingRun,
    step_run: StepRun,
    name: str,
    message: str,
    emitted: object,
    instead: Literal["", "give", "null", "skip"] = "",
) -> None:
    """Tell the watchers that a step took an error, a limit or a time-out.

    Args:
        instead: Of an item: what takes its place.
    """
    told = ErrorHandled(
        step=step_run.step.name,
        name=name,
        message=message,
        attempts=step_run.attempt,
        goes_to=list(dict.fromkeys(map(event_name, events_in(emitted)))),
        item=step_run.item,
        instead=instead,
    )
    run.watchers.publish(told)


def tell_before(run: TellingRun, step_run: StepRun) -> None:
    """Show the watchers the progress text with which a step run begins."""
    step = step_run.step
    if step.stream_before is not None:
        tell(run, step_run, step.stream_before(run, step_run, None))


def tell(run: TellingRun, step_run: StepRun, said: str | Event) -> None:
    """Show the watchers a progress text of a step run, or the event that takes its place."""
    if not isinstance(said, Event):
        said = ProgressText(text=said, step=step_run.step.name, attempt=step_run.attempt)
    run.watchers.publish(said)


def tell_of_emitted(run: TellingRun, step_run: StepRun, emitted: object) -> None:
    """Show the watchers what the workflow shows of what a step emits."""
    execution = run.execution
    assert execution.plan.shows is not None
    state = step_run.draft if step_run.step.saves else execution.state
    for each in execution.plan.shows(run, state, events_in(emitted)):
        run.watchers.publish(each)


def note_state(
    run: TellingRun,
    step_run: StepRun,
    state: StepState,
    *,
    error: str | None = None,
    retry_in: float | None = None,
) -> None:
    """Tell the observers, if there are any, in which state a step run is now."""
    if run.execution.observed:
        run.watchers.note(
            StepStateChanged(
                name=step_run.step.name,
                step_state=state,
                worker_id=str(step_run.number),
                input_event_name=step_run.event_name,
                attempt=step_run.attempt,
                error=error,
                retry_in=retry_in,
                item=step_run.item,
            )
        )
