"""Values that a step's functions can request besides events, by the annotations of their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, NamedTuple, TypeVar

__all__ = [
    "ContextBase",
    "HttpResponse",
    "Inputs",
    "InputsMark",
    "Item",
    "ItemMark",
    "Loop",
    "RunInfo",
    "WorkflowBase",
]

T = TypeVar("T")


class RunInfo(NamedTuple):
    """The run that a step belongs to.

    Args:
        id: Its id.
        attempt: Of the step, from 1.
        now: When this step run began, in UTC.
        round: How often the step has run by now, this time included, as its ``max_runs`` counts.
    """

    id: str
    attempt: int
    now: datetime
    round: int = 1


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """The parts of an HTTP response besides its body: the status, and the headers by lower-case name."""

    status: int
    headers: Mapping[str, str]


class InputsMark:
    """Marker of a parameter that takes the run's start event."""


Inputs = Annotated[T, InputsMark()]
"""``inputs: Inputs[TicketOpened]``: the event that started the run."""


class ItemMark:
    """Marker of a parameter that takes the item."""


Item = Annotated[T, ItemMark()]
"""``item: Item[Chapter]``: the item that the action is for."""


@dataclass(frozen=True, slots=True)
class Loop:
    """The place of an item in the list that a step goes through.

    Args:
        index: Its number, from 1; items that are left out count.
        first: Whether it is the first item.
        last: Whether it is the last item.
    """

    index: int
    first: bool
    last: bool


class ContextBase:
    """The base of the context class, by which the readers of signatures recognise it."""

    __slots__ = ()


class WorkflowBase:
    """The base of workflow classes, by which the readers of signatures recognise them."""

    __slots__ = ()
