"""One step of a class, read once: what it accepts, emits and needs, and how its functions are called."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wfc.runtime.authoring.resource.kinds import check_resources
from wfc.runtime.authoring.table.injection import Call, make_call
from wfc.runtime.authoring.table.item_steps import is_about_items, make_item_step
from wfc.runtime.authoring.table.signature import (
    Emissions,
    Gives,
    Parameter,
    Signature,
    pause_kinds,
    read_signature,
    result_of,
)
from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.events import Event
from wfc.runtime.plan.joins import AtLeast, EachOf, FirstOf
from wfc.runtime.plan.pauses import PAUSES, Items

if TYPE_CHECKING:
    from wfc.runtime.authoring.step_functions import OnItemError, StepFunction

__all__ = ["EventClass", "Step"]

EventClass = type[Event]

_OF_THE_ACTION = ("stream_before", "idempotency_key", "require", "that")
"""Functions that see the state as it was when the step run began; the others see it as it is."""

_EMITTING = ("then", "on_error", "on_limit", "on_timeout", "on_expired")


class Step:
    """A step of a class, ready to run.

    Args:
        index: Its place in the table.
        routes: Event class → the steps that it goes to, for what this step may emit and is not an end.

    Its calls (``action``, ``then`` …) are ``None`` where it has no such function. ``plain`` says that it is a
    coroutine function whose result is what it emits, with nothing else to do. ``slots`` are the parameters of
    a join of several events, and ``needed`` says how many must be filled.
    """

    __slots__ = (
        "accepts",
        "action",
        "batches",
        "bound",
        "cache",
        "cancels",
        "collects",
        "emissions",
        "exits",
        "for_steps",
        "fork",
        "function",
        "give",
        "handler",
        "idempotency_key",
        "index",
        "is_async",
        "item",
        "items",
        "items_open",
        "join",
        "limited",
        "match_by",
        "max_recoveries",
        "max_runs",
        "name",
        "needed",
        "num_workers",
        "of",
        "on_error",
        "on_expired",
        "on_item_error",
        "on_limit",
        "on_timeout",
        "opens",
        "pauses",
        "plain",
        "require",
        "resources",
        "result",
        "retry",
        "routes",
        "signature",
        "simple",
        "skips",
        "slots",
        "stream_after",
        "stream_before",
        "subclasses",
        "take",
        "that",
        "then",
        "timeout",
        "wants_snapshot",
        "within",
    )

    def __init__(self, index: int, written: StepFunction[Any, Any]) -> None:
        self.index = index
        self.name = written.name
        self.function = written.function
        self.signature = signature = read_signature(
            written.function, is_tail=written.is_transform, names=written.names
        )
        self.num_workers = written.num_workers
        self.retry = written.retry_policy
        self.timeout = written.timeout
        self.cache = written.cache
        self.skips = written.skip_graph_checks
        self.subclasses = written.accept_event_subclasses
        self.join = written.join
        self.max_recoveries = written.max_recoveries
        self.for_steps = written.for_steps
        self.handler: Step | None = None  # of its failures
        self.pauses = self._read_pauses(written)
        self.result = result_of(signature.result) if self.pauses else signature.result
        self.bound = written.within  # of the pause
        self.item: Step | None = None  # what its items are runs of
        self.of: Step | None = None  # the step whose items are runs of this one
        self.on_item_error: OnItemError = "fail"
        self.give: Call | None = None
        # what leads to it without its fork, if it cancels the rest
        self.cancels: frozenset[Step] = frozenset()
        self.is_async = inspect.iscoroutinefunction(written.function)
        self.resources = tuple(one.asked for one in signature.parameters if one.asked is not None)
        check_resources(self.resources)
        self._read_events(signature)
        self._read_calls(written)
        self.simple = not self.slots and not self.collects and not self.limited
        self.routes: dict[EventClass, tuple[Step, ...]] = {}
        self.items: dict[EventClass, tuple[Step, ...]] = {}  # the same for items of batches
        self.fork: Step | None = None  # of its join
        self.opens: tuple[Step, ...] = ()  # joins of several events whose frames its completions open
        self.items_open: tuple[Step, ...] = ()  # those whose frames the items of its batches open
        self.batches: dict[EventClass | None, tuple[Step, ...]] = {}  # collectors, by class of item

    def _read_pauses(self, written: StepFunction[Any, Any]) -> tuple[type[Any], ...]:
        if inspect.isasyncgenfunction(written.function) or inspect.isgeneratorfunction(written.function):
            raise WorkflowValidationError(
                f"step `{self.name}` yields: it must return a list of events, or send them by `ctx.send_event`"
            )
        found = pause_kinds(self.signature.result) if written.is_pause else ()
        if written.is_pause and not found:
            raise WorkflowValidationError(
                f"step `{self.name}` must say by `-> …` what it pauses for: {', '.join(one.__name__ for one in PAUSES)}"
            )
        return found

    def _read_events(self, signature: Signature) -> None:
        events = signature.events
        self.collects = len(events) == 1 and events[0].gives is Gives.EVENTS
        self.take = events[0].take if self.collects else None
        if not events or (len(events) > 1 and any(one.gives is Gives.EVENTS for one in events)):
            raise WorkflowValidationError(
                f"step `{self.name}` must take an event, several events, or one list of events"
            )
        if isinstance(self.join, EachOf) != self.collects and self.join is not None:
            raise WorkflowValidationError(f"step `{self.name}`: `EachOf` goes with one parameter `list[…]`")
        several = len(events) > 1 or (self.join is not None and not self.collects)
        self.slots: tuple[Parameter, ...] = events if several else ()
        if len(events) > 1 and any(len(one.events) > 1 for one in events):
            raise WorkflowValidationError(
                f"step `{self.name}` joins several events, so each of its parameters takes one kind of event"
            )
        self.accepts: tuple[EventClass, ...] = tuple(
            dict.fromkeys(one for event in events for one in event.events)
        )
        self.within = None if self.join is None else self.join.within
        self.needed = len(self.slots)
        if isinstance(self.join, FirstOf):
            self.needed = 1
        elif isinstance(self.join, AtLeast):
            self.needed = self.join.count

    def _read_calls(self, written: StepFunction[Any, Any]) -> None:
        self.exits: dict[str, Signature] = {}
        calls: dict[str, Call] = {}
        of_items: dict[str, Call] = {}
        for name, (function, names) in written.exits.items():
            signature = read_signature(function, is_tail=True, names=names)
            slots = () if name == "match_by" else self.slots  # it is given one event
            call = make_call(function, signature, slots, is_tail=name not in _OF_THE_ACTION)
            self.exits[name] = signature
            (of_items if is_about_items(name, signature) else calls)[name] = call
        own = make_call(written.function, self.signature, self.slots, is_tail=written.is_transform)
        if written.is_transform and "then" in self.exits:
            raise WorkflowValidationError(f"transform `{self.name}` is a tail itself, so it has no `then`")
        self.action: Call | None = None if written.is_transform else own
        self.then: Call | None = own if written.is_transform else calls.get("then")
        self.on_error = calls.get("on_error")
        self.on_limit = calls.get("on_limit")
        self.on_timeout = calls.get("on_timeout")
        self.on_expired = calls.get("on_expired")
        self.that = calls.get("that")
        self.require = calls.get("require")
        self.stream_before = calls.get("stream_before")
        self.stream_after = calls.get("stream_after")
        self.idempotency_key = calls.get("idempotency_key")
        self.match_by = self._checked_match(calls.get("match_by"))
        self.max_runs = self._read_limit(written, calls.get("max_runs"))
        self.limited = self.max_runs is not None
        self.emissions = self._read_emissions()
        before = [self.exits[name] for name in _OF_THE_ACTION if name in self.exits]
        self.wants_snapshot = any(one.wants(Gives.STATE) for one in (self.signature, *before))
        self.plain = self._is_plain()
        if written.items is not None:
            self.item = make_item_step(0, self, written.items, of_items)
        if (Items in self.pauses) != (written.items is not None):
            raise WorkflowValidationError(
                f"step `{self.name}`: a step that returns `Items` has an action for each, `@{self.name}.item(…)`"
            )

    def _checked_match(self, match_by: Call | None) -> Call | None:
        if match_by is None:
            return None
        if self.join is None or not self.slots:
            raise WorkflowValidationError(
                f"step `{self.name}` is no join of several events, so it matches none"
            )
        if getattr(self.join, "rest", "finish") == "cancel":
            raise WorkflowValidationError(
                f"step `{self.name}` joins once for each value, so its frame has no rest to cancel"
            )
        return match_by

    def _read_limit(self, written: StepFunction[Any, Any], computed: Call | None) -> int | Call | None:
        if isinstance(written.limit, int):
            return written.limit
        if written.limit is not None and computed is None:
            raise WorkflowValidationError(
                f"step `{self.name}`: decorate the method `{written.limit}` with `@{self.name}.max_runs`"
            )
        return computed

    def _is_plain(self) -> bool:
        return (
            self.action is not None
            and self.is_async
            and not self.exits
            and not self.wants_snapshot
            and not self.resources
            and self.timeout is None
            and self.cache is None
            and self.retry is None
            and self.max_runs is None
        )

    def _read_emissions(self) -> Emissions:
        """What it may emit, by all its exits."""
        ways = [self.exits[name].emissions for name in _EMITTING if name in self.exits]
        if "then" not in self.exits:
            ways.append(self.signature.emissions)
            if not self.signature.emissions.only_events:
                raise WorkflowValidationError(
                    f"step `{self.name}` must return events or `None`, not {self.result}; what a step with a tail "
                    f"returns goes to its tail: `@{self.name}.then`"
                )
        return Emissions(
            [event for way in ways for event in way.events], [batch for way in ways for batch in way.batches]
        )

    @property
    def emits(self) -> Iterator[EventClass]:
        """All event classes that it declares to emit."""
        yield from self.emissions.events
        for batch in self.emissions.batches:
            yield from batch

    def slot_of(self, event: EventClass) -> int | None:
        """The position of the join's parameter that takes events of this class."""
        for at, slot in enumerate(self.slots):
            if event in slot.events or (self.subclasses and issubclass(event, slot.events)):
                return at
        return None

    def takes(self, event: EventClass) -> bool:
        """Whether it accepts events of this class."""
        return event in self.accepts or (self.subclasses and issubclass(event, self.accepts))

    def __repr__(self) -> str:
        return f"<step {self.name}>"
