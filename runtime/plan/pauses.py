"""What a step may wait for without anybody at work: answers, times, events from outside, other runs, items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Generic, Literal, TypeVar

from wfc.runtime.errors import StepError
from wfc.runtime.events import Event, InputRequiredEvent, Moment, StartEvent

__all__ = [
    "PAUSES",
    "SKIP",
    "Child",
    "ClosedBecause",
    "Delay",
    "Items",
    "Outside",
    "PauseValue",
    "Question",
    "QuestionAsked",
    "QuestionClosed",
    "Skip",
    "Until",
]

T = TypeVar("T")
E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """Waits for a person's answer.

    Args:
        form: The record that an answer must be; ``None``: there is nothing to fill in, any answer confirms.
        title: What it is about, in a line.
        show: A text to decide upon, or ``None``.
        prefill: Values that the form shows to begin with, by field.
        assign: Who may be asked, such as ``user:ann`` or ``group:leads``; nobody: whoever sees it.
        quorum: How many distinct people must answer; the result is then the list of their answers. ``None``: one,
            and the result is that answer.
    """

    form: type[T] | None
    title: str = ""
    show: str | None = None
    prefill: Mapping[str, object] = field(default_factory=dict)
    assign: Sequence[str] = ()
    quorum: int | None = None

    def __post_init__(self) -> None:
        if self.quorum is not None and self.quorum < 1:
            raise StepError("quorum", f"a question needs at least one answer, not {self.quorum}")


@dataclass(frozen=True, slots=True)
class Delay:
    """Waits for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Until:
    """Waits for a moment, which has an offset; one that has passed is not waited for."""

    moment: datetime


@dataclass(frozen=True, slots=True)
class Outside(Generic[E]):
    """Waits for an event from outside: the oldest one that is kept, or the next to come, for which ``that`` holds."""

    event: type[E]


@dataclass(frozen=True, slots=True)
class Child(Generic[T]):
    """Runs another workflow and waits for its end.

    Args:
        workflow: Its name, or its class or object.
        inputs: The fields of its start event, or that event.
        ends: The classes that its end event is read as, by name; none: as it is.
        detach: Whether it goes on by itself; the result is then the child run's id, at once.
    """

    workflow: Any
    inputs: Mapping[str, object] | StartEvent = field(default_factory=dict)
    ends: Sequence[type[Any]] = ()
    detach: bool = False


@dataclass(frozen=True, slots=True)
class Items(Generic[T]):
    """Does the step's ``item`` action for each of these, and waits for all.

    Args:
        most: How many there may be; with more the step's action fails with ``items``. ``None``: no bound.
    """

    items: Sequence[T]
    most: int | None = None


PauseValue = Question[Any] | Delay | Until | Outside[Any] | Child[Any] | Items[Any]
"""What a pausing step may return."""

PAUSES: Final = (Question, Delay, Until, Outside, Child, Items)


ClosedBecause = Literal["answered", "expired", "timed out", "cancelled"]


class QuestionAsked(InputRequiredEvent, closed=True):
    """A step asks a person; the answer goes to ``handler.answer(id, …)``.

    Args:
        form: The JSON Schema of an answer, not to be changed; ``None``: any will do.
        asked_at: In UTC.
        expires_at: When the step stops waiting, in UTC; ``None``: it does not.
    """

    id: str
    step: str
    title: str
    show: str | None
    form: dict[str, Any] | None
    prefill: dict[str, Any]
    assign: list[str]
    quorum: int | None
    asked_at: Moment
    expires_at: Moment | None


class QuestionClosed(Event, closed=True):
    """A question needs no answer any more."""

    id: str
    step: str
    because: ClosedBecause


class Skip:
    """Says of an item that it is not kept."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "SKIP"


SKIP: Final = Skip()
