"""The error of a run whose step has failed for good: a ``WorkflowError`` that is also of the raised class."""

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
    """Return the error of a step, with its last attempt's exception as the cause and as a base class.

    So ``except WorkflowError`` catches every error of a run, while ``except ValueError`` in programs written
    for llama-index-workflows, which raises a step's exception unchanged, still works.
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
    """Return the exception to raise for a step's error: itself, or the step's pydantic ``ValidationError``.

    Programs catch ``ValidationError`` by its class, which cannot be subclassed; a note on it names the step.
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
    """Return the event for a handler of failed steps."""
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
    """Return subclasses of ``StepFailedError`` and each class of an exception, the nearest class first."""
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
