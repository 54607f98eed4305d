"""``@run_trigger``: methods that make a run's start event of what starts it, such as a moment of a schedule."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar, cast, get_args, get_origin
from zoneinfo import ZoneInfo

from wfc.runtime.authoring.run_rules import RunFunction
from wfc.runtime.errors import ExpressionError, WorkflowError, WorkflowValidationError
from wfc.runtime.events import StartEvent
from wfc.runtime.plan.triggers import Missed, ScheduleTrigger, TopicTrigger, WebhookTrigger
from wfc.schemas.cron import BadCronError, CronLine, parse_cron

__all__ = ["Hook", "Schedule", "TriggerRule", "run_trigger", "start_by", "triggers_in"]

F = TypeVar("F", bound=Callable[..., Any])

_PREFIX: Final = "run_trigger "


class Schedule(NamedTuple):
    """When a schedule is due, and what becomes of the moments that were missed."""

    line: CronLine
    zone: ZoneInfo
    missed: Missed


class Hook(NamedTuple):
    """An address to which others send, and how they prove who they are.

    Args:
        path: The last part of the address.
        secret: The name of the secret that they share with us.
        header: The header that holds the signature of what they send; ``None``: the secret is their bearer token.
        within: How many seconds old a signed delivery may be; ``None``: any.
    """

    path: str
    secret: str
    header: str | None
    within: float | None


class TriggerRule(NamedTuple):
    """A trigger of a workflow: a schedule, a topic or a webhook, the latter two with the type of what is sent."""

    name: str
    function: RunFunction
    schedule: Schedule | None
    topic: str | None
    body: Any
    hook: Hook | None = None


class TriggerFunction(RunFunction):
    """A method that makes the start event of a run that a trigger starts."""

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        cron: tuple[str, str, Missed] | None,
        topic: str | None,
        hook: Hook | None,
    ) -> None:
        super().__init__(f"{_PREFIX}{name}", function)
        self.trigger = name
        self.cron = cron
        self.topic = topic
        self.hook = hook

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
    webhook: str | None = None,
    secret: str | None = None,
    header: str | None = None,
    within: float | None = None,
) -> Callable[[F], F]:
    """Register a method that makes the start event of a run.

    It takes a ``ScheduleTrigger``, a ``TopicTrigger`` or a ``WebhookTrigger``.

    Args:
        name: The trigger's name.
        cron: The line of a schedule, which is due by the clocks of ``zone``.
        missed: What becomes of the moments at which nobody was there to start runs.
        topic: The topic whose messages start runs.
        webhook: The last part of the address to which others send.
        secret: The name of the secret that they share with us, an environment variable.
        header: The header that holds the signature of what they send; without one the secret is their bearer token.
        within: How many seconds old a signed delivery may be.

    Raises:
        WorkflowValidationError: It is not one of a schedule, a topic and a webhook.
    """
    kinds = sum(one is not None for one in (cron, topic, webhook))
    if kinds != 1 or (cron is None) != (zone is None) or (webhook is None) != (secret is None):
        raise WorkflowValidationError(
            f"the trigger `{name}` needs a `cron` and its `zone`, a `topic`, or a `webhook` and its `secret`"
        )
    if missed not in get_args(Missed):
        raise WorkflowValidationError(
            f"the trigger `{name}`: `missed` is one of {', '.join(get_args(Missed))}"
        )
    line = None if cron is None or zone is None else (cron, zone, missed)
    hook = None if webhook is None or secret is None else Hook(webhook, secret, header, within)

    def register(function: F) -> F:
        return cast("F", TriggerFunction(name, function, line, topic, hook))

    return register


def triggers_in(functions: Mapping[str, RunFunction]) -> list[TriggerRule]:
    """Return the triggers among the functions of a class that belong to its runs.

    Raises:
        WorkflowValidationError: A schedule cannot be read.
    """
    return [
        TriggerRule(each.trigger, each, each.schedule(), each.topic, _body_type(each), each.hook)
        for each in functions.values()
        if isinstance(each, TriggerFunction)
    ]


def _body_type(function: TriggerFunction) -> Any:
    """Return the type of what is sent, as the method says it; anything, if it does not."""
    names = {**function.function.__globals__, **function.names}
    hint = typing.get_type_hints(function.function, names).get("trigger")
    return get_args(hint)[0] if get_origin(hint) in {TopicTrigger, WebhookTrigger} else Any


def start_by(
    rule: TriggerRule,
    workflow: Any,
    trigger: ScheduleTrigger | TopicTrigger[Any] | WebhookTrigger[Any],
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
    wanted = _wanted_by(rule.function.function)
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


@lru_cache(256)  # to read a signature takes longer than to check what a webhook sends
def _wanted_by(function: Callable[..., Any]) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)
