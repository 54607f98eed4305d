"""What starts runs by itself: schedules, topics and webhooks, and what a start by one of them knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, TypeVar

__all__ = ["Missed", "ScheduleTrigger", "TopicTrigger", "WebhookTrigger"]

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


@dataclass(frozen=True, slots=True)
class WebhookTrigger(Generic[B]):
    """What others have sent to an address: the trigger's name, the body, and the headers, with small letters."""

    name: str
    body: B
    headers: Mapping[str, str]
