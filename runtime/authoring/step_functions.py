"""Steps as they are defined: a function, its options, and the functions that belong to it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import (
    Any,
    Concatenate,
    Final,
    Generic,
    ParamSpec,
    TypeVar,
    get_args,
    overload,
)

from wfc.runtime.authoring.enclosing_names import enclosing_names
from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.plan.caching import Cache
from wfc.runtime.plan.joins import Join
from wfc.runtime.plan.retries import RetryRule
from wfc.runtime.plan.step import OnItemError

__all__ = ["AFTER_CALL", "APPROVE", "DEFAULT_WORKERS", "OFFER", "ItemFunction", "StepFunction"]


P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_WORKERS: Final = 4

APPROVE: Final = "approve "
"""What the names of functions begin with that tell how a call of a tool is allowed."""

OFFER: Final = "offer "
"""What those begin with that tell whether a tool is offered."""

AFTER_CALL: Final = "after_call "
"""What those begin with that change the state when a call of a tool is done."""


class ItemFunction:
    """The action for a step's items, and its options."""

    def __init__(
        self,
        function: Callable[..., Any],
        num_workers: int,
        retry_policy: RetryRule | None,
        timeout: float | None,
        on_error: OnItemError,
        cache: Cache | None,
    ) -> None:
        self.function = function
        self.names = enclosing_names(function)
        self.num_workers = num_workers
        self.retry_policy = retry_policy
        self.timeout = timeout
        self.on_error: OnItemError = on_error
        self.cache = cache


class StepFunction(Generic[P, R]):
    """A function that is a step, and the functions that belong to it.

    It can be called like the function itself, for tests. The decorators ``then`` and the others register
    the step's tail and further exits; each returns the function that it is given.
    """

    def __init__(self, function: Callable[P, R], names: Mapping[str, Any]) -> None:
        self.function = function
        self.names = names  # of the enclosing scopes, for annotations that are strings
        self.exits: dict[str, tuple[Callable[..., Any], Mapping[str, Any]]] = {}
        self.is_transform = False
        self.is_pause = False
        self.within: float | None = None  # the time limit of a pause
        self.items: ItemFunction | None = None
        self.join: Join | None = None
        self.num_workers = DEFAULT_WORKERS
        self.retry_policy: RetryRule | None = None
        self.timeout: float | None = None
        self.limit: int | str | None = None
        self.cache: Cache | None = None
        self.accept_event_subclasses = False
        self.skip_graph_checks: tuple[str, ...] = ()
        self.max_recoveries = 0  # of a handler of failed steps
        self.for_steps: tuple[str, ...] | None = None
        self.name = function.__name__  # in reports and joins; the method's may have to differ
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__module__ = function.__module__
        self.__doc__ = function.__doc__
        self.__wrapped__ = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    @overload
    def __get__(self, instance: None, owner: type) -> StepFunction[P, R]: ...
    @overload
    def __get__(
        self: StepFunction[Concatenate[Any, S2], R2], instance: object, owner: type
    ) -> Callable[S2, R2]: ...
    def __get__(self, instance: object, owner: type) -> Any:
        return self if instance is None else self.function.__get__(instance, owner)

    def with_options(self, **options: Any) -> StepFunction[P, R]:
        """Return the same step with other values of these attributes, for a class derived from its own."""
        made = copy.copy(self)
        for name, value in options.items():
            setattr(made, name, value)
        return made

    def _registers(self, name: str) -> Callable[[F], F]:
        def register(function: F) -> F:
            if name in self.exits:
                raise WorkflowValidationError(f"step `{self.name}` has two functions for `{name}`")
            self.exits[name] = function, enclosing_names(function)
            return function

        return register

    def then(self, function: F) -> F:
        """Register the tail, which emits.

        It is called with the action's result and the state at the time of recording it.
        """
        return self._registers("then")(function)

    def on_error(self, function: F) -> F:
        """Register the exit for an action that has failed for good; it emits, or returns ``UNHANDLED``."""
        return self._registers("on_error")(function)

    def on_limit(self, function: F) -> F:
        """Register the exit, which emits, to call instead of the action after ``max_runs`` runs."""
        return self._registers("on_limit")(function)

    def on_timeout(self, function: F) -> F:
        """Register the exit, which emits, to call when a join's ``within`` has passed."""
        return self._registers("on_timeout")(function)

    def require(self, function: F) -> F:
        """Register the generator that yields a sentence for each requirement the result does not meet."""
        return self._registers("require")(function)

    def approve(self, tool: str) -> Callable[[F], F]:
        """Register the function that tells how a person allows a call of an agent's tool; ``None``: nobody has to.

        Its parameter ``result`` is given the arguments of the call.
        """
        return self._registers(f"{APPROVE}{tool}")

    def offer(self, tool: str) -> Callable[[F], F]:
        """Register the function that tells whether an agent's tool is offered; it is called before each reply."""
        return self._registers(f"{OFFER}{tool}")

    def after_call(self, tool: str) -> Callable[[F], F]:
        """Register the function that changes the state when a call of an agent's tool is done.

        Its parameter ``result`` is given a ``DoneCall``.
        """
        return self._registers(f"{AFTER_CALL}{tool}")

    def system(self, function: F) -> F:
        """Register the function that returns what an agent's model is told before anything else, at each reply."""
        return self._registers("system")(function)

    def max_runs(self, function: F) -> F:
        """Register the function that computes ``max_runs`` from inputs and config."""
        return self._registers("max_runs")(function)

    def stream_before(self, function: F) -> F:
        """Register the function that returns a text or an event to stream before the action."""
        return self._registers("stream_before")(function)

    def stream_after(self, function: F) -> F:
        """Register the function that returns a text or an event to stream after the action."""
        return self._registers("stream_after")(function)

    def idempotency_key(self, function: F) -> F:
        """Register the function that returns the key by which a service recognizes a repeated request."""
        return self._registers("idempotency_key")(function)

    # --- of steps that pause

    def on_expired(self, function: F) -> F:
        """Register the exit, which emits, to call when the pause's own ``within`` has passed."""
        return self._registers("on_expired")(function)

    def that(self, function: F) -> F:
        """Register the predicate that decides whether an external event, its ``result``, ends the wait."""
        return self._registers("that")(function)

    def item(
        self,
        *,
        num_workers: int = DEFAULT_WORKERS,
        retry_policy: RetryRule | None = None,
        timeout: float | None = None,
        on_error: OnItemError = "fail",
        cache: Cache | None = None,
    ) -> Callable[[F], F]:
        """Register the action for each of a step's ``Items``: it returns a result, or a pause to wait for it.

        Args:
            num_workers: The maximum number of items at work at once, within one run of the workflow. One that waits for
                its next attempt is among them.
            retry_policy: The policy for failed attempts.
            timeout: Seconds for one attempt.
            on_error: What to do with an item that has failed for good; ``fail``: cancel the others.
            cache: Whether the results of its calls may be reused.

        Raises:
            WorkflowValidationError: An option is out of range, or the step already has such a function.
        """
        if isinstance(num_workers, bool) or not isinstance(num_workers, int) or num_workers < 1:
            raise WorkflowValidationError("`num_workers` must be an integer greater than 0")
        if timeout is not None and timeout <= 0:
            raise WorkflowValidationError("`timeout` must be greater than 0")
        if on_error not in get_args(OnItemError):
            raise WorkflowValidationError(f"`on_error` must be one of {', '.join(get_args(OnItemError))}")

        def register(function: F) -> F:
            if self.items is not None:
                raise WorkflowValidationError(f"step `{self.name}` has two functions for `item`")
            self.items = ItemFunction(function, num_workers, retry_policy, timeout, on_error, cache)
            return function

        return register

    def give(self, function: F) -> F:
        """Register the function that returns an item's value, or ``SKIP``.

        It is called with the item's result and the state at the time of recording it.
        """
        return self._registers("give")(function)

    def on_item_error(self, function: F) -> F:
        """Register the function that returns the value of an item whose action has failed for good."""
        return self._registers("on_item_error")(function)

    # --- of joins

    def match_by(self, function: F) -> F:
        """Register the function that returns the value to match events by; the join fires once for each."""
        return self._registers("match_by")(function)


S2 = ParamSpec("S2")
R2 = TypeVar("R2")
