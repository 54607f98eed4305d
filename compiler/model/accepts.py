"""Events that a step accepts, singly or together."""

from __future__ import annotations

from typing import Literal

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions import Expression
from wfc.compiler.model.events import Event
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import ANY, UNKNOWN, Field, Optional, Record, Type


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Accepts each of these events by itself."""

    events: tuple[Event, ...]
    address: Address


@dataclass(frozen=True, slots=True)
class Join:
    """Accepts several events together.

    Args:
        form: ``all``, ``any``, ``at_least`` or ``each``.
        count: How many must have arrived (``at_least``), else 0.
        within: Seconds from the opening of the frame, or ``None``.
        proceed: ``on_timeout: proceed``: it fires with what has arrived.
        fork: The step that opens its frames, by name; ``None`` for the start of the run. For ``each`` the
            step whose ``emit`` has the `each`. Filled by ``resolve`` through ``resolve.whole.forks``; ``None``
            too where a finding says that there is none.
        rest: What becomes of the branches that it does not wait for, where the author says so (a race is then
            declared).
        match_by: The value by which the events that belong together are found, or ``None``.
    """

    form: Literal["all", "any", "at_least", "each"]
    events: tuple[Event, ...]
    count: int
    within: float | None
    proceed: bool
    fork: str | None
    address: Address
    rest: Literal["finish", "cancel"] | None = None
    match_by: Expression | None = None

    @property
    def complete(self) -> bool:
        """Return whether all its events are there whenever it fires."""
        return not self.proceed and (self.form == "all" or len(self.events) == 1)


def joined_events(events: tuple[Event, ...], *, all_here: bool, first: bool = False) -> Record:
    """Return the `events` of a join: each event by its name, and each field that only one event declares.

    Args:
        all_here: Whether none of them can be missing.
        first: Whether exactly one of them is there.
    """
    joined = Record("events", role="first" if first else "namespace")
    owners: dict[str, int] = {}
    for event in events:
        for name in event.record.fields:
            owners[name] = owners.get(name, 0) + 1
    for event in events:
        for name, each in event.record.fields.items():
            if owners[name] == 1:
                wanted = each.type if all_here else optional(each.type)
                joined.fields[name] = Field(name, wanted, address=each.address)
    for event in events:
        record: Type = event.record if all_here else Optional(event.record)
        joined.fields[event.name] = Field(event.name, record, address=event.address)
    return joined


def optional(type: Type) -> Type:
    return type if isinstance(type, Optional) or type in (UNKNOWN, ANY) else Optional(type)


__all__ = ["AnyOf", "Join", "joined_events"]
