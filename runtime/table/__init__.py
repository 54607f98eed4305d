"""A workflow class's steps, read once: what each accepts, emits and needs, and where every event goes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.events import DictState, Event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent
from wfc.runtime.joins import AtLeast, EachOf, FirstOf
from wfc.runtime.pauses import PAUSES, Items
from wfc.runtime.resource.kinds import check_resources
from wfc.runtime.table.handlers import bind_handlers
from wfc.runtime.table.injection import Call, make_call
from wfc.runtime.table.item_steps import is_about_items, make_item_step
from wfc.runtime.table.signature import (
    Emissions,
    Gives,
    Parameter,
    Signature,
    pause_kinds,
    read_signature,
    result_of,
)

if TYPE_CHECKING:
    from wfc.runtime.declared import Limits, RunFunction
    from wfc.runtime.written import OnItemError, StepFunction

__all__ = ["EventClass", "Step", "StepTable"]

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
        self.pauses = pause_kinds(signature.result) if written.is_pause else ()
        if written.is_pause and not self.pauses:
            raise WorkflowValidationError(
                f"step `{self.name}` must say by `-> …` what it pauses for: {', '.join(one.__name__ for one in PAUSES)}"
            )
        self.result = result_of(signature.result) if self.pauses else signature.result
        self.bound = written.within  # of the pause
        self.item: Step | None = None  # what its items are runs of
        self.of: Step | None = None  # the step whose items are runs of this one
        self.on_item_error: OnItemError = "fail"
        self.give: Call | None = None
        self.cancels: frozenset[Step] = (
            frozenset()
        )  # what leads to it without its fork, if it cancels the rest
        if inspect.isasyncgenfunction(written.function) or inspect.isgeneratorfunction(written.function):
            raise WorkflowValidationError(
                f"step `{self.name}` yields: it must return a list of events, or send them by `ctx.send_event`"
            )
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
        exits: dict[str, Signature] = {}
        calls: dict[str, Call] = {}
        of_items: dict[str, Call] = {}
        for name, (function, names) in written.exits.items():
            signature = read_signature(function, is_tail=True, names=names)
            slots = () if name == "match_by" else self.slots  # it is given one event
            call = make_call(function, signature, slots, is_tail=name not in _OF_THE_ACTION)
            exits[name] = signature
            (of_items if is_about_items(name, signature) else calls)[name] = call
        own = make_call(written.function, self.signature, self.slots, is_tail=written.is_transform)
        if written.is_transform and "then" in exits:
            raise WorkflowValidationError(f"transform `{self.name}` is a tail itself, so it has no `then`")
        self.exits = exits
        self.action: Call | None = None if written.is_transform else own
        self.then: Call | None = own if written.is_transform else calls.get("then")
        self.on_error = calls.get("on_error")
        self.on_limit = calls.get("on_limit")
        self.on_timeout = calls.get("on_timeout")
        self.on_expired = calls.get("on_expired")
        self.that = calls.get("that")
        self.match_by = calls.get("match_by")
        if self.match_by is not None and (self.join is None or not self.slots):
            raise WorkflowValidationError(
                f"step `{self.name}` is no join of several events, so it matches none"
            )
        if self.match_by is not None and getattr(self.join, "rest", "finish") == "cancel":
            raise WorkflowValidationError(
                f"step `{self.name}` joins once for each value, so its frame has no rest to cancel"
            )
        self.require = calls.get("require")
        self.max_runs: int | Call | None = calls.get("max_runs")
        if isinstance(written.limit, int):
            self.max_runs = written.limit
        elif written.limit is not None and self.max_runs is None:
            raise WorkflowValidationError(
                f"step `{self.name}`: decorate the method `{written.limit}` with `@{self.name}.max_runs`"
            )
        self.limited = self.max_runs is not None
        self.stream_before = calls.get("stream_before")
        self.stream_after = calls.get("stream_after")
        self.idempotency_key = calls.get("idempotency_key")
        self.emissions = self._read_emissions()
        before = [exits[name] for name in _OF_THE_ACTION if name in exits]
        self.wants_snapshot = any(one.wants(Gives.STATE) for one in (self.signature, *before))
        self.plain = (
            self.action is not None
            and self.is_async
            and not exits
            and not self.wants_snapshot
            and not self.resources
            and self.timeout is None
            and self.cache is None
            and self.retry is None
            and self.max_runs is None
        )
        if written.items is not None:
            self.item = make_item_step(0, self, written.items, of_items)
        if (Items in self.pauses) != (written.items is not None):
            raise WorkflowValidationError(
                f"step `{self.name}`: a step that returns `Items` has an action for each, `@{self.name}.item(…)`"
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


class StepTable:
    """All steps of a workflow class, and where every event goes.

    Raises:
        WorkflowValidationError: A signature cannot be read, or a join names a step that there is not.
    """

    def __init__(
        self,
        owner: str,
        written: Mapping[str, StepFunction[Any, Any]],
        *,
        is_generated: bool = False,
        received: tuple[EventClass, ...] = (),
        limits: Limits | None = None,
        exits: Mapping[str, RunFunction] | None = None,
    ) -> None:
        self.owner = owner
        self.received = received  # events from outside, whoever takes them
        self.is_generated = is_generated
        self.is_checked = is_generated  # the compiler has proved more than `check_flow` can
        self.steps = tuple(Step(index, one) for index, one in enumerate(written.values()))
        self.by_name = {step.name: step for step in self.steps}
        self.size = len(self.steps)  # with the steps of items
        for step in self.steps:
            if step.item is not None:
                step.item.index = self.size
                self.size += 1
        if len(self.by_name) < len(self.steps):
            raise WorkflowValidationError(f"two steps of {owner} have the same name")
        bind_handlers(owner, self.steps)
        self.exits: dict[str, Call] = {}  # of the run
        self.exit_signatures: list[Signature] = []
        for name, function in (exits or {}).items():
            signature = read_signature(function.function, is_tail=True, names=function.names)
            self.exits[name] = make_call(function.function, signature, (), is_tail=True)
            self.exit_signatures.append(signature)
        self._acceptors: dict[EventClass, tuple[Step, ...]] = {}
        self.workflows = {
            one.name: one
            for step in self.steps
            for signature in (step.signature, *step.exits.values())
            for one in signature.parameters
            if one.gives is Gives.WORKFLOW
        }
        self.has_limits = any(step.limited for step in self.steps)
        self.limits = limits
        self.most_steps = None if limits is None else limits.steps
        if self.most_steps is not None:
            for step in self.steps:
                step.limited, step.simple = True, False
        self.start_joins = self._joins_of(None)
        for step in self.steps:
            step.opens = self._joins_of(step)
            for event in step.emissions.events:
                if not issubclass(event, StopEvent | InputRequiredEvent):
                    step.routes[event] = self.acceptors(event)
            step.items = {event: self.acceptors(event) for batch in step.emissions.batches for event in batch}
            step.fork = self._fork_of(step)
        self._bind_batches()
        self.cancelling = False  # whether a join may cancel what it does not wait for
        for step in self.steps:
            if getattr(step.join, "rest", "finish") == "cancel":
                self.cancelling = True
                step.cancels = self._leading_to(step)
            if step.opens and step.emissions.batches:
                within = self._within_items(step)
                step.items_open = tuple(join for join in step.opens if join in within)
                step.opens = tuple(join for join in step.opens if join not in within)
        produced = {event for step in self.steps for event in step.emits}
        self.listens = tuple(
            event
            for event in dict.fromkeys(
                event for step in self.steps if not step.max_recoveries for event in step.accepts
            )
            if issubclass(event, HumanResponseEvent)
            or event in received
            or not (issubclass(event, StartEvent) or any(issubclass(one, event) for one in produced))
        )

        self.asks = any(issubclass(event, InputRequiredEvent) for event in produced) or any(
            issubclass(event, HumanResponseEvent) for step in self.steps for event in step.accepts
        )
        self.state = _state_class(self.steps, self.exit_signatures)

    def new_state(self) -> Any:
        """The state that a run begins with.

        Raises:
            WorkflowValidationError: A field has no default.
        """
        try:
            return self.state()
        except ValueError as error:
            raise WorkflowValidationError(
                f"the state of {self.owner} cannot be made: every field of {self.state.__name__} needs a default "
                f"({error})"
            ) from error

    def acceptors(self, event: EventClass) -> tuple[Step, ...]:
        """The steps that events of a class go to."""
        found = self._acceptors.get(event)
        if found is None:
            found = self._acceptors[event] = tuple(step for step in self.steps if step.takes(event))
        return found

    def _joins_of(self, fork: Step | None) -> tuple[Step, ...]:
        name = None if fork is None else fork.name
        return tuple(
            step
            for step in self.steps
            if step.join is not None and not isinstance(step.join, EachOf) and step.join.fork == name
        )

    def _fork_of(self, step: Step) -> Step | None:
        name = step.join.fork if step.join is not None else None
        if name is not None and name not in self.by_name:
            raise WorkflowValidationError(f"the join of step `{step.name}` names `{name}`, which is no step")
        return None if name is None else self.by_name[name]

    def _bind_batches(self) -> None:
        """For every batch that a step may open, which steps collect it."""
        if not any(step.collects for step in self.steps):
            return
        for step in self.steps:
            every: dict[Step, None] = {}
            for batch in step.emissions.batches:
                found = self._collectors(step, batch)
                every.update(dict.fromkeys(found))
                for event in batch:
                    step.batches[event] = found
            if step.emissions.batches:
                step.batches[None] = tuple(every)

    def _collectors(self, opener: Step, batch: tuple[EventClass, ...]) -> tuple[Step, ...]:
        """The collectors that the items' descendants reach while this batch is the innermost one."""
        found = set()
        for step, inner in self._descendants(batch):
            if step.collects:
                fork = getattr(step.join, "fork", None)
                if fork == opener.name or (inner == 0 and fork is None):
                    found.add(step)
        return tuple(step for step in self.steps if step in found)

    def _leading_to(self, join: Step) -> frozenset[Step]:
        """The steps from which a join can be reached without passing its fork."""
        found: set[Step] = set()
        todo = [join]
        while todo:
            reached = todo.pop()
            for step in self.steps:
                if step not in found and step is not join.fork and any(map(reached.takes, step.emits)):
                    found.add(step)
                    todo.append(step)
        return frozenset(found)

    def _within_items(self, opener: Step) -> frozenset[Step]:
        """The steps that items of an opener's batches reach before their batch is collected."""
        events = tuple(event for batch in opener.emissions.batches for event in batch)
        return frozenset(step for step, _inner in self._descendants(events) if not step.collects)

    def _descendants(self, events: tuple[EventClass, ...]) -> Iterator[tuple[Step, int]]:
        """The steps that a batch's items lead to until it is collected, and how many batches are open inside it."""
        seen: set[tuple[EventClass, int]] = set()
        todo = [(event, 0) for event in events]
        deepest = len(self.steps)
        while todo:
            event, inner = todo.pop()
            if (event, inner) in seen or inner > deepest:
                continue
            seen.add((event, inner))
            for step in self.acceptors(event):
                yield step, inner
                after = inner - 1 if step.collects else inner
                if after >= 0:
                    todo.extend((one, after) for one in step.emissions.events)
                    todo.extend((one, after + 1) for batch in step.emissions.batches for one in batch)


def _state_class(steps: tuple[Step, ...], exits: list[Signature]) -> type[Any]:
    """The state's class, from the signatures: the most derived of those that they name."""
    found: type[Any] = DictState
    named = [(f"step `{step.name}`", [step.signature, *step.exits.values()]) for step in steps]
    named += [(f"step `{step.name}`", [step.item.signature]) for step in steps if step.item is not None]
    for name, signatures in (*named, ("an exit of the run", exits)):
        for signature in signatures:
            kind = signature.state
            if kind is None or issubclass(found, kind):
                continue
            if found is not DictState and not issubclass(kind, found):
                raise WorkflowValidationError(
                    f"{name} has the state {kind.__name__}, other steps {found.__name__}: one must be "
                    f"derived from the other"
                )
            found = kind
    return found
