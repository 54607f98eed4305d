"""Events that a step accepts, singly or together."""

from __future__ import annotations

from collections.abc import Iterable
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
        form: ``all``, ``any`` or ``each``.
        slots: What it waits for, each a group of events of which one comes; most groups are of one event.
        count: How many must have arrived before it goes on; ``None`` where the form alone says so. For ``each``
            it may be an expression of inputs and config.
        within: Seconds from the opening of the frame, or ``None``; it may be an expression of inputs and config.
        until: The moment at which it stops to wait, an expression of inputs and config, or ``None``.
        proceed: ``on_timeout: proceed``: it fires with what has arrived.
        fork: The step that opens its frames, by name; ``None`` for the start of the run. For ``each`` the
            step whose ``emit`` has the `each`. Filled by ``resolve`` through ``resolve.whole.forks``; ``None``
            too where a finding says that there is none.
        rest: What becomes of the branches that it does not wait for, where the author says so (a race is then
            declared).
    """

    form: Literal["all", "any", "each"]
    slots: tuple[tuple[Event, ...], ...]
    count: int | Expression | None
    within: float | Expression | None
    proceed: bool
    fork: str | None
    address: Address
    rest: Literal["finish", "cancel"] | None = None
    until: Expression | None = None

    @property
    def timed(self) -> bool:
        """Whether it has a time-out."""
        return self.within is not None or self.until is not None

    @property
    def events(self) -> tuple[Event, ...]:
        """All events that it takes, in the order written."""
        return tuple(event for slot in self.slots for event in slot)

    @property
    def choices(self) -> tuple[tuple[Event, ...], ...]:
        """Groups of events of which exactly one is there when it fires."""
        if self.proceed or self.form == "each" or (self.form == "any" and self.count is not None):
            return ()
        if self.complete and self.form == "any":
            return ()
        return (self.events,) if self.form == "any" else tuple(slot for slot in self.slots if len(slot) > 1)

    @property
    def certain(self) -> tuple[Event, ...]:
        """Events that are there whenever it fires."""
        if not self.complete or self.form == "each":
            return ()
        return tuple(slot[0] for slot in self.slots if len(slot) == 1)

    @property
    def complete(self) -> bool:
        """Return whether all its events are there whenever it fires."""
        return not self.proceed and (self.form == "all" or len(self.events) == 1)


def clock_start(join: Join) -> str:
    """Return the moment from which a join's `within` counts, as a phrase."""
    return f"the end of {join.fork}" if join.fork is not None else "the start of the run"


def joined_events(
    events: Iterable[Event], certain: Iterable[Event] = (), choices: Iterable[tuple[Event, ...]] = ()
) -> Record:
    """Return the `events` of a join: each event by its name, and each field that only one event declares.

    Args:
        certain: Those of them that cannot be missing.
        choices: Groups of them of which exactly one is there.
    """
    groups = tuple(tuple(event.name for event in group) for group in choices)
    joined = Record("events", role="choices" if groups else "namespace", choices=groups)
    events, here = tuple(events), {event.name for event in certain}
    owners: dict[str, int] = {}
    for event in events:
        for name in event.record.fields:
            owners[name] = owners.get(name, 0) + 1
    for event in events:
        for name, each in event.record.fields.items():
            if owners[name] == 1:
                wanted = each.type if event.name in here else optional(each.type)
                joined.fields[name] = Field(name, wanted, address=each.address)
    for event in events:
        record: Type = event.record if event.name in here else Optional(event.record)
        joined.fields[event.name] = Field(event.name, record, address=event.address)
    return joined


def optional(type: Type) -> Type:
    return type if isinstance(type, Optional) or type in (UNKNOWN, ANY) else Optional(type)


__all__ = ["AnyOf", "Join", "joined_events"]
