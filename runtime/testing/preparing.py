"""A test of a spec made ready to be run: what stands in for actions, and what comes from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.calls.sibling_modules import settings_folder
from wfc.runtime.driver.run.doubles import Double
from wfc.runtime.events import Event, RunConfig, StartEvent, event_name
from wfc.runtime.plan.pauses import Delay, Outside, Until
from wfc.runtime.testing.answers import MockAnswer, Script, ScriptedReply, UnmockedStepError
from wfc.runtime.testing.clock import START
from wfc.runtime.testing.config import config_for_tests
from wfc.runtime.values.outputs import problems

if TYPE_CHECKING:
    from wfc.runtime.driver.context import StepContext
    from wfc.runtime.plan.step import Step
    from wfc.runtime.testing.agents import AgentDoubles
    from wfc.runtime.workflow import Workflow

__all__ = [
    "CannotRunError",
    "Delivery",
    "Play",
    "SpecTest",
    "agent_doubles_of",
    "clock_of",
    "doubles_of",
    "event_from_outside",
    "ready",
    "scripts_of",
]


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event from outside: its name, its fields as JSON data, and its time in seconds after the start."""

    event: str
    fields: Mapping[str, object] = field(default_factory=dict)
    after: float = 0.0


@dataclass(frozen=True, slots=True)
class SpecTest:
    """One test of a spec, as plain data.

    Args:
        start: Fields of the start event.
        mock: Step → answers for its successive runs; the last one repeats.
        real: Steps whose real action is performed.
        clock: When the virtual clock starts, ISO 8601; without an offset in UTC.
        expect: What must hold: ``end with after ran never_ran emitted state streamed fails``; times in seconds.
        deliver: Events from outside.
        config: Fields of the config, as JSON data, that have another value than they have by themselves.
        cancel: When the run is cancelled, in seconds after its start; ``None``: it is not.
        script: Step or agent → the replies of its model.
        tools: Tool → answers for successive calls by agents; the last one repeats.
        people: Tool → what people say to successive calls that they have to allow.
    """

    name: str
    start: Mapping[str, object] = field(default_factory=dict)
    mock: Mapping[str, Sequence[MockAnswer]] = field(default_factory=dict)
    real: Sequence[str] = ()
    clock: str | None = None
    expect: Mapping[str, Any] = field(default_factory=dict)
    deliver: Sequence[Delivery] = ()
    config: Mapping[str, object] = field(default_factory=dict)
    cancel: float | None = None
    script: Mapping[str, Sequence[ScriptedReply]] = field(default_factory=dict)
    tools: Mapping[str, Sequence[MockAnswer]] = field(default_factory=dict)
    people: Mapping[str, Sequence[MockAnswer]] = field(default_factory=dict)


class CannotRunError(Exception):
    """The test cannot be run as it is written."""


@dataclass(frozen=True, slots=True)
class Play:
    """A test that is ready to be run: what replaces the actions, and what comes from outside."""

    workflow: type[Workflow]
    start: StartEvent
    config: RunConfig | None
    doubles: Mapping[str, Double]
    scripts: Mapping[str, Script]
    arriving: Sequence[tuple[float, Event]]
    cancel: float | None = None
    agents: AgentDoubles | None = None


def ready(workflow: type[Workflow], case: SpecTest) -> Play:
    """Make a test ready to be run.

    Raises:
        CannotRunError: It cannot be run as it is written.
        SettingsError: What the workflow's config needs is not there.
    """
    scripts = scripts_of(workflow, case, is_virtual=True)
    return Play(
        workflow,
        _start_event(workflow, case.start),
        _config(workflow, case),
        doubles_of(workflow, case, scripts),
        scripts,
        [(each.after, event_from_outside(workflow, each)) for each in case.deliver],
        case.cancel,
        agent_doubles_of(workflow, case, is_virtual=True),
    )


def clock_of(text: str | None) -> datetime:
    if text is None:
        return START
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise CannotRunError(f"`clock` is not a date with time, as in 2026-01-31T09:00:00Z: {text}") from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def scripts_of(workflow: type[Workflow], case: SpecTest, *, is_virtual: bool) -> dict[str, Script]:
    """Return the answers of the steps that a test mocks; those of an item's action are the step's."""
    return {
        step.name: Script(step.item or step, answers, is_virtual=is_virtual)
        for step in definition_of(workflow).plan.steps
        if step.action is not None and step.name not in case.real and (answers := case.mock.get(step.name))
    }


def agent_doubles_of(workflow: type[Workflow], case: SpecTest, *, is_virtual: bool) -> AgentDoubles | None:
    """Return what stands in for the models and tools of the workflow's agents, if it has any."""
    if not definition_of(workflow).parts:
        return None
    from wfc.runtime.testing.agents import AgentDoubles

    return AgentDoubles(case.script, case.tools, case.people, case.real, is_virtual=is_virtual)


def _agents(workflow: type[Workflow]) -> Mapping[str, str]:
    """Return the steps that call an agent, each with its agent's name."""
    if not definition_of(workflow).parts:
        return {}
    from wfc.runtime.testing.agents import agents_of

    return agents_of(workflow)


def doubles_of(workflow: type[Workflow], case: SpecTest, scripts: Mapping[str, Script]) -> dict[str, Double]:
    """Return replacements for the actions of steps: the test's mocks, and an error for a step without one."""
    doubles: dict[str, Double] = {}
    agents = _agents(workflow)
    scripted = {step for step, agent in agents.items() if {step, agent} & case.script.keys()}
    for step in definition_of(workflow).plan.steps:
        if step.action is not None and step.name not in case.real:
            acting = step.item or step  # an item's action is the step's
            if step.name in scripts:
                doubles[step.name] = scripts[step.name].double
            elif step.name in scripted:
                continue
            elif acting.result is type(None) and not acting.pauses:
                doubles[step.name] = _nothing  # events that a step sends to other runs are dropped
            elif not acting.pauses or not set(acting.pauses).issubset(_NEEDS_NOBODY):
                doubles[step.name] = _complaint(
                    step, "mock it, write its `script`" if step.name in agents else "mock it"
                )
    return doubles


async def _nothing(context: StepContext) -> None:
    pass


_NEEDS_NOBODY: Final = {Delay, Until, Outside}
"""Pauses that end by the clock, or by an event that a test delivers."""


def _complaint(step: Step, ways: str) -> Double:
    async def complain(context: StepContext) -> Any:
        raise UnmockedStepError(
            f"step `{step.name}` ran, but the test says nothing of it: {ways}, or list it under `real`"
        )

    return complain


def _config(workflow: type[Workflow], case: SpecTest) -> RunConfig | None:
    config = definition_of(workflow).config
    if config is None:
        return None
    folder = settings_folder(workflow)
    return config_for_tests(config, folder, real=bool(case.real), given=case.config)


def _start_event(workflow: type[Workflow], fields: Mapping[str, object]) -> StartEvent:
    try:
        return TypeAdapter(definition_of(workflow).plan.start_class).validate_json(to_json(dict(fields)))
    except ValidationError as error:
        raise CannotRunError(f"`start` does not fit: {problems(error)}") from None


def event_from_outside(workflow: type[Workflow], delivery: Delivery) -> Event:
    kinds = {event_name(kind): kind for kind in definition_of(workflow).plan.received}
    kind = kinds.get(delivery.event)
    if kind is None:
        raise CannotRunError(f"the workflow does not receive `{delivery.event}`")
    try:
        return TypeAdapter(kind).validate_json(to_json(dict(delivery.fields)))
    except ValidationError as error:
        raise CannotRunError(f"`{delivery.event}` does not fit: {problems(error)}") from None
