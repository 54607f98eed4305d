"""What starts runs by itself: schedules and topics, and what a start by one of them knows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, TypeVar

__all__ = ["Missed", "ScheduleTrigger", "TopicTrigger"]

B = TypeVar("B")

Missed = Literal["skip", "once", "all"]
"""What becomes of the moments of a schedule at which nobody was there to start runs."""


@dataclass(frozen=True, slots=True)
class ScheduleTrigger:
    """A moment at which a schedule is due: the trigger's name, and the moment."""

    name: str
    due: datetime


@dataclass(frozen=True, slots=True)
class TopicTrigger(Generic[B]):
    """A message of a topic: the trigger's name, and what was sent."""

    name: str
    body: B
