"""``@run_key`` and related decorators, and what a workflow class declares about its runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final, TypeVar, get_args

from wfc.runtime.authoring.enclosing_names import enclosing_names
from wfc.runtime.authoring.injection import CallingRun, make_call
from wfc.runtime.authoring.run_bounds import bounds_in_numbers
from wfc.runtime.authoring.signatures import read_signature
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.errors import ExpressionError, WorkflowError, WorkflowValidationError
from wfc.runtime.events import Event, event_name
from wfc.runtime.plan.run_rules import Limits, Receives, WhenRunning

__all__ = [
    "RunFunction",
    "RunRules",
    "key_text",
    "run_bounds",
    "run_cancel",
    "run_deadline",
    "run_error",
    "run_key",
    "runs_per",
]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class RunFunction:
    """A method that belongs to a workflow's runs rather than to a step, such as ``@run_key``."""

    def __init__(self, what: str, function: Callable[..., Any]) -> None:
        self.what = what
        self.function = function
        self.names = enclosing_names(function)
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__wrapped__ = function

    def __get__(self, instance: object, owner: type) -> Any:
        return self if instance is None else self.function.__get__(instance, owner)


def run_key(function: F) -> F:
    """Register a method that computes a run's key, a string or number that identifies it, from its inputs."""
    return RunFunction("run_key", function)  # type: ignore[return-value]


def runs_per(function: F) -> F:
    """Register a method that returns the value by which runs are grouped for ``Limits.concurrent_runs``."""
    return RunFunction("runs_per", function)  # type: ignore[return-value]


def run_error(function: F) -> F:
    """Register a method as the run's exit for errors that no step handles.

    The method returns an end event, an event for steps that bring the run to its end, or ``UNHANDLED``. Before such
    an event goes to its steps, all other work of the run is cancelled; its state stays. The method has access to state,
    inputs, config, run and ``error``. Each exit is taken once a run, and on its way an error fails the run. It is not
    called for errors in expressions or settings.
    """
    return RunFunction("run_error", function)  # type: ignore[return-value]


def run_deadline(function: F) -> F:
    """Register a method as the run's exit for its deadline; see ``run_error``."""
    return RunFunction("run_deadline", function)  # type: ignore[return-value]


def run_cancel(function: F) -> F:
    """Register a method as the run's exit for its cancellation; see ``run_error``."""
    return RunFunction("run_cancel", function)  # type: ignore[return-value]


def run_bounds(function: F) -> F:
    """Register a method that works out a run's ``Bounds`` from its inputs and config, once, before its first step.

    A bound that is out of its range fails the run.
    """
    return RunFunction("run_bounds", function)  # type: ignore[return-value]


class RunRules:
    """The declarations of a workflow class about its runs, read once.

    Raises:
        WorkflowValidationError: The declarations contradict each other.
    """

    __slots__ = ("bounds", "functions", "has_none", "key", "limits", "per", "receives", "when_running")

    def __init__(
        self,
        owner: str,
        functions: Mapping[str, RunFunction],
        when_running: WhenRunning | None,
        limits: Limits | None,
        receives: tuple[Receives, ...],
    ) -> None:
        self.functions = functions
        self.limits = limits or _NO_LIMITS
        self.receives: dict[str, Receives] = {event_name(one.event): one for one in receives}
        self.key = _call(functions.get("run_key"))
        self.per = _call(functions.get("runs_per"))
        self.bounds = _bounds_call(functions.get("run_bounds"))
        self.when_running: WhenRunning = when_running or "reject"
        self.has_none = (
            self.key is None and not receives and self.limits.concurrent_runs is None and self.bounds is None
        )
        if when_running is not None and when_running not in get_args(WhenRunning):
            raise WorkflowValidationError(
                f"{owner}: `when_running` must be one of {', '.join(get_args(WhenRunning))}, not {when_running!r}"
            )
        if when_running is not None and self.key is None:
            raise WorkflowValidationError(
                f"{owner} says what a second start does, but not under which key: decorate a method with `@run_key`"
            )
        if self.per is not None and self.limits.concurrent_runs is None and self.bounds is None:
            raise WorkflowValidationError(f"{owner} has `@runs_per` without `Limits(concurrent_runs=…)`")
        if len(self.receives) < len(receives):
            raise WorkflowValidationError(f"{owner} receives two events of the same name")
        for one in receives:
            if one.key is not None and one.key not in one.event.model_fields and _is_closed(one.event):
                raise WorkflowValidationError(
                    f"{owner} finds runs for {event_name(one.event)} by its field `{one.key}`, which it does not have"
                )


_NO_LIMITS: Final = Limits()


def _call(found: RunFunction | None) -> Callable[[CallingRun], str] | None:
    return None if found is None else _computed(found, lambda value, run: key_text(value))


def _bounds_call(found: RunFunction | None) -> Callable[[CallingRun], dict[tuple[str, int], float]] | None:
    return (
        None
        if found is None
        else _computed(found, lambda value, run: bounds_in_numbers(value, run.execution.plan))
    )


def _computed(found: RunFunction, read: Callable[[Any, CallingRun], T]) -> Callable[[CallingRun], T]:
    """Return a function that calls a method about runs with a run's inputs, and reads what it returns."""
    signature = read_signature(found.function, is_tail=True, names=found.names)
    call = make_call(found.function, signature, (), is_tail=True)
    name = found.__name__

    def computed(run: CallingRun) -> T:
        step = run.execution.plan.steps[0]
        try:
            return read(call(run, StepRun(0, step, run.execution.inputs, None, ()), None), run)
        except WorkflowError:
            raise
        except Exception as error:
            raise ExpressionError(
                f"`{name}` of {run.workflow._wfc.name} cannot be computed: {error}"
            ) from error

    return computed


def key_text(value: object) -> str:
    """Return a key as a string, the same on the sending and the receiving side of a message and for equal values.

    Raises:
        ExpressionError: The key is null, or of a type that cannot serve as a key.
    """
    if isinstance(value, float | Decimal) and (number := Decimal(str(value))).is_finite():
        return _number_text(number)
    if isinstance(value, datetime) and value.tzinfo is not None:
        return str(value.astimezone(UTC))
    if isinstance(value, str | int | float | Decimal | date | time | timedelta):
        return str(value)
    said = "null" if value is None else f"a value of type {type(value).__name__}"
    raise ExpressionError(f"a key must be a text, a number or a date, not {said}")


def _number_text(number: Decimal) -> str:
    """Return the one text for all numbers that are equal: 1, 1.0 and 1.00, or 0 and -0."""
    sign, digits, exponent = number.as_tuple()
    significant = "".join(map(str, digits)).rstrip("0")
    if not significant:
        return "0"
    power = int(exponent) + len(digits) - len(significant)
    if abs(power) > _LONGEST_NUMBER:
        return f"{'-' * sign}{significant}e{power}"
    return format(Decimal(f"{'-' * sign}{significant}e{power}"), "f")


_LONGEST_NUMBER: Final = 400
"""How many zeros a number in a key is written with; a text of a few characters can ask for millions."""


def _is_closed(event: type[Event]) -> bool:
    return event.model_config.get("extra") == "forbid"
