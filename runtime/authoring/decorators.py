"""``@step``, ``@transform`` and ``@pause``: the decorators that make methods steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, overload

from wfc.runtime.authoring.enclosing_names import enclosing_names
from wfc.runtime.authoring.step_functions import DEFAULT_WORKERS, StepFunction
from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.plan.caching import Cache
from wfc.runtime.plan.joins import Join
from wfc.runtime.plan.retries import RetryRule

__all__ = ["StepFunction", "StepGraphCheck", "catch_error", "pause", "step", "transform"]

P = ParamSpec("P")
R = TypeVar("R")

StepGraphCheck = Literal["reachability", "dead_end"]
"""The names of the graph checks that can be skipped for a step."""


class TakesSteps(Protocol):
    """A workflow class, to which free functions can be added as steps."""

    @classmethod
    def add_step(cls, function: StepFunction[Any, Any]) -> None:
        """Make a decorated free function a step of this class."""


@overload
def step(function: Callable[P, R], /) -> StepFunction[P, R]: ...
@overload
def step(
    *,
    workflow: type[TakesSteps] | None = None,
    num_workers: int = DEFAULT_WORKERS,
    retry_policy: RetryRule | None = None,
    timeout: float | None = None,
    max_runs: int | str | None = None,
    join: Join | None = None,
    name: str | None = None,
    cache: Cache | None = None,
    accept_event_subclasses: bool = False,
    skip_graph_checks: list[StepGraphCheck] | None = None,
) -> Callable[[Callable[P, R]], StepFunction[P, R]]: ...
def step(
    function: Callable[..., Any] | None = None,
    /,
    *,
    workflow: type[TakesSteps] | None = None,
    num_workers: int = DEFAULT_WORKERS,
    retry_policy: RetryRule | None = None,
    timeout: float | None = None,
    max_runs: int | str | None = None,
    join: Join | None = None,
    name: str | None = None,
    cache: Cache | None = None,
    accept_event_subclasses: bool = False,
    skip_graph_checks: list[StepGraphCheck] | None = None,
) -> Any:
    """Turn a method, or with ``workflow`` a free function, into a step.

    Its parameters declare the events it accepts: ``A | B`` any of them, several parameters one of each,
    ``list[E]`` a batch. Its return annotation declares what it emits: ``A | B | None`` one event or none,
    ``list[E]`` a batch. A function that is not asynchronous runs in a thread.

    Args:
        workflow: The class that a free function belongs to.
        num_workers: The maximum number of its runs in progress at once, within one run of the workflow.
        retry_policy: The policy for failed attempts; ``None``: the run fails.
        timeout: Seconds for one attempt, not counting the time in the queue; ``None``: no bound.
        max_runs: The maximum number of its runs, in one run of the workflow or for one item of a batch;
            or the name of a method that returns it.
        join: How the events of its parameters belong together.
        name: The step's name, where that cannot be the method's name.
        cache: Whether the results of its calls of models, tools and services may be reused.
        accept_event_subclasses: Whether it accepts subclasses of its events too.
        skip_graph_checks: Names of the graph checks to skip for it: ``reachability``, ``dead_end``.

    Raises:
        WorkflowValidationError: An option is out of range, or a free function has no ``workflow``.
    """
    _check_count("num_workers", num_workers)
    _check_attempts(timeout, retry_policy)

    def decorate(function: Callable[..., Any]) -> StepFunction[..., Any]:
        made: StepFunction[..., Any] = StepFunction(function, enclosing_names(function))
        made.num_workers = num_workers
        made.retry_policy = retry_policy
        made.timeout = timeout
        made.limit = max_runs
        made.cache = cache
        made.join = join
        made.name = name or function.__name__
        made.accept_event_subclasses = accept_event_subclasses
        made.skip_graph_checks = tuple(skip_graph_checks or ())
        if workflow is not None:
            workflow.add_step(made)
        elif _is_free(function):
            raise WorkflowValidationError(
                f"`{function.__name__}` is not a method: say `@step(workflow=…)` with the class that it belongs to"
            )
        return made

    return decorate if function is None else decorate(function)


@overload
def transform(function: Callable[P, R], /) -> StepFunction[P, R]: ...
@overload
def transform(
    *, join: Join | None = None, max_runs: int | str | None = None, name: str | None = None
) -> Callable[[Callable[P, R]], StepFunction[P, R]]: ...
def transform(
    function: Callable[..., Any] | None = None,
    /,
    *,
    join: Join | None = None,
    max_runs: int | str | None = None,
    name: str | None = None,
) -> Any:
    """Turn a method into a step without an action: only a tail, called as soon as its events have arrived.

    Args:
        join: How the events of its parameters belong together.
        max_runs: See ``step``.
        name: See ``step``.
    """

    def decorate(function: Callable[..., Any]) -> StepFunction[..., Any]:
        made: StepFunction[..., Any] = StepFunction(function, enclosing_names(function))
        made.is_transform = True
        made.join = join
        made.name = name or function.__name__
        made.limit = max_runs
        return made

    return decorate if function is None else decorate(function)


@overload
def pause(function: Callable[P, R], /) -> StepFunction[P, R]: ...
@overload
def pause(
    *,
    within: float | None = None,
    num_workers: int = DEFAULT_WORKERS,
    retry_policy: RetryRule | None = None,
    timeout: float | None = None,
    max_runs: int | str | None = None,
    join: Join | None = None,
    name: str | None = None,
) -> Callable[[Callable[P, R]], StepFunction[P, R]]: ...
def pause(
    function: Callable[..., Any] | None = None,
    /,
    *,
    within: float | None = None,
    num_workers: int = DEFAULT_WORKERS,
    retry_policy: RetryRule | None = None,
    timeout: float | None = None,
    max_runs: int | str | None = None,
    join: Join | None = None,
    name: str | None = None,
) -> Any:
    """Turn a method into a step that returns what to wait for; its tail is called when that arrives.

    A waiting step is only data: it has no task, no thread and, except for ``Child`` and ``Items``, no worker.

    Args:
        within: Seconds for the whole wait, after which ``on_expired`` is called; ``None``: no bound.
        num_workers: The maximum number of its runs at work at once, within one run of the workflow.
        retry_policy: The policy for a failure of what it waits for, such as a child run.
        timeout: Seconds for one attempt at it.
        max_runs: See ``step``.
        join: See ``step``.
        name: See ``step``.

    Raises:
        WorkflowValidationError: An option is out of range.
    """
    if within is not None and within < 0:
        raise WorkflowValidationError("`within` must not be negative")
    decorate_step = step(
        num_workers=num_workers,
        retry_policy=retry_policy,
        timeout=timeout,
        max_runs=max_runs,
        join=join,
        name=name,
    )

    def decorate(function: Callable[..., Any]) -> StepFunction[..., Any]:
        made = decorate_step(function)
        made.is_pause = True
        made.within = within
        return made

    return decorate if function is None else decorate(function)


@overload
def catch_error(function: Callable[P, R], /) -> StepFunction[P, R]: ...
@overload
def catch_error(
    *, for_steps: list[str] | None = None, max_recoveries: int = 1
) -> Callable[[Callable[P, R]], StepFunction[P, R]]: ...
def catch_error(
    function: Callable[..., Any] | None = None,
    /,
    *,
    for_steps: list[str] | None = None,
    max_recoveries: int = 1,
) -> Any:
    """Turn a method into a handler of steps that have failed for good.

    The method takes a ``StepFailedEvent`` and emits events like a step. These take the place of what the
    failed step would have emitted, also within an item of a batch. An exception in the handler fails the run.

    Args:
        for_steps: The names of the steps; ``None``: every step that no other handler names.
        max_recoveries: The maximum number of its calls in one chain of events that lead to one another; after
            that the run fails.

    Raises:
        WorkflowValidationError: An argument is out of range.
    """
    _check_count("max_recoveries", max_recoveries)
    if for_steps is not None and not (
        isinstance(for_steps, list) and all(isinstance(one, str) for one in for_steps)
    ):
        raise WorkflowValidationError("`for_steps` must be a list of the names of steps, or None")

    def decorate(function: Callable[..., Any]) -> StepFunction[..., Any]:
        made: StepFunction[..., Any] = StepFunction(function, enclosing_names(function))
        made.num_workers = 1
        made.max_recoveries = max_recoveries
        made.for_steps = None if for_steps is None else tuple(for_steps)
        return made

    return decorate if function is None else decorate(function)


def _check_count(name: str, count: object) -> None:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise WorkflowValidationError(f"`{name}` must be an integer greater than 0")


def _check_attempts(timeout: object, retry_policy: object) -> None:
    if timeout is not None and not (isinstance(timeout, int | float) and timeout > 0):
        raise WorkflowValidationError(
            f"`timeout` must be a number of seconds greater than 0, or None, not {timeout!r}"
        )
    if retry_policy is not None and not callable(getattr(retry_policy, "next", None)):
        raise WorkflowValidationError(
            f"`retry_policy` must be a policy such as `RetryPolicy(max_attempts=3)`, or None, not {retry_policy!r}"
        )


def _is_free(function: Callable[..., Any]) -> bool:
    """Return whether a function is defined in a module or in another function, rather than in a class."""
    owner = function.__qualname__.rpartition(".")[0]
    return not owner or owner.endswith("<locals>")
