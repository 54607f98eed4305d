"""A workflow class's steps as data: what each accepts, emits and needs, and where every event goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.events import (
    DictState,
    Event,
    HumanResponseEvent,
    InputRequiredEvent,
    StartEvent,
    StopEvent,
    event_name,
)
from wfc.runtime.plan.batch_flow import BatchFlow
from wfc.runtime.plan.error_handlers import bind_handlers
from wfc.runtime.plan.joins import EachOf
from wfc.runtime.plan.places import Places
from wfc.runtime.plan.run_rules import Limits
from wfc.runtime.plan.signature import Call, EventClass, Gives, Parameter, Signature
from wfc.runtime.plan.step import Step

__all__ = ["Plan"]

MANY = 1000
"""If a step has more workers, more step runs may begin at once than are well taken from the front of a list."""

Shows = Callable[[Any, Any, Iterable[Event]], Iterable[Event]]
"""Returns what the watchers of a run are told of what a step emits, from the run, its state then, and the events."""


class Plan:
    """The steps of a workflow class, and the routes of events between them.

    Args:
        owner: The class's name, for error messages.
        is_generated: Whether the compiler has printed the class.
        received: Classes of events that runs take from outside, by a step or by a pause.
        exits: The calls of the run's exits with their signatures, by name of the exit.

    Raises:
        WorkflowValidationError: Steps contradict each other, or a join names a step that does not exist.
    """

    def __init__(
        self,
        owner: str,
        steps: Sequence[Step],
        *,
        is_generated: bool = False,
        received: tuple[EventClass, ...] = (),
        limits: Limits | None = None,
        exits: Mapping[str, tuple[Call, Signature]] | None = None,
        computes_bounds: bool = False,
    ) -> None:
        self.owner = owner
        self.received = received
        self.is_generated = is_generated
        self.is_checked = is_generated  # the compiler has proved more than `check_flow` can
        self.steps = tuple(steps)
        self.by_name = {step.name: step for step in self.steps}
        if len(self.by_name) < len(self.steps):
            raise WorkflowValidationError(f"two steps of {owner} have the same name")
        self.size = self._number_items()
        self.workers = [step.num_workers for step in self._with_items()]  # by step index
        bind_handlers(owner, self.steps)
        self.exits: dict[str, Call] = {name: call for name, (call, _) in (exits or {}).items()}
        self.exit_signatures = [signature for _, signature in (exits or {}).values()]
        self.may_wait = not is_generated and any(
            step.signature.asks_for(Gives.CONTEXT) for step in self.steps
        )  # bodies for events that no step accepts
        self.workflows = _workflow_parameters(self.steps)
        self.limits = limits
        self.has_limits = any(step.limited for step in self.steps)
        self.has_bounds_at_start = computes_bounds or any(callable(step.max_runs) for step in self.steps)
        # whether very many step runs may be about to begin at once
        self.starts_many = computes_bounds or max(self.workers, default=0) > MANY
        self.most_steps = None if limits is None else limits.steps
        if computes_bounds:  # those of a run may bound what the class does not
            for step in self._with_items():
                step.plain = False
        if self.most_steps is not None or computes_bounds:
            for step in self.steps:
                step.limited, step.simple = True, False
        self._accepting = _accepting(self.steps)
        self._acceptors: dict[EventClass, tuple[Step, ...]] = {}
        self._reached: dict[EventClass, frozenset[Step]] = {}
        self._bind_routes()
        self._bind_joins()
        if not is_generated:
            self._find_shared_events()
        produced = {event for step in self.steps for event in step.emits}
        produced.update(self.events_of_exits)
        self.listens = self._events_from_outside(produced)
        self.asks = any(issubclass(event, InputRequiredEvent) for event in produced) or any(
            issubclass(event, HumanResponseEvent) for step in self.steps for event in step.accepts
        )
        self.state = _state_class(self.steps, self.exit_signatures)
        self.declares_state = self.state is not DictState
        self.shows: Shows | None = None
        self.places: Places | None = None
        self.pays_for: frozenset[str] = frozenset()

    @cached_property
    def events_of_exits(self) -> tuple[EventClass, ...]:
        """The events that exits of the run emit, other than those that end it."""
        emitted = [event for signature in self.exit_signatures for event in signature.emissions.events]
        return tuple(
            dict.fromkeys(event for event in emitted if not issubclass(event, StartEvent | StopEvent))
        )

    def _number_items(self) -> int:
        """Number the steps of items behind the others; return how many steps there are with them."""
        size = len(self.steps)
        for step in self.steps:
            if step.item is not None:
                step.item.index = size
                size += 1
        return size

    def _with_items(self) -> list[Step]:
        """Return all steps by index, with those of items."""
        return [*self.steps, *(step.item for step in self.steps if step.item is not None)]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The names of all steps by index, as they are kept; that of a step's items is ``name[]``."""
        return tuple(step.key for step in self._with_items())

    @cached_property
    def by_key(self) -> dict[str, Step]:
        """All steps by these names."""
        return {step.key: step for step in self._with_items()}

    def _bind_routes(self) -> None:
        for step in self.steps:
            for event in step.emissions.events:
                if not issubclass(event, StopEvent | InputRequiredEvent):
                    step.routes[event] = self.acceptors(event)
            step.items = {event: self.acceptors(event) for batch in step.emissions.batches for event in batch}

    def _find_shared_events(self) -> None:
        """Mark the steps that take single events which another step takes too."""
        for event in self._accepting:
            single = [step for step in self.acceptors(event) if not step.slots and not step.collects]
            if len(single) > 1:
                for step in single:
                    step.shares_events, step.plain = True, False

    def _bind_joins(self) -> None:
        joins: dict[str | None, list[Step]] = {}
        for step in self.steps:
            if step.join is not None and not isinstance(step.join, EachOf):
                joins.setdefault(step.join.fork, []).append(step)
        self.start_joins = tuple(joins.get(None, ()))
        for step in self.steps:
            step.opens = tuple(joins.get(step.name, ()))
            step.fork = self._fork_of(step)
        flow = BatchFlow(self.steps, self.acceptors)
        flow.bind_batches()
        self.cancelling = False  # whether a join may cancel what it does not wait for
        for step in self.steps:
            if getattr(step.join, "rest", "finish") == "cancel":
                if isinstance(step.join, EachOf) and step.fork is None:
                    raise WorkflowValidationError(
                        f"the join of step `{step.name}` cancels the rest of a batch, so it must name its fork"
                    )
                self.cancelling = True
                step.cancels = flow.leading_to(step)
            if step.opens and step.emissions.batches:
                within = flow.within_items(step)
                step.items_open = tuple(join for join in step.opens if join in within)
                step.opens = tuple(join for join in step.opens if join not in within)

    def _fork_of(self, step: Step) -> Step | None:
        name = step.join.fork if step.join is not None else None
        if name is not None and name not in self.by_name:
            raise WorkflowValidationError(f"the join of step `{step.name}` names `{name}`, which is no step")
        return None if name is None else self.by_name[name]

    def _events_from_outside(self, produced: set[EventClass]) -> tuple[EventClass, ...]:
        """Return the accepted events that no step produces, that people send, or that runs receive."""
        accepted = dict.fromkeys(
            event for step in self.steps if not step.max_recoveries for event in step.accepts
        )
        covered = {base for event in produced for base in event.__mro__}
        return tuple(
            event
            for event in accepted
            if issubclass(event, HumanResponseEvent)
            or event in self.received
            or not (issubclass(event, StartEvent) or event in covered)
        )

    @cached_property
    def start_class(self) -> type[StartEvent]:
        """The class of the event that starts runs.

        Raises:
            WorkflowValidationError: No step accepts one, or steps accept different ones.
        """
        accepted = dict.fromkeys(event for step in self.steps for event in step.accepts)
        found = [event for event in accepted if issubclass(event, StartEvent)]
        if len(found) != 1:
            names = ", ".join(event_name(one) for one in found) or "none"
            raise WorkflowValidationError(
                f"the steps of {self.owner} must accept one kind of StartEvent; they accept {names}"
            )
        return found[0]

    @cached_property
    def end_classes(self) -> tuple[type[StopEvent], ...]:
        """The classes of the events that end runs, including those of the run's exits."""
        emitted = [event for step in self.steps for event in step.emits]
        emitted += [event for signature in self.exit_signatures for event in signature.emissions.events]
        return tuple(dict.fromkeys(event for event in emitted if issubclass(event, StopEvent)))

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

    def reached_from(self, event: EventClass) -> frozenset[Step]:
        """Return the steps that an event leads to, by itself or by what these emit."""
        found = self._reached.get(event)
        if found is None:
            reached: set[Step] = set()
            todo = list(self.acceptors(event))
            while todo:
                step = todo.pop()
                if step not in reached:
                    reached.add(step)
                    todo += [target for one in step.emits for target in self.acceptors(one)]
                    todo += [] if step.handler is None else [step.handler]
            found = self._reached[event] = frozenset(reached)
        return found

    def listens_on(self, reached: frozenset[Step]) -> bool:
        """Return whether one of some steps takes events from outside."""
        return any(step.takes(event) for event in self.listens for step in reached)

    def joins_from(self, way: EventClass | None) -> tuple[Step, ...]:
        """Return the joins whose fork is the beginning of a way that a run takes.

        Args:
            way: The event of an exit of the run that it goes on by; ``None``: it begins at its start.
        """
        if not self.start_joins or not self.is_generated or not self.events_of_exits:
            return self.start_joins  # the bodies of hand-written steps may send what no signature shows
        begins = (way,) if way is not None else (self.start_class, *self.listens)
        reached = frozenset[Step]().union(*map(self.reached_from, begins))
        return tuple(step for step in self.start_joins if step in reached)

    def acceptors(self, event: EventClass) -> tuple[Step, ...]:
        """The steps that events of a class go to."""
        found = self._acceptors.get(event)
        if found is None:
            among = {
                number
                for base in event.__mro__
                for number, step in self._accepting.get(base, ())
                if step.subclasses or base is event
            }
            found = self._acceptors[event] = tuple(self.steps[number] for number in sorted(among))
        return found


def _accepting(steps: Sequence[Step]) -> dict[type[Any], list[tuple[int, Step]]]:
    """Return the steps that accept events of each class, with their numbers; not those of a base of it."""
    found: dict[type[Any], list[tuple[int, Step]]] = {}
    for number, step in enumerate(steps):
        for event in step.accepts:
            found.setdefault(event, []).append((number, step))
    return found


def _workflow_parameters(steps: Sequence[Step]) -> dict[str, Parameter]:
    """Return the parameters of steps that are given other workflows, by name."""
    return {
        one.name: one
        for step in steps
        for signature in (step.signature, *step.exits.values())
        for one in signature.parameters
        if one.gives is Gives.WORKFLOW
    }


def _state_class(steps: tuple[Step, ...], exits: list[Signature]) -> type[Any]:
    """Return the most derived of the state classes that the signatures name."""
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
