"""The tests that a spec carries: a run of the generated code with mocked actions and a virtual clock."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.calls.sibling_modules import settings_folder
from wfc.runtime.core.step_runs import Exit
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.doubles import Double
from wfc.runtime.errors import SettingsError, WorkflowError
from wfc.runtime.events import (
    ErrorHandled,
    Event,
    PartialResult,
    RunConfig,
    StartEvent,
    StopEvent,
    ThinkingText,
    TokenText,
    event_name,
)
from wfc.runtime.events.internal import EventEmitted, InternalDispatchEvent, StepState, StepStateChanged
from wfc.runtime.events.of_agents import CallAnswered, CallAsked, HandedOver
from wfc.runtime.plan.pauses import (
    Delay,
    Outside,
    QuestionAsked,
    QuestionClosed,
    QuestionDelegated,
    QuestionReminded,
    Until,
)
from wfc.runtime.testing.answers import MockAnswer, Script, UnmockedStepError
from wfc.runtime.testing.clock import START, DeadlockError, VirtualTimeLoop, run_virtually
from wfc.runtime.testing.config import config_for_tests, config_with
from wfc.runtime.testing.endless import EndlessRunError, TestEngine
from wfc.runtime.testing.expectations import Seen, differences
from wfc.runtime.values.outputs import problems

if TYPE_CHECKING:
    from wfc.runtime.driver.context import StepContext
    from wfc.runtime.plan.step import Step
    from wfc.runtime.testing.agents import AgentDoubles
    from wfc.runtime.testing.answers import ScriptedReply
    from wfc.runtime.workflow import Workflow

__all__ = ["Delivery", "MockAnswer", "SpecTest", "TestOutcome", "run_test", "start_mocked"]


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


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """The outcome of a test: ``problems`` holds a sentence for each unmet expectation."""

    __test__ = False  # not one of pytest's

    name: str
    problems: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Return whether all expectations were met."""
        return not self.problems


def run_test(workflow: type[Workflow], case: SpecTest, others: Sequence[type[Workflow]] = ()) -> TestOutcome:
    """Run a test in an event loop of its own. The outcome is deterministic.

    Args:
        others: Workflows that this one may call by name.

    Raises:
        RuntimeError: It is called inside a running event loop.
    """
    seen, scripts = Seen(), _scripts(workflow, case, is_virtual=True)
    try:
        start, moment = _start_event(workflow, case.start), _clock(case.clock)
        config = _config(workflow, case)
        arriving = [(each.after, _from_outside(workflow, each)) for each in case.deliver]
        play = _Play(
            workflow,
            start,
            config,
            _doubles(workflow, case, scripts),
            scripts,
            arriving,
            case.cancel,
            _agent_doubles(workflow, case, is_virtual=True),
        )
        run_virtually(lambda: _run(play, seen, others), start=moment)
    except (_CannotRunError, SettingsError) as error:
        return TestOutcome(case.name, (str(error),))
    except DeadlockError:
        return TestOutcome(case.name, (_waits_for_ever(scripts),))
    fault = _fault(seen.failure)
    found = (fault,) if fault else tuple(differences(case.expect, seen))
    if play.agents is not None and not fault:
        found += tuple(play.agents.unused())
    return TestOutcome(case.name, (*found, *_refusals(scripts)) if found else ())


def _waits_for_ever(scripts: Mapping[str, Script]) -> str:
    """Return why a run does not end: what it waits for does not come, perhaps since an answer was refused."""
    return "; ".join(["the run waits for something that cannot come", *_refusals(scripts)])


def _refusals(scripts: Mapping[str, Script]) -> list[str]:
    """Return a sentence for each step whose question had an answer refused, and got no other one."""
    return [
        f"step `{name}`: {said} (the answer that follows a refused one stands under `attempts`)"
        for name, each in scripts.items()
        if (said := each.last_refusal)
    ]


def _fault(failure: BaseException | None) -> str | None:
    """Return what is wrong whatever the test expects, if that is what ended the run."""
    while failure is not None:
        if isinstance(failure, UnmockedStepError | EndlessRunError):
            return str(failure)
        failure = failure.__cause__
    return None


class _CannotRunError(Exception):
    """The test cannot be run as it is written."""


@dataclass(frozen=True, slots=True)
class _Play:
    """A test that is ready to be run: what replaces the actions, and what comes from outside."""

    workflow: type[Workflow]
    start: StartEvent
    config: RunConfig | None
    doubles: Mapping[str, Double]
    scripts: Mapping[str, Script]
    arriving: Sequence[tuple[float, Event]]
    cancel: float | None = None
    agents: AgentDoubles | None = None


async def _run(play: _Play, seen: Seen, others: Sequence[type[Workflow]]) -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    engine = TestEngine()
    for other in others:
        engine.add(other)
    run = Run(
        play.workflow(),
        play.start,
        "test",
        doubles=play.doubles,
        clock=loop.today,
        config=play.config,
        engine=engine,
    )
    if play.agents is not None:
        run.double_parts = play.agents.take_over
    run.watchers.observe(_observer(run, play.scripts, seen))
    _deliver(run, play.arriving)
    if play.cancel is not None:
        loop.call_later(play.cancel, run.cancel)
    try:
        engine.admit(run)
        seen.end = await run.future
    except WorkflowError as error:
        seen.failure = error
    seen.took = loop.time()
    if play.agents is not None:
        seen.calls, seen.turns = play.agents.made, play.agents.turns
    seen.state = run.execution.state


def _observer(run: Run, scripts: Mapping[str, Script], seen: Seen) -> Callable[[Event], None]:
    """Return what notes the events of a run, and answers its questions."""
    in_flight = run.execution.in_flight
    counted: set[str] = set()

    def observe(event: Event) -> None:
        if isinstance(event, EventEmitted):
            seen.emitted.append(event_name(event.event))
        elif isinstance(event, StepStateChanged):
            if event.step_state is StepState.RUNNING and event.worker_id not in counted:
                counted.add(event.worker_id)
                step_run = in_flight[int(event.worker_id)]
                # over its limit, or at a join timeout, a step has another exit; single items do not count
                seen.ran[event.name] += step_run.exit is Exit.ACTION and step_run.step.of is None
        elif isinstance(event, QuestionAsked):
            _answer(run, scripts, event)
        elif not isinstance(
            event,
            InternalDispatchEvent
            | StopEvent
            | TokenText
            | ThinkingText
            | PartialResult
            | QuestionClosed
            | QuestionDelegated
            | QuestionReminded
            | ErrorHandled
            | CallAsked
            | CallAnswered
            | HandedOver,
        ):
            seen.streamed.append(event)
            seen.moments.append(run.loop.time())

    return observe


def _answer(run: Run, scripts: Mapping[str, Script], asked: QuestionAsked) -> None:
    if asked.step in scripts and asked.id.startswith(f"{run.run_id}/"):
        scripts[asked.step].answer_question(run, asked)


def start_mocked(
    workflow: type[Workflow], start: StartEvent, case: SpecTest, *, config: RunConfig | None = None
) -> WorkflowHandler:
    """Start a run in the running event loop, with its clock, in which a test's mocks replace the actions.

    Nobody waits for an answer there: it comes at once, and so does the end of a wait that nothing ends. What the
    test says under `config` takes the place of what the environment says.
    """
    kind = definition_of(workflow).config
    if config is None and kind is not None and case.config:
        config = config_with(kind, settings_folder(workflow), case.config)
    made, scripts = workflow(), _scripts(workflow, case, is_virtual=False)
    doubles = _doubles(workflow, case, scripts)
    run = Run(made, start, uuid.uuid4().hex, doubles=doubles, config=config)
    agents = _agent_doubles(workflow, case, is_virtual=False)
    if agents is not None:
        run.double_parts = agents.take_over

    def observe(event: Event) -> None:
        if isinstance(event, QuestionAsked):
            _answer(run, scripts, event)

    run.watchers.observe(observe)
    handler = WorkflowHandler(made.engine.admit(run))
    _deliver(run, [(each.after, _from_outside(workflow, each)) for each in case.deliver])
    return handler


def _deliver(run: Run, arriving: Sequence[tuple[float, Event]]) -> None:
    """Schedule the delivery of events from outside; none is delivered once the run is over.

    An event with another key is meant for another run, and is not delivered.
    """

    def arrive(event: Event) -> None:
        if not run.is_done and run.is_meant_for(event):
            run.send(event)

    for after, event in arriving:
        run.loop.call_later(after, arrive, event)


def _scripts(workflow: type[Workflow], case: SpecTest, *, is_virtual: bool) -> dict[str, Script]:
    """Return the answers of the steps that a test mocks; those of an item's action are the step's."""
    return {
        step.name: Script(step.item or step, answers, is_virtual=is_virtual)
        for step in definition_of(workflow).plan.steps
        if step.action is not None and step.name not in case.real and (answers := case.mock.get(step.name))
    }


def _agent_doubles(workflow: type[Workflow], case: SpecTest, *, is_virtual: bool) -> AgentDoubles | None:
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


def _doubles(workflow: type[Workflow], case: SpecTest, scripts: Mapping[str, Script]) -> dict[str, Double]:
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


_NEEDS_NOBODY = {Delay, Until, Outside}
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
        raise _CannotRunError(f"`start` does not fit: {problems(error)}") from None


def _from_outside(workflow: type[Workflow], delivery: Delivery) -> Event:
    kinds = {event_name(kind): kind for kind in definition_of(workflow).plan.received}
    kind = kinds.get(delivery.event)
    if kind is None:
        raise _CannotRunError(f"the workflow does not receive `{delivery.event}`")
    try:
        return TypeAdapter(kind).validate_json(to_json(dict(delivery.fields)))
    except ValidationError as error:
        raise _CannotRunError(f"`{delivery.event}` does not fit: {problems(error)}") from None


def _clock(text: str | None) -> datetime:
    if text is None:
        return START
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _CannotRunError(
            f"`clock` is not a date with time, as in 2026-01-31T09:00:00Z: {text}"
        ) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
