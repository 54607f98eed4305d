"""Triggers: what starts runs by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wfc.compiler.diagnostics import Address
from wfc.compiler.model.values import Value
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Type

Missed = Literal["skip", "once", "all"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """A cron line that is due by the clocks of a zone, and what happens with the times that were missed."""

    cron: str
    zone: str
    missed: Missed


@dataclass(frozen=True, slots=True)
class Webhook:
    """What others send to an address.

    Args:
        path: The last part of the address.
        secret: The name of the secret by which senders prove who they are.
        header: The header with the body's signature; ``None`` where the secret itself is sent as a bearer token.
        within: How many seconds old a signed delivery may be; ``None``: any.
    """

    path: str
    secret: str
    header: str | None = None
    within: float | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    """Messages that are sent under a topic."""

    topic: str


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger, which starts a run with each occurrence.

    Args:
        body: The type of what is sent; ``None`` for a schedule.
        values: Values for fields of the start event, as the spec has them, and `${{ trigger.body.… }}` for those that
            are filled by their names.
        given: The same values, resolved.
    """

    name: str
    source: Schedule | Webhook | Topic
    body: Type | None
    values: Mapping[str, object]
    given: Mapping[str, Value]
    address: Address


__all__ = ["Missed", "Schedule", "Topic", "Trigger", "Webhook"]
