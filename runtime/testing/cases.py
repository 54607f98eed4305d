"""The tests that a spec carries: a run of the generated code with mocked actions and a virtual clock."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, get_args

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from wfc.runtime.calls.sibling_modules import settings_folder
from wfc.runtime.core.step_runs import Exit
from wfc.runtime.driver.engine import Engine
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.attempts import Double
from wfc.runtime.errors import LimitError, SettingsError, StepError, WorkflowError
from wfc.runtime.events import (
    Event,
    EventEmitted,
    InternalDispatchEvent,
    RunConfig,
    StartEvent,
    StepState,
    StepStateChanged,
    StopEvent,
    TokenText,
    event_name,
)
from wfc.runtime.plan.inputs import HttpResponse
from wfc.runtime.plan.pauses import Child, Delay, Outside, Question, QuestionAsked, QuestionClosed, Until
from wfc.runtime.testing.clock import START, DeadlockError, VirtualTimeLoop, run_virtually
from wfc.runtime.testing.config import config_for_tests
from wfc.runtime.testing.expectations import Seen, differences
from wfc.runtime.values.outputs import InvalidOutput, from_json, problems

if TYPE_CHECKING:
    from wfc.runtime.driver.context import StepContext
    from wfc.runtime.plan.step import Step
    from wfc.runtime.workflow import Workflow

__all__ = ["Delivery", "MockAnswer", "SpecTest", "TestOutcome", "doubles_for", "run_test", "start_mocked"]


@dataclass(frozen=True, slots=True)
class MockAnswer:
    """The result of a mocked step: a value, as JSON data, or an error by its dotted name."""

    value: object = None
    error: str | None = None


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
        mock: Step → answers for its successive runs; the last one repeats. Retries of one run get one answer.
        real: Steps whose real action is performed.
        clock: When the virtual clock starts, ISO 8601; without an offset in UTC.
        expect: What must hold: ``end with ran never_ran emitted state streamed fails``.
        deliver: Events from outside.
    """

    name: str
    start: Mapping[str, object] = field(default_factory=dict)
    mock: Mapping[str, Sequence[MockAnswer]] = field(default_factory=dict)
    real: Sequence[str] = ()
    clock: str | None = None
    expect: Mapping[str, Any] = field(default_factory=dict)
    deliver: Sequence[Delivery] = ()


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


class _UnmockedStepError(SettingsError):
    """A step ran that the test neither mocks nor lists under ``real``; never retried, never caught."""


def run_test(workflow: type[Workflow], case: SpecTest, others: Sequence[type[Workflow]] = ()) -> TestOutcome:
    """Run a test in an event loop of its own. The outcome is deterministic.

    Args:
        others: Workflows that this one may call by name.

    Raises:
        RuntimeError: It is called inside a running event loop.
    """
    seen = Seen()
    try:
        start, moment = _start_event(workflow, case.start), _clock(case.clock)
        config = _config(workflow, real=bool(case.real))
        doubles = doubles_for(workflow, case)
        arriving = [(each.after, _from_outside(workflow, each)) for each in case.deliver]
        run_virtually(lambda: _run(workflow, start, config, doubles, arriving, seen, others), start=moment)
    except (_CannotRunError, SettingsError) as error:
        return TestOutcome(case.name, (str(error),))
    except DeadlockError:
        return TestOutcome(case.name, ("the run waits for something that cannot come",))
    fault = _fault_of_the_test(seen.failure)
    return TestOutcome(case.name, (fault,) if fault else tuple(differences(case.expect, seen)))


def _fault_of_the_test(failure: BaseException | None) -> str | None:
    """Return the mistake in the test itself, if that is what ended the run."""
    while failure is not None:
        if isinstance(failure, _UnmockedStepError):
            return str(failure)
        failure = failure.__cause__
    return None


class _CannotRunError(Exception):
    """The test cannot be run as it is written."""


async def _run(
    workflow: type[Workflow],
    start: StartEvent,
    config: RunConfig | None,
    doubles: Mapping[str, Double],
    arriving: Sequence[tuple[float, Event]],
    seen: Seen,
    others: Sequence[type[Workflow]],
) -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    engine = Engine()
    for other in others:
        engine.add(other)
    run = Run(workflow(), start, "test", doubles=doubles, clock=loop.today, config=config, engine=engine)
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
        elif not isinstance(
            event, InternalDispatchEvent | StopEvent | TokenText | QuestionAsked | QuestionClosed
        ):
            seen.streamed.append(event)

    run.watchers.observe(observe)
    _deliver(run, arriving)
    try:
        engine.admit(run)
        seen.end = await run.future
    except WorkflowError as error:
        seen.failure = error
    seen.state = run.execution.state


def start_mocked(
    workflow: type[Workflow], start: StartEvent, case: SpecTest, *, config: RunConfig | None = None
) -> WorkflowHandler:
    """Start a run in the running event loop, with its clock, in which a test's mocks replace the actions."""
    made = workflow()
    run_id = uuid.uuid4().hex
    run = Run(made, start, run_id, doubles=doubles_for(workflow, case), config=config)
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


def doubles_for(workflow: type[Workflow], case: SpecTest) -> dict[str, Double]:
    """Return replacements for the actions of steps: the test's mocks, and an error for a step without one."""
    table = workflow.table()
    doubles = {}
    for step in table.steps:
        if step.action is not None and step.name not in case.real:
            answers = case.mock.get(step.name, ())
            acting = step.item or step  # an item's action is the step's
            if answers:
                doubles[step.name] = _double(acting, answers)
            elif acting.result is type(None) and not acting.pauses:
                doubles[step.name] = _nothing  # events that a step sends to other runs are dropped
            elif not acting.pauses or not set(acting.pauses).issubset(_NEEDS_NOBODY):
                doubles[step.name] = _complaint(step)
    return doubles


async def _nothing(context: StepContext) -> None:
    pass


_NEEDS_NOBODY = {Delay, Until, Outside}
"""Pauses that end by the clock, or by an event that a test delivers."""


def _double(step: Step, answers: Sequence[MockAnswer]) -> Double:
    left = list(answers)
    given: dict[int, MockAnswer] = {}

    def following() -> MockAnswer:
        return left.pop(0) if len(left) > 1 else left[0]

    async def double(context: StepContext) -> Any:
        step_run = context._step_run
        assert step_run is not None
        step_run.response = HttpResponse(200, {})  # the response, if the action is an HTTP request
        if step_run.number not in given:
            given[step_run.number] = following()
        while True:
            answer = given[step_run.number]
            if answer.error is not None:
                raise _mocked_error(answer.error)
            value = _mocked_value(step, answer.value)
            if Question not in step.pauses or answer is left[0] or not context.unmet(value):
                return value
            given[step_run.number] = (
                following()
            )  # as in a run, the answer is refused and the question stays open

    return double


def _mocked_error(name: str) -> Exception:
    if name.partition(".")[0] == "limit":
        return LimitError(f"mocked `{name}`", name)
    status = re.fullmatch(r"http\.(\d{3})", name)
    also = ("tool",) if name.startswith("python.") else ()
    return StepError(name, f"mocked `{name}`", status=int(status[1]) if status else None, also=also)


def _mocked_value(step: Step, value: object) -> Any:
    if step.result in {None, type(None)}:
        return None
    kind = step.result
    one_of_several = Child in step.pauses or (Outside in step.pauses and len(get_args(kind)) > 1)
    if one_of_several and isinstance(value, Mapping) and value.keys() <= {"event", "with"} and value:
        kind = next((each for each in get_args(kind) or (kind,) if event_name(each) == value["event"]), kind)
        value = value.get("with", {})
    if Question in step.pauses and isinstance(value, list):
        kind = list[kind]  # type: ignore[valid-type]  # by several people
    try:
        return from_json(kind, to_json(value))
    except InvalidOutput as error:
        raise _UnmockedStepError(
            f"the mock of step `{step.name}` is not what the step gives: {error}"
        ) from None


def _complaint(step: Step) -> Double:
    async def complain(context: StepContext) -> Any:
        raise _UnmockedStepError(
            f"step `{step.name}` ran, but the test says nothing of it: mock it, or list it under `real`"
        )

    return complain


def _config(workflow: type[Workflow], *, real: bool) -> RunConfig | None:
    if workflow._config is None:
        return None
    return config_for_tests(workflow._config, settings_folder(workflow), real=real)


def _start_event(workflow: type[Workflow], fields: Mapping[str, object]) -> StartEvent:
    try:
        return TypeAdapter(workflow.table().start_class).validate_json(to_json(dict(fields)))
    except ValidationError as error:
        raise _CannotRunError(f"`start` does not fit: {problems(error)}") from None


def _from_outside(workflow: type[Workflow], delivery: Delivery) -> Event:
    kinds = {event_name(kind): kind for kind in workflow.table().received}
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
