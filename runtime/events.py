"""Events and records: the data that a run is made of, checked by pydantic.

Events of specs are closed (``closed=True``): strict, no unknown fields, not changeable. Hand-written ones are
open, as in llama-index-workflows: fields that the class does not declare are kept, and read like a dictionary's.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

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
from wfc.runtime.values.stored_errors import StorableError

__all__ = [
    "CacheHit",
    "ClosedFields",
    "CollectionReleaseEvent",
    "DictState",
    "Event",
    "EventEmitted",
    "HumanResponseEvent",
    "InputRequiredEvent",
    "InternalDispatchEvent",
    "LateEvent",
    "Moment",
    "Number",
    "ProgressText",
    "Record",
    "RunConfig",
    "RunState",
    "StartEvent",
    "StepFailedEvent",
    "StepState",
    "StepStateChanged",
    "StopEvent",
    "TokenText",
    "UnhandledEvent",
    "WorkflowCancelledEvent",
    "WorkflowFailedEvent",
    "WorkflowTimedOutEvent",
    "event_name",
]

T = TypeVar("T")

Number = Annotated[float, Field(allow_inf_nan=False)]
"""A finite number: what a spec calls ``number``."""


def _in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
"""A date and time with an offset, kept in UTC: what a spec calls ``datetime``."""


@build_subclasses_at_once
class Record(BaseModel):
    """A record of a spec: closed and strict; JSON in and out by the names that the spec gives."""

    model_config = ConfigDict(**CLOSED, frozen=True, defer_build=True)


@build_subclasses_at_once
class RunState(BaseModel):
    """What the steps of one run share."""

    model_config = ConfigDict(**CLOSED, defer_build=True)

    def checked(self, field: str, value: T) -> T:
        """A value, once it is sure that a field may hold it. Assignments themselves are not checked.

        Args:
            field: The attribute's name.

        Raises:
            ExpressionError: The field has bounds, and the value is outside of them.
        """
        kind = type(self)
        try:
            kind.__pydantic_validator__.validate_assignment(kind.model_construct(), field, value)
        except ValidationError as error:
            name = kind.model_fields[field].alias or field
            said = error.errors(include_url=False)[0]["msg"]
            raise ExpressionError(f"the state's `{name}` cannot be {value!r}: {said}") from None
        return value


@build_subclasses_at_once
class RunConfig(BaseModel):
    """What the environment gives a workflow; read from text, so not strict."""

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
    """The state of a workflow that declares none: whatever is put into it."""


class Event(DictLike, metaclass=EventClass):
    """A message between steps.

    Subclasses declare fields. Undeclared ones are kept too, and read as attributes or entries. With ``ClosedFields``
    before it among the bases, or the class keyword ``closed=True``, there are none, values are checked strictly, and
    the event cannot be changed.

    Type checkers take undeclared fields for what is made by the classes of this module, and for a subclass with the
    class keyword ``init=False``. The keyword ``name`` is what the event is called in reports, where that cannot be the
    class's name.
    """

    if TYPE_CHECKING:

        def __init__(self, **fields: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...


def event_name(event: Event | type[Event]) -> str:
    """What an event, or its class, is called in reports and tests."""
    kind = event if isinstance(event, type) else type(event)
    return kind.__event_name__


class StartEvent(Event):
    """Starts a run; its fields are the run's inputs."""

    if TYPE_CHECKING:

        def __init__(self, **fields: Any) -> None: ...


class StopEvent(Event):
    """Ends a run. A plain one carries the run's result; a subclass is the result itself."""

    _result: Any = PrivateAttr(default=None)

    def __init__(self, result: Any = None, **fields: Any) -> None:
        if "result" in type(self).model_fields:
            fields["result"] = result
        init_with_private(self, **fields)
        if result is not None:
            self._result = result

    if TYPE_CHECKING:

        @property
        def result(self) -> Any:
            """What the run gives; a subclass may say otherwise by overriding ``_get_result``."""

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
        if self._result is not None:
            data["result"] = self._result
        return data


class ChildEnd(Event):
    """How another workflow's runs end, as a workflow that starts them has it; it is read by the event's name."""


class InputRequiredEvent(Event):
    """Asks whoever watches the run for something; a step that returns one publishes it."""

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

    ``exception`` is what the step ``step_name`` raised, from which what awaiting the handler raises is made; or that
    itself, if it was no step that failed. ``elapsed_seconds`` counts from the step's first attempt, where it has
    further ones.
    """

    step_name: str | None = None
    exception: StorableError
    attempts: int | None = None
    elapsed_seconds: float | None = None
    failed_at: datetime | None = None


class CollectionReleaseEvent(Event):
    """Stands for the events of a join, or of a batch, where one event is wanted: what a step was working on."""

    events: list[Event] = Field(default_factory=list)


class StepFailedEvent(Event):
    """What a ``@catch_error`` handler gets of a step that failed for good.

    ``exception`` is what the step's last attempt raised, ``input_event`` what it was working on, ``elapsed_seconds``
    the time since its first attempt began, and ``failed_at`` when the last one failed, in UTC.
    """

    step_name: str
    input_event: Event
    exception: StorableError
    attempts: int
    elapsed_seconds: float
    failed_at: datetime


class ProgressText(Event, closed=True):
    """A text for whoever watches the run: what `stream` in a spec says before and after a step's action."""

    text: str
    step: str
    attempt: int = 1


class TokenText(Event, closed=True):
    """A piece of a model's answer, as it comes: for whoever watches the run, and no part of what happens in it.

    Pieces of one answer agree in all but ``text``. Who comes late gets what there is of it as one piece.

    Args:
        step: The step's name.
        worker_id: The number of the step run, or of the item's, in its run; as in ``StepStateChanged``.
        attempt: Which attempt it belongs to: what an attempt that failed had said does not count.
        reply: Which reply within the attempt: a model whose reply cannot be used is asked again.
    """

    text: str
    step: str
    worker_id: str
    attempt: int = 1
    reply: int = 1


class InternalDispatchEvent(Event):
    """What happens inside a run, for those who ask for it: observers, and ``stream_events(expose_internal=True)``."""


class StepState(Enum):
    """Where a step run is: before a worker takes it, running, to be tried again, paused, cancelled, or done."""

    PREPARING = "preparing"
    RUNNING = "running"
    RETRYING = "retrying"
    WAITING = "waiting"
    CANCELLED = "cancelled"
    NOT_RUNNING = "not_running"


class StepStateChanged(InternalDispatchEvent):
    """A step run began, is to be tried again, or ended.

    ``worker_id`` is the step run's number in its run. ``retry_in`` is in seconds.
    """

    name: str
    step_state: StepState
    worker_id: str
    input_event_name: str
    output_event_name: str | None = None
    attempt: int = 1
    error: str | None = None
    retry_in: float | None = None


class EventEmitted(InternalDispatchEvent):
    """A step, or somebody outside (``step_name`` is ``None``), emitted an event."""

    event: Event
    step_name: str | None = None


class ChildNote(InternalDispatchEvent):
    """Something happened inside a run that is part of this one.

    Args:
        run_id: Of the run in which it happened; it begins with the ids of those above.
        workflow: That run's workflow.
    """

    run_id: str
    workflow: str
    event: Event


class CacheHit(InternalDispatchEvent):
    """A step's call was not made: the cache had its result, under this key."""

    step_name: str
    key: str


class LateEvent(InternalDispatchEvent):
    """An event reached a join that had fired, and ended there."""

    event: Event
    step_name: str


class UnhandledEvent(InternalDispatchEvent):
    """An event from outside that no step accepts."""

    event_type: str
    qualified_name: str
    step_name: str | None = None
    idle: bool = False
