"""Events and records: the data of a run, validated by pydantic.

Events of specs are closed (``closed=True``): strict, without unknown fields, and immutable. Hand-written ones
are open, as in llama-index-workflows: fields that the class does not declare are kept, and can be read like
the entries of a dictionary.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    model_serializer,
)

from wfc.runtime.errors import ExpressionError
from wfc.runtime.values.dict_like import DictLike, build_subclasses_at_once, init_with_private
from wfc.runtime.values.event_class import CLOSED, ClosedFields, EventClass
from wfc.runtime.values.outside_names import own_name
from wfc.runtime.values.stored_errors import StorableError

__all__ = [
    "ClosedFields",
    "CollectionReleaseEvent",
    "DictState",
    "ErrorHandled",
    "Event",
    "HumanResponseEvent",
    "InputRequiredEvent",
    "Moment",
    "Number",
    "PartialResult",
    "ProgressText",
    "Record",
    "RunConfig",
    "RunState",
    "StartEvent",
    "StepFailedEvent",
    "StopEvent",
    "ThinkingText",
    "TokenText",
    "WorkflowCancelledEvent",
    "WorkflowFailedEvent",
    "WorkflowTimedOutEvent",
    "event_name",
]

T = TypeVar("T")

_set = object.__setattr__

Number = Annotated[float, Field(allow_inf_nan=False)]
"""A finite number: what a spec calls ``number``."""


def _in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
"""A date and time with an offset, kept in UTC: what a spec calls ``datetime``."""


@build_subclasses_at_once
class Record(BaseModel):
    """A record of a spec: closed and strict, with the spec's field names in its JSON form."""

    model_config = ConfigDict(**CLOSED, frozen=True, defer_build=True)


@build_subclasses_at_once
class RunState(BaseModel):
    """The state that the steps of one run share."""

    model_config = ConfigDict(**CLOSED, defer_build=True)

    def checked(self, field: str, value: T) -> T:
        """Return a value after checking that a field may hold it; assignments themselves are not checked.

        Args:
            field: The attribute's name.

        Raises:
            ExpressionError: The value is outside the bounds of the field.
        """
        kind = type(self)
        try:
            kind.__pydantic_validator__.validate_assignment(kind.model_construct(), field, value)
        except ValidationError as error:
            name = own_name(field, kind.model_fields[field])
            said = error.errors(include_url=False)[0]["msg"]
            raise ExpressionError(f"the state's `{name}` cannot be {value!r}: {said}") from None
        return value


@build_subclasses_at_once
class RunConfig(BaseModel):
    """The config of a workflow from the environment; not strict, because it is read from text."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        defer_build=True,
        validate_by_name=True,
        validate_by_alias=True,
        validate_default=True,
        allow_inf_nan=False,
        protected_namespaces=(),
    )


@build_subclasses_at_once
class DictState(DictLike, defer_build=True):
    """The state of a workflow that declares none; it accepts any field."""


class Event(DictLike, metaclass=EventClass):
    """A message between steps.

    Subclasses declare fields. Undeclared ones are kept too, and can be read as attributes or entries. With
    ``ClosedFields`` before it among the bases, or the class keyword ``closed=True``, there are none, values
    are checked strictly, and the event cannot be changed.

    Type checkers accept undeclared fields in calls of the classes of this module, and of a subclass with the
    class keyword ``init=False``. The keyword ``name`` is the event's name in reports, where that cannot be
    the class's name.
    """

    if TYPE_CHECKING:

        def __init__(self, **fields: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...


def event_name(event: Event | type[Event]) -> str:
    """Return the name of an event, or of its class, in reports and tests."""
    kind = event if isinstance(event, type) else type(event)
    return kind.__event_name__


class StartEvent(Event):
    """The event that starts a run; its fields are the run's inputs."""

    if TYPE_CHECKING:

        def __init__(self, **fields: Any) -> None: ...


class StopEvent(Event):
    """The event that ends a run; a plain one carries the run's result, a subclass is the result itself."""

    _result: Any = PrivateAttr(default=None)

    def __init__(self, result: Any = None, **fields: Any) -> None:
        if type(self) is StopEvent and not fields:
            # it declares no field, so that there is nothing to check, for which pydantic takes four times as long
            _set(self, "__pydantic_fields_set__", set())
            _set(self, "__pydantic_extra__", {})
            _set(self, "__pydantic_private__", {"_result": result})
            return
        if "result" in type(self).__pydantic_fields__:
            fields["result"] = result
        init_with_private(self, **fields)
        private = self.__pydantic_private__  # set as an attribute it takes pydantic many calls
        if result is not None and private is not None:
            private["_result"] = result

    if TYPE_CHECKING:

        @property
        def result(self) -> Any:
            """The result of the run; a subclass can change it by overriding ``_get_result``."""

    def __getattr__(self, name: str) -> Any:
        if name == "result":  # no property: a subclass may have a field of that name
            return self._get_result()
        return super().__getattr__(name)  # pydantic's, for private attributes

    def _get_result(self) -> Any:
        private = self.__pydantic_private__  # looked up as an attribute it takes 5 µs, twice a run
        return None if private is None else private["_result"]

    def __repr__(self) -> str:
        shown = {**dict(self.__dict__), **self._data}
        if self._result is not None:
            shown["result"] = self._result
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def __str__(self) -> str:
        return str(self._result) if type(self) is StopEvent else repr(self)

    @model_serializer(mode="wrap")
    def _serialize_with_result(self, handler: Any) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        private = self.__pydantic_private__  # as in `_get_result`
        if private is not None and private["_result"] is not None:
            data["result"] = private["_result"]
        return data


class ChildEnd(Event):
    """An end event of another workflow, as declared by a workflow that starts it; matched by name."""


class InputRequiredEvent(Event):
    """A request for input to the watchers of a run; a step publishes it by returning it."""

    if TYPE_CHECKING:

        def __init__(self, **fields: Any) -> None: ...


class HumanResponseEvent(Event):
    """An answer from outside, sent through the handler."""

    if TYPE_CHECKING:

        def __init__(self, **fields: Any) -> None: ...


class WorkflowTimedOutEvent(StopEvent):
    """The last event of a run that took too long."""

    timeout: float
    active_steps: list[str]


class WorkflowCancelledEvent(StopEvent):
    """The last event of a run that was cancelled."""


class WorkflowFailedEvent(StopEvent):
    """The last event of a run that failed.

    ``exception`` is what the step ``step_name`` raised, from which what awaiting the handler raises is made;
    or that itself, if it was no step that failed. ``elapsed_seconds`` counts from the step's first attempt,
    where it has further ones.
    """

    step_name: str | None = None
    exception: StorableError
    attempts: int | None = None
    elapsed_seconds: float | None = None
    failed_at: datetime | None = None


class CollectionReleaseEvent(Event):
    """A placeholder for the events of a join or a batch, where a step's input must be one event."""

    events: list[Event] = Field(default_factory=list)


class StepFailedEvent(Event):
    """The event that a ``@catch_error`` handler receives for a step that failed for good.

    ``exception`` is what the step's last attempt raised, ``input_event`` what it was working on,
    ``elapsed_seconds`` the time since its first attempt began, and ``failed_at`` when the last one failed, in
    UTC.
    """

    step_name: str
    input_event: Event
    exception: StorableError
    attempts: int
    elapsed_seconds: float
    failed_at: datetime


class ProgressText(Event, closed=True):
    """A text for the watchers of a run: that of `stream` in a spec, before and after a step's action."""

    text: str
    step: str
    attempt: int = 1


class TokenText(Event, closed=True):
    """A piece of a model's answer as it arrives, shown only to the watchers of the run.

    Pieces of one answer agree in all but ``text``. A late reader receives what has arrived of it as one
    piece.

    Args:
        step: The step's name.
        worker_id: The number of the step run, or of the item's, in its run; as in ``StepStateChanged``.
        attempt: The attempt that it belongs to; text of an attempt that failed does not count.
        reply: The number of the reply within the attempt: a model whose reply cannot be used is asked again.
    """

    text: str
    step: str
    worker_id: str
    attempt: int = 1
    reply: int = 1


class ThinkingText(Event, closed=True):
    """A piece of what a model thinks before it answers, as it arrives, shown only to the watchers of the run.

    It is no part of the answer. Its fields are those of ``TokenText``.
    """

    text: str
    step: str
    worker_id: str
    attempt: int = 1
    reply: int = 1


class PartialResult(Event, closed=True):
    """The part of a structured answer of a model that has arrived so far, shown only to the watchers of the run.

    Each one takes the place of those before it with the same step run, attempt and reply; a late reader receives
    the last alone. Nothing of it has been checked: fields may be missing, texts be cut off.

    Args:
        value: The answer as JSON data.
        step: See ``TokenText``, as for the others.
    """

    value: Any
    step: str
    worker_id: str
    attempt: int = 1
    reply: int = 1


class ErrorHandled(Event, closed=True):
    """An error, a limit or a time-out that a step or an exit of the run took, so that the run goes on or ends well.

    It is told to the watchers of the run.

    Args:
        step: The step's name; empty for what happened to the run as a whole, such as a cancellation.
        name: The error's dotted name; ``limit`` of a step that has run as often as it may, ``timeout`` of a wait,
            ``deadline`` and ``cancelled`` of a run.
        message: What happened, in plain words.
        attempts: How often the action was tried.
        goes_to: The names of the events that follow; empty where nothing does.
        exit: The exit of the run that took it: ``on_error``, ``on_deadline`` or ``on_cancel``; empty: the step.
        item: Which item of a ``map`` has failed, counted from 1; ``None``: the step itself.
        instead: What takes the place of the item's result: ``give``, a value, ``null``, or ``skip``, nothing; empty
            where no item has failed.
    """

    step: str
    name: str
    message: str
    attempts: int
    goes_to: list[str]
    exit: str = ""
    item: int | None = None
    instead: Literal["", "give", "null", "skip"] = ""
