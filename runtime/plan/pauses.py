"""Values that pause a step while none of its code runs: questions, times, outside events, runs, items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Generic, Literal, TypeVar

from wfc.runtime.errors import StepError
from wfc.runtime.events import Event, InputRequiredEvent, Moment, StartEvent, StopEvent
from wfc.runtime.plan.inputs import Loop

__all__ = [
    "LONGEST_WAIT",
    "PAUSES",
    "SKIP",
    "Child",
    "ClosedBecause",
    "Delay",
    "Items",
    "Outside",
    "PartEnd",
    "PartResult",
    "PauseValue",
    "Question",
    "QuestionAsked",
    "QuestionClosed",
    "QuestionDelegated",
    "QuestionReminded",
    "Skip",
    "Until",
    "seconds_of",
]

LONGEST_WAIT: Final = timedelta(days=3653)
"""The longest wait that data may ask for: ten years."""

T = TypeVar("T")
E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """A pause for a person's answer.

    Args:
        form: The record class of an answer; ``None``: there is nothing to fill in, and any answer confirms.
        title: What it is about, in a line.
        show: A text to decide upon, or ``None``.
        prefill: Initial values of the form, by field.
        assign: Who may be asked, such as ``user:ann`` or ``group:leads``; empty: anybody who sees it.
        quorum: How many distinct people must answer; the result is then the list of their answers. ``None``: one,
            and the result is that answer.
        within: How long to wait at most, beside the step's own ``within``; ``None``: no bound of its own.
        until: The moment, with a UTC offset, at which the wait ends at the latest; ``None``: no such moment.
        choices: The values from which fields of the form are chosen, by field.
        remind: How long it takes until who watches is reminded, again and again; ``None``: never.
        shape: The JSON Schema that is shown in place of that of ``form``, which takes any fields then.
    """

    form: type[T] | None
    title: str = ""
    show: str | None = None
    prefill: Mapping[str, object] = field(default_factory=dict)
    assign: Sequence[str] = ()
    quorum: int | None = None
    within: timedelta | float | None = None
    until: datetime | None = None
    choices: Mapping[str, Sequence[object]] = field(default_factory=dict)
    remind: timedelta | float | None = None
    shape: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.quorum is not None and self.quorum < 1:
            raise StepError("quorum", f"a question needs at least one answer, not {self.quorum}")


def seconds_of(length: timedelta | float) -> float:
    """Return a length of time in seconds."""
    return length.total_seconds() if isinstance(length, timedelta) else float(length)


@dataclass(frozen=True, slots=True)
class Delay:
    """A pause of this many seconds, or of this length."""

    seconds: timedelta | float


@dataclass(frozen=True, slots=True)
class Until:
    """A pause until a moment, which has a UTC offset; a moment in the past causes no wait."""

    moment: datetime


@dataclass(frozen=True, slots=True)
class Outside(Generic[E]):
    """A pause for an outside event for which ``that`` holds: the oldest one kept, or the next to come.

    Args:
        event: The event's class, or several of which one comes.
        within: See ``Question``.
        until: See ``Question``.
    """

    event: type[E] | tuple[type[E], ...]
    within: timedelta | float | None = None
    until: datetime | None = None

    @property
    def events(self) -> tuple[type[E], ...]:
        """The classes of the events that end it."""
        return self.event if isinstance(self.event, tuple) else (self.event,)


@dataclass(frozen=True, slots=True)
class Child(Generic[T]):
    """A pause that runs another workflow and waits for its end.

    Args:
        workflow: Its name, or its class or object.
        inputs: The fields of its start event, or that event.
        ends: The classes as which its end event is read, by name; empty: it is left as it is.
        detach: Whether the child run continues on its own; the result is then its id, at once.
        only: The names of which ``workflow`` must be one, where data has chosen it; empty: any.
    """

    workflow: Any
    inputs: Mapping[str, object] | StartEvent = field(default_factory=dict)
    ends: Sequence[type[Any]] = ()
    detach: bool = False
    only: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Items(Generic[T]):
    """A pause that runs the step's ``item`` action for each of these items, and waits for all.

    Args:
        most: The greatest number of items allowed; with more, the step's action fails with ``items``.
            ``None``: no bound.
        numbers: Of each item in the list that it comes from, from 1; empty: these items are the whole list.
        total: The length of that list.
    """

    items: Sequence[T]
    most: int | None = None
    numbers: Sequence[int] = ()
    total: int = 0

    @classmethod
    def kept(cls, choices: Iterable[tuple[T, bool]], most: int | None = None) -> Items[T]:
        """Return those items of a list that are kept; they know which numbers they have in it.

        Args:
            choices: Each item, and whether it is kept.
        """
        every = list(choices)
        numbered = [(number, item) for number, (item, is_kept) in enumerate(every, 1) if is_kept]
        return cls([item for _, item in numbered], most, [number for number, _ in numbered], len(every))

    def place_of(self, position: int) -> Loop:
        """Return the place of an item in the list that it comes from."""
        number, total = position + 1, len(self.items)
        if self.numbers:
            number, total = self.numbers[position], self.total
        return Loop(number, number == 1, number == total)


PauseValue = Question[Any] | Delay | Until | Outside[Any] | Child[Any] | Items[Any]
"""The values that a pausing step may return."""

PAUSES: Final = (Question, Delay, Until, Outside, Child, Items)


class PartResult:
    """A mark of records of what the action of a step gives, and how that came about.

    Args:
        answer: What it gives; what a step requires is required of this.
    """

    answer: Any


class PartEnd(StopEvent):
    """The end of a run that is nothing but the action of a step: it stands for what that action gives."""

    def as_result(self, kind: Any) -> Any:
        """Return what the action gives, as a value of this type.

        Raises:
            StepError: The action has failed.
        """
        raise NotImplementedError

    @classmethod
    def from_end(cls, end: StopEvent, *, is_only: bool) -> PartEnd:
        """Return the end of another run, which a step waited for that waits for such parts too.

        Args:
            is_only: Whether that run could end with this event alone.
        """
        raise NotImplementedError


ClosedBecause = Literal["answered", "expired", "timed out", "cancelled"]


class QuestionAsked(InputRequiredEvent, closed=True):
    """A question that a step asks a person; the answer goes to ``handler.answer(id, …)``.

    Args:
        form: The JSON Schema of an answer, not to be modified; ``None``: any answer is accepted.
        asked_at: When it was asked, in UTC.
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
    """The end of a question, which needs no answer any more."""

    id: str
    step: str
    because: ClosedBecause


class QuestionDelegated(Event, closed=True):
    """The passing on of an open question to somebody else.

    Args:
        assign: Who is asked from now on.
        to: Whom it was passed on to.
        by: Who has passed it on.
        because: Why; empty if nobody has said it.
    """

    id: str
    step: str
    title: str
    assign: list[str]
    to: str
    by: str
    because: str


class QuestionReminded(Event, closed=True):
    """A reminder that a question is still open; it comes again and again, each time after what ``remind`` says.

    Args:
        asked_at: When the question was asked, in UTC.
        expires_at: When the step stops waiting, in UTC; ``None``: it does not.
        answered_by: Who has answered so far, where several people must.
    """

    id: str
    step: str
    title: str
    assign: list[str]
    asked_at: Moment
    expires_at: Moment | None
    answered_by: list[str]


class Skip:
    """The class of a sentinel for an item that is not kept."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "SKIP"


SKIP: Final = Skip()
