"""A step as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.model.accepts import AnyOf, Join
from wfc.compiler.model.bindings import Retry
from wfc.compiler.model.exits import Emit, Exit, Save
from wfc.compiler.model.kinds import STEP_KINDS, Action
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Type

USUAL_CONCURRENCY: Final = 4
"""How many executions of a step may run side by side, if it does not say."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition that the result must meet, and the message if it does not."""

    that: Expression
    say: Template
    address: Address


@dataclass(frozen=True, slots=True)
class Stream:
    """The messages for whoever watches the run, before and after the action."""

    before: Template | Emit | None
    after: Template | Emit | None
    address: Address


@dataclass(frozen=True, slots=True)
class Cached:
    """The settings for caching results of the action.

    Args:
        seconds: How long one is good; ``None``: without end.
        definition: What the spec says of the action, as plain data: any change invalidates cached results.
    """

    seconds: float | None
    definition: Mapping[str, object]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A handler: what it accepts, its one action, and its tail.

    Args:
        action: What it does.
        result: The action's type; ``None`` without an action, and for one that gives nothing.
        save: The step's own saves, made before an entry's.
        max_runs: A number, or an expression of inputs and config; ``None``: unbounded.
        on_timeout: Of a join.
        within: How long the step's own pause (a person, an event from outside) lasts at most: seconds, a duration
            that is computed when the step run begins, or ``None``.
        until: The moment at which that pause ends at the latest, computed when the step run begins, or ``None``.
        on_expired: Where the step goes after that: `on_timeout` of the step itself.
        timeout: Seconds for one attempt, or an expression of inputs and config; ``None``: unbounded.
        concurrency: How many executions of it may run side by side within a run; as `max_runs`.
        cached: ``None``: the action is done each time.
    """

    name: str
    kind: str
    description: str
    accepts: AnyOf | Join
    action: Action | None
    result: Type | None
    save: tuple[Save, ...]
    emit: Exit
    on_error: Exit | None
    on_limit: Exit | None
    on_timeout: Exit | None
    retry: Retry | None
    timeout: float | Expression | None
    concurrency: int | Expression
    max_runs: int | Expression | None
    require: tuple[Requirement, ...]
    stream: Stream | None
    idempotency_key: Template | None
    address: Address
    within: float | Expression | None = None
    until: Expression | None = None
    on_expired: Exit | None = None
    cached: Cached | None = None

    @property
    def acts(self) -> bool:
        """Return whether the step does anything beyond its tail."""
        return STEP_KINDS[self.kind].acts


__all__ = ["USUAL_CONCURRENCY", "Cached", "Requirement", "Step", "Stream"]
