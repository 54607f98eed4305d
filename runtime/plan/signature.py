"""The signatures of a step's functions as data: what each parameter is given, and what may be emitted."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, TypeVar

from wfc.runtime.events import Event

__all__ = ["Call", "Emissions", "EventClass", "Gives", "Parameter", "ResourceRequest", "Signature"]

R = TypeVar("R")

EventClass = type[Event]

Call = Callable[[Any, Any, Any], Any]
"""A callable that calls a function of a step, given the run, the step run and the action's result.

A plan only stores it; the types of the arguments are known to the code that creates and calls it.
"""


class Gives(Enum):
    """The kind of value that a parameter is given."""

    CONTEXT = "the context"
    EVENT = "an event"
    EVENTS = "a list of events"
    STATE = "the state"
    CONFIG = "the config"
    INPUTS = "the start event"
    ITEM = "the item"
    LOOP = "the item's place in its list"
    RUN = "the run"
    WORKFLOW = "another workflow"
    RESULT = "the action's result"
    RESPONSE = "what came with an http reply"
    ERROR = "what went wrong"
    RESOURCE = "a resource"


class ResourceRequest(Generic[R]):
    """A parameter's request for a resource: its name, the resource, and the annotated type."""

    __slots__ = ("name", "resource", "type")

    def __init__(self, name: str, resource: R, type: Any) -> None:
        self.name = name
        self.resource = resource
        self.type = type


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter and what it is given.

    ``events`` are the classes that it takes, ``take`` is how many of a batch at most (``None``: all), ``request`` the
    resource that it asks for, ``kind`` and ``default`` the class and the default of a workflow; of the action's result
    ``kind`` is the type.
    """

    name: str
    gives: Gives
    events: tuple[EventClass, ...] = ()
    optional: bool = False
    keyword_only: bool = False
    take: int | None = None
    request: ResourceRequest[Any] | None = None
    kind: type[Any] = object
    default: Any = inspect.Parameter.empty


@dataclass(slots=True)
class Emissions:
    """The events that a signature declares to emit.

    Args:
        events: The classes of events emitted singly.
        batches: The event classes of each list, in the order of the annotation.
        only_events: Whether nothing else is declared; otherwise the return value is a result.
    """

    events: list[EventClass] = field(default_factory=list)
    batches: list[tuple[EventClass, ...]] = field(default_factory=list)
    only_events: bool = True


@dataclass(frozen=True, slots=True)
class Signature:
    """The signature of one of a step's functions."""

    parameters: tuple[Parameter, ...]
    emissions: Emissions
    result: Any
    state: type[Any] | None
    is_method: bool

    @property
    def events(self) -> tuple[Parameter, ...]:
        """The parameters that take events."""
        return tuple(one for one in self.parameters if one.gives in {Gives.EVENT, Gives.EVENTS})

    def asks_for(self, what: Gives) -> bool:
        """Return whether any parameter is given this kind of value."""
        return any(one.gives is what for one in self.parameters)
