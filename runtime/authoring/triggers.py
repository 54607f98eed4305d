"""``@run_trigger``: methods that make a run's start event of what starts it, such as a moment of a schedule."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeVar, get_args, get_origin
from zoneinfo import ZoneInfo

from wfc.runtime.authoring.run_rules import RunFunction
from wfc.runtime.errors import ExpressionError, WorkflowError, WorkflowValidationError
from wfc.runtime.events import StartEvent
from wfc.runtime.plan.triggers import Missed, ScheduleTrigger, TopicTrigger
from wfc.schemas.cron import BadCronError, CronLine, parse_cron

__all__ = ["Schedule", "TriggerRule", "run_trigger", "start_by", "triggers_in"]

F = TypeVar("F", bound=Callable[..., Any])

_PREFIX: Final = "run_trigger "


class Schedule(NamedTuple):
    """When a schedule is due, and what becomes of the moments that were missed."""

    line: CronLine
    zone: ZoneInfo
    missed: Missed


class TriggerRule(NamedTuple):
    """A trigger of a workflow: a schedule, or a topic with the type of its messages."""

    name: str
    function: RunFunction
    schedule: Schedule | None
    topic: str | None
    body: Any


class TriggerFunction(RunFunction):
    """A method that makes the start event of a run that a trigger starts."""

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        cron: tuple[str, str, Missed] | None,
        topic: str | None,
    ) -> None:
        super().__init__(f"{_PREFIX}{name}", function)
        self.trigger = name
        self.cron = cron
        self.topic = topic

    def schedule(self) -> Schedule | None:
        """Return the schedule, read when it is needed: a machine without zones can run the workflow all the same.

        Raises:
            WorkflowValidationError: The line is none, or the zone is not known here.
        """
        if self.cron is None:
            return None
        line, zone, missed = self.cron
        try:
            return Schedule(parse_cron(line), ZoneInfo(zone), missed)
        except (BadCronError, ValueError, OSError, KeyError) as error:
            raise WorkflowValidationError(f"the trigger `{self.trigger}` is no schedule: {error}") from None


def run_trigger(
    name: str,
    *,
    cron: str | None = None,
    zone: str | None = None,
    missed: Missed = "once",
    topic: str | None = None,
) -> Callable[[F], F]:
    """Register a method that makes the start event of a run: of a ``ScheduleTrigger``, or of a ``TopicTrigger``.

    Args:
        name: The trigger's name.
        cron: The line of a schedule, which is due by the clocks of ``zone``.
        missed: What becomes of the moments at which nobody was there to start runs.
        topic: The topic whose messages start runs.

    Raises:
        WorkflowValidationError: It is neither a schedule nor a topic.
    """
    if (cron is None) == (topic is None) or (cron is None) != (zone is None):
        raise WorkflowValidationError(f"the trigger `{name}` needs a `cron` and its `zone`, or a `topic`")
    if missed not in get_args(Missed):
        raise WorkflowValidationError(
            f"the trigger `{name}`: `missed` is one of {', '.join(get_args(Missed))}"
        )
    line = None if cron is None or zone is None else (cron, zone, missed)

    def register(function: F) -> F:
        return TriggerFunction(name, function, line, topic)  # type: ignore[return-value]

    return register


def triggers_in(functions: Mapping[str, RunFunction]) -> list[TriggerRule]:
    """Return the triggers among the functions of a class that belong to its runs.

    Raises:
        WorkflowValidationError: A schedule cannot be read.
    """
    return [
        TriggerRule(each.trigger, each, each.schedule(), each.topic, _body_type(each))
        for each in functions.values()
        if isinstance(each, TriggerFunction)
    ]


def _body_type(function: TriggerFunction) -> Any:
    """Return the type of what a topic's messages hold, as the method says it; anything, if it does not."""
    names = {**function.function.__globals__, **function.names}
    hint = typing.get_type_hints(function.function, names).get("trigger")
    return get_args(hint)[0] if get_origin(hint) is TopicTrigger else Any


def start_by(
    rule: TriggerRule,
    workflow: Any,
    trigger: ScheduleTrigger | TopicTrigger[Any],
    read_config: Callable[[], Any],
) -> StartEvent:
    """Return the start event of the run that a trigger starts.

    Args:
        workflow: The workflow object.
        read_config: Returns its config, which only some need.

    Raises:
        ExpressionError: A value of it cannot be computed.
        WorkflowValidationError: The method gives something else.
        SettingsError: The config cannot be read.
    """
    wanted = inspect.signature(rule.function.function).parameters
    given: dict[str, Any] = {}
    if "trigger" in wanted:
        given["trigger"] = trigger
    if "config" in wanted:
        given["config"] = read_config()
    try:
        found = rule.function.function(workflow, **given)
    except WorkflowError:
        raise
    except Exception as error:
        raise ExpressionError(f"the trigger `{rule.name}` cannot make a start event: {error}") from error
    if not isinstance(found, StartEvent):
        raise WorkflowValidationError(
            f"the trigger `{rule.name}` gives {type(found).__name__}, no start event"
        )
    return found
