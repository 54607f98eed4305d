"""What a run raises when a step has failed for good: an error of ours that is also one of the kind that was raised."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

from pydantic import ValidationError

from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.errors import StepError, StepFailedError, WorkflowError
from wfc.runtime.events import CollectionReleaseEvent, Event, StepFailedEvent

__all__ = ["as_caught", "failed_event", "step_failed"]


_MOST_KINDS = 256


def step_failed(
    step: str, event: str, attempt: int, error: StepError, raised: Exception, *, tail: bool = False
) -> StepFailedError:
    """Return the error of a step, raised from what its last attempt raised, and caught by whoever expects that.

    So ``except WorkflowError`` catches whatever a run raises, and ``except ValueError`` what a program expects that was
    written for llama-index-workflows, where a step's exception comes out as it is.
    """
    failed = StepFailedError(step, event, attempt, error, tail=tail)
    raised_kind: Any = type(raised)
    for kind in _kinds(raised_kind):
        try:
            failed = kind(step, event, attempt, error, tail=tail)
        except Exception:  # noqa: S112 - it cannot be made without arguments of its own
            continue
        _copy_attributes(raised, failed)
        break
    failed.__cause__ = raised
    return failed


def as_caught(failed: StepFailedError) -> Exception:
    """Return what is raised for a step's error: itself, or pydantic's ``ValidationError`` that the step has raised.

    Programs catch that one by its class, of which no other error can be; it has a note of which step it was.
    """
    raised = failed.__cause__
    if not isinstance(raised, ValidationError) or failed.name == "expression":
        return failed
    if str(failed) not in getattr(raised, "__notes__", ()):
        raised.add_note(str(failed))
    return raised


def failed_event(
    step_run: StepRun, error: Exception, failed: StepFailedError, now: datetime
) -> StepFailedEvent:
    """Return what a handler of failed steps is told."""
    event = step_run.event
    if not isinstance(event, Event):
        event = CollectionReleaseEvent(events=event if isinstance(event, list) else list(event.values()))
    return StepFailedEvent(
        step_name=step_run.step.name,
        input_event=event,
        exception=error,
        attempts=step_run.attempt,
        elapsed_seconds=failed.elapsed_seconds or 0.0,
        failed_at=now,
    )


@lru_cache(maxsize=_MOST_KINDS)
def _kinds(raised: type[Exception]) -> tuple[type[StepFailedError], ...]:
    """Return ``StepFailedError`` derived from each class of an exception too, the nearest one first."""
    found = []
    for base in raised.__mro__:
        if base is Exception or issubclass(base, StopIteration | StopAsyncIteration):
            break  # futures refuse these two
        if issubclass(base, WorkflowError):
            continue  # those mean something by themselves: a run that was cancelled, a deadline
        try:
            found.append(type("StepFailedError", (StepFailedError, base), dict(_OF_THE_KIND)))
        except TypeError:
            continue
    return tuple(found)


_OF_THE_KIND = {"__module__": StepFailedError.__module__, "__doc__": StepFailedError.__doc__}


def _copy_attributes(raised: Exception, failed: StepFailedError) -> None:
    taken = vars(failed).keys() | vars(StepFailedError).keys()
    found = dict(vars(raised)) if hasattr(raised, "__dict__") else {}
    for kind in type(raised).__mro__:
        if kind is Exception:
            break
        for name, member in vars(kind).items():
            if isinstance(member, MemberDescriptorType | GetSetDescriptorType) and hasattr(raised, name):
                found[name] = getattr(raised, name)
    for name, value in found.items():
        if name not in taken and not name.startswith("__"):
            try:
                setattr(failed, name, value)
            except (AttributeError, TypeError):
                continue  # one that only its class may set
