"""``@step`` and ``@transform``: a step as it is written, with its tail and its other exits."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, Literal, ParamSpec, TypeVar, overload

from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.joins import Join
from wfc.runtime.retry import RetryRule

if TYPE_CHECKING:
    from wfc.runtime.workflow import Workflow

__all__ = ["StepFunction", "StepGraphCheck", "catch_error", "names_around", "step", "transform"]

_NAME = re.compile(r"[^\W\d]\w*")

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_WORKERS = 4

StepGraphCheck = Literal["reachability", "dead_end"]
"""Checks of the flow that can be left out for one step."""
_DECORATORS = {__name__, "wfc.runtime.declared"}


class StepFunction(Generic[P, R]):
    """A function that is a step, and the functions that belong to it.

    It can be called like the function itself, for tests. The decorators ``then`` and the others register
    the step's tail and further exits; each gives back the function that it is given.
    """

    def __init__(self, function: Callable[P, R], names: Mapping[str, Any]) -> None:
        self.function = function
        self.names = names  # of the places around, for annotations that are texts
        self.exits: dict[str, tuple[Callable[..., Any], Mapping[str, Any]]] = {}
        self.is_transform = False
        self.join: Join | None = None
        self.num_workers = DEFAULT_WORKERS
        self.retry_policy: RetryRule | None = None
        self.timeout: float | None = None
        self.limit: int | str | None = None
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

    def _registers(self, name: str) -> Callable[[F], F]:
        def register(function: F) -> F:
            if name in self.exits:
                raise WorkflowValidationError(f"step `{self.name}` has two functions for `{name}`")
            self.exits[name] = function, names_around(function)
            return function

        return register

    def then(self, function: F) -> F:
        """The tail: called with the action's result on the state of the moment it is recorded; emits."""
        return self._registers("then")(function)

    def on_error(self, function: F) -> F:
        """Called when the action has failed for good; emits, or says ``UNHANDLED``."""
        return self._registers("on_error")(function)

    def on_limit(self, function: F) -> F:
        """Called instead of the action when the step has run ``max_runs`` times; emits."""
        return self._registers("on_limit")(function)

    def on_timeout(self, function: F) -> F:
        """Called when a join's ``within`` has passed; emits."""
        return self._registers("on_timeout")(function)

    def require(self, function: F) -> F:
        """Yields a sentence for each thing that the action's result must have and has not."""
        return self._registers("require")(function)

    def max_runs(self, function: F) -> F:
        """Gives the bound on runs, where it is computed from inputs and config."""
        return self._registers("max_runs")(function)

    def stream_before(self, function: F) -> F:
        """Gives a text or an event for whoever watches, before the action."""
        return self._registers("stream_before")(function)

    def stream_after(self, function: F) -> F:
        """Gives a text or an event for whoever watches, after the action."""
        return self._registers("stream_after")(function)

    def idempotency_key(self, function: F) -> F:
        """Gives the key by which a service knows that two requests are the same one."""
        return self._registers("idempotency_key")(function)


S2 = ParamSpec("S2")
R2 = TypeVar("R2")


@overload
def step(function: Callable[P, R], /) -> StepFunction[P, R]: ...
@overload
def step(
    *,
    workflow: type[Workflow] | None = None,
    num_workers: int = DEFAULT_WORKERS,
    retry_policy: RetryRule | None = None,
    timeout: float | None = None,
    max_runs: int | str | None = None,
    join: Join | None = None,
    name: str | None = None,
    accept_event_subclasses: bool = False,
    skip_graph_checks: list[StepGraphCheck] | None = None,
) -> Callable[[Callable[P, R]], StepFunction[P, R]]: ...
def step(
    function: Callable[..., Any] | None = None,
    /,
    *,
    workflow: type[Workflow] | None = None,
    num_workers: int = DEFAULT_WORKERS,
    retry_policy: RetryRule | None = None,
    timeout: float | None = None,
    max_runs: int | str | None = None,
    join: Join | None = None,
    name: str | None = None,
    accept_event_subclasses: bool = False,
    skip_graph_checks: list[StepGraphCheck] | None = None,
) -> Any:
    """Makes a method, or with ``workflow`` a free function, a step.

    Its parameters say which events it accepts: ``A | B`` any of them, several parameters one of each,
    ``list[E]`` a batch. Its return annotation says what it emits: ``A | B | None`` one or nothing, ``list[E]``
    a batch. A plain function runs in a thread.

    Args:
        workflow: The class that a free function belongs to.
        num_workers: How many of its runs may be under way at once, within one run of the workflow.
        retry_policy: What to do when it fails; ``None``: the run fails.
        timeout: Seconds for one attempt, not counting the time in the queue; ``None``: no bound.
        max_runs: How often it may run, in one run or one item of a batch; or the name of a method that says so.
        join: How the events of its parameters belong together.
        name: What the step is called, where that cannot be the method's name.
        accept_event_subclasses: Whether it accepts subclasses of its events too.
        skip_graph_checks: Names of checks not to make for it: ``reachability``, ``dead_end``.

    Raises:
        WorkflowValidationError: An option is out of range, or a free function has no ``workflow``.
    """
    if isinstance(num_workers, bool) or not isinstance(num_workers, int) or num_workers < 1:
        raise WorkflowValidationError("`num_workers` must be an integer greater than 0")
    if timeout is not None and timeout <= 0:
        raise WorkflowValidationError("`timeout` must be greater than 0")

    def decorate(function: Callable[..., Any]) -> StepFunction[..., Any]:
        made: StepFunction[..., Any] = StepFunction(function, names_around(function))
        made.num_workers = num_workers
        made.retry_policy = retry_policy
        made.timeout = timeout
        made.limit = max_runs
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
    """Makes a method a step without an action: a tail alone, called at once when its events are there.

    Args:
        join: How the events of its parameters belong together.
        max_runs: See ``step``.
        name: See ``step``.
    """

    def decorate(function: Callable[..., Any]) -> StepFunction[..., Any]:
        made: StepFunction[..., Any] = StepFunction(function, names_around(function))
        made.is_transform = True
        made.join = join
        made.name = name or function.__name__
        made.limit = max_runs
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
    """Makes a method the handler of steps that failed for good: it takes a ``StepFailedEvent``, and emits like a step.

    What it emits goes on where the failed step stood, within its item of a batch too. An exception of its own fails
    the run.

    Args:
        for_steps: The names of the steps; ``None``: all that no other handler names.
        max_recoveries: How often it may take over among the events that lead to one another; after that the run fails.

    Raises:
        WorkflowValidationError: An argument is out of range.
    """
    if isinstance(max_recoveries, bool) or not isinstance(max_recoveries, int) or max_recoveries < 1:
        raise WorkflowValidationError("`max_recoveries` must be an integer greater than 0")
    if for_steps is not None and not (
        isinstance(for_steps, list) and all(isinstance(one, str) for one in for_steps)
    ):
        raise WorkflowValidationError("`for_steps` must be a list of the names of steps, or None")

    def decorate(function: Callable[..., Any]) -> StepFunction[..., Any]:
        made: StepFunction[..., Any] = StepFunction(function, names_around(function))
        made.num_workers = 1
        made.max_recoveries = max_recoveries
        made.for_steps = None if for_steps is None else tuple(for_steps)
        return made

    return decorate if function is None else decorate(function)


def _is_free(function: Callable[..., Any]) -> bool:
    """Whether a function stands by itself, or in another function, rather than in a class."""
    owner = function.__qualname__.rpartition(".")[0]
    return not owner or owner.endswith("<locals>")


def names_around(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Local names at the place of the decorator that annotations given as text mention.

    To be called from what the decorator calls, in one of the modules that define decorators.
    """
    texts = [one for one in inspect.get_annotations(function).values() if isinstance(one, str)]
    wanted = {name for text in texts for name in _NAME.findall(text)}
    names: dict[str, Any] = {}
    frame: FrameType | None = sys._getframe(2) if wanted else None
    while frame is not None and frame.f_globals.get("__name__") in {function.__module__, *_DECORATORS}:
        if frame.f_locals is not frame.f_globals and frame.f_globals.get("__name__") not in _DECORATORS:
            local = frame.f_locals
            names |= {name: local[name] for name in wanted - names.keys() if name in local}
        frame = frame.f_back
    return names
