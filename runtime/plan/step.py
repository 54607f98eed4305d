"""One step of a plan: what it accepts and emits, its bounds, and the calls of its functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from wfc.runtime.plan.caching import Cache
from wfc.runtime.plan.joins import AtLeast, FirstOf, Join
from wfc.runtime.plan.retries import RetryRule
from wfc.runtime.plan.signature import (
    Call,
    Emissions,
    EventClass,
    Gives,
    Parameter,
    ResourceRequest,
    Signature,
)

__all__ = ["OnItemError", "Step"]

OnItemError = Literal["fail", "skip", "null"]
"""The handling of an item whose action has failed for good: fail the step, omit the item, or use ``None``."""


@dataclass(eq=False, slots=True, kw_only=True, repr=False)
class Step:
    """A step of a class, ready to run.

    Its calls (``action``, ``then`` …) are ``None`` where it has no such function. ``plain`` marks a
    coroutine function whose result is what it emits, without further processing.
    """

    index: int
    """Its place in the plan."""
    name: str
    function: Callable[..., Any]
    signature: Signature
    result: Any
    """The type of its action's result."""
    is_async: bool = False

    # --- options
    num_workers: int = 4
    retry: RetryRule | None = None
    timeout: float | None = None
    cache: Cache | None = None
    subclasses: bool = False
    """``True`` if it accepts subclasses of its events too."""
    skips: tuple[str, ...] = ()
    """The flow checks to leave out for it."""
    max_recoveries: int = 0
    """The most recoveries of a handler of failed steps; 0: it is not a handler."""
    for_steps: tuple[str, ...] | None = None

    # --- events
    accepts: tuple[EventClass, ...] = ()
    emissions: Emissions = field(default_factory=Emissions)
    collects: bool = False
    """``True`` if it takes a batch, as a list of events."""
    take: int | None = None
    """The number of a batch's events that it waits for; ``None``: all."""
    count: int | None = None
    """The number of a batch's events after which its join does not wait for more, unless a run's bounds say it."""
    join: Join | None = None
    slots: tuple[Parameter, ...] = ()
    """The parameters of a join of several events."""

    # --- pauses and items
    pauses: tuple[type[Any], ...] = ()
    """The classes of the values that it may pause for."""
    bound: float | None = None
    """The time limit of the whole pause, in seconds."""
    item: Step | None = None
    """The step that runs for each of its items."""
    of: Step | None = None
    """The step whose items are runs of this one."""
    on_item_error: OnItemError = "fail"

    # --- functions
    exits: dict[str, Signature] = field(default_factory=dict)
    """The signatures of its functions besides the action, by what they are for."""
    resources: tuple[ResourceRequest[Any], ...] = ()
    action: Call | None = None
    then: Call | None = None
    on_error: Call | None = None
    on_limit: Call | None = None
    on_timeout: Call | None = None
    on_expired: Call | None = None
    that: Call | None = None
    require: Call | None = None
    stream_before: Call | None = None
    stream_after: Call | None = None
    idempotency_key: Call | None = None
    match_by: Call | None = None
    approvals: dict[str, Call] = field(default_factory=dict)
    """Of a step whose action is an agent: how calls of its tools are allowed, by tool."""
    offers: dict[str, Call] = field(default_factory=dict)
    """Whether tools of it are offered, by tool."""
    call_saves: dict[str, Call] = field(default_factory=dict)
    """What calls of its tools change in the state, by tool."""
    agent_system: Call | None = None
    """What its model is told before anything else, where that is worked out before each reply."""
    give: Call | None = None
    give_instead: Call | None = None
    max_runs: int | Call | None = None
    needs_snapshot: bool = False
    """``True`` if it sees the state as it was when the step run began."""
    saves: bool = False
    """``True`` if one of its tails sees the state, and so may change it."""
    plain: bool = False
    shares_events: bool = False
    """``True`` if other steps take the same single events: all of them start before any has an effect."""

    # --- what follows from the other steps of the plan
    routes: dict[EventClass, tuple[Step, ...]] = field(default_factory=dict)
    """The target steps of the events that it may emit, by class, except end events."""
    ends: dict[EventClass, tuple[Step, ...]] = field(default_factory=dict)
    """The same for the classes of events, emitted so far, by which a run ends or asks for something."""
    items: dict[EventClass, tuple[Step, ...]] = field(default_factory=dict)
    """The target steps of the items of its batches, by class."""
    batches: dict[EventClass | None, tuple[Step, ...]] = field(default_factory=dict)
    """The steps that collect its batches, by class of item."""
    fork: Step | None = None
    """The fork of its join."""
    opens: tuple[Step, ...] = ()
    """Joins of several events whose frames its completions open."""
    items_open: tuple[Step, ...] = ()
    """Joins of several events whose frames the items of its batches open."""
    cancels: frozenset[Step] = frozenset()
    """The steps that lead to its join without passing the join's fork, if the join cancels the rest."""
    handler: Step | None = None
    """The handler of its failures."""

    # --- what follows from the rest, kept because it is asked for at each event
    limited: bool = field(init=False)
    """``True`` if its runs are counted."""
    simple: bool = field(init=False)
    """``True`` if it takes one event at a time, and its runs are not counted."""
    within: float | None = field(init=False)
    """The time limit of its join, in seconds."""
    needed: int = field(init=False)
    """The number of slots of its join that must be filled."""

    def __post_init__(self) -> None:
        # a function that is told of the run may ask which round it is
        self.limited = self.max_runs is not None or any(
            signature.asks_for(Gives.RUN) for signature in (self.signature, *self.exits.values())
        )
        self.simple = not self.slots and not self.collects and not self.limited
        self.within = None if self.join is None else self.join.within
        self.needed = len(self.slots)
        if isinstance(self.join, FirstOf):
            self.needed = 1
        elif isinstance(self.join, AtLeast):
            self.needed = self.join.count

    @property
    def key(self) -> str:
        """The name by which a step is kept; the runs of a step's items are those of ``name[]``."""
        return self.name if self.of is None else f"{self.of.name}[]"

    @property
    def emits(self) -> Iterator[EventClass]:
        """All event classes that it declares to emit."""
        yield from self.emissions.events
        for batch in self.emissions.batches:
            yield from batch

    @property
    def needs_frame(self) -> bool:
        """``True`` if it joins only events of a fork or of a batch, and so none that come from outside."""
        return self.collects or (self.join is not None and self.join.fork is not None)

    def slot_of(self, event: EventClass) -> int | None:
        """Return the position of the join's parameter that takes events of this class."""
        for at, slot in enumerate(self.slots):
            if event in slot.events or (self.subclasses and issubclass(event, slot.events)):
                return at
        return None

    def takes(self, event: EventClass) -> bool:
        """Return whether it accepts events of this class."""
        return event in self.accepts or (self.subclasses and issubclass(event, self.accepts))

    def __repr__(self) -> str:
        return f"<step {self.name}>"
