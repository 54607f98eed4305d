"""The tests that a spec carries: a run of the generated code with mocked actions and a virtual clock."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.calls.sibling_modules import settings_folder
from wfc.runtime.core.step_runs import Exit
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.driver.run import Run
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
    QuestionAsked,
    QuestionClosed,
    QuestionDelegated,
    QuestionReminded,
)
from wfc.runtime.testing.answers import Script, UnmockedStepError
from wfc.runtime.testing.clock import DeadlockError, VirtualTimeLoop, run_virtually
from wfc.runtime.testing.config import config_with
from wfc.runtime.testing.endless import EndlessRunError, TestEngine
from wfc.runtime.testing.expectations import Seen, differences
from wfc.runtime.testing.preparing import (
    CannotRunError,
    Play,
    SpecTest,
    agent_doubles_of,
    clock_of,
    doubles_of,
    event_from_outside,
    ready,
    scripts_of,
)

if TYPE_CHECKING:
    from wfc.runtime.workflow import Workflow

__all__ = ["TestOutcome", "outcome_of", "play", "run_test", "start_mocked", "waits_for_ever"]


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
    seen = Seen()
    try:
        given, moment = ready(workflow, case), clock_of(case.clock)
    except (CannotRunError, SettingsError) as error:
        return TestOutcome(case.name, (str(error),))
    try:
        run_virtually(lambda: play(given, seen, others), start=moment)
    except SettingsError as error:
        return TestOutcome(case.name, (str(error),))
    except DeadlockError:
        return TestOutcome(case.name, (waits_for_ever(given),))
    return outcome_of(case, given, seen)


def outcome_of(case: SpecTest, given: Play, seen: Seen) -> TestOutcome:
    """Return what a test that was played comes to: what it expects, held against what was seen."""
    fault = _fault(seen.failure)
    found = (fault,) if fault else tuple(differences(case.expect, seen))
    if given.agents is not None and not fault:
        found += tuple(given.agents.unused())
    return TestOutcome(case.name, (*found, *_refusals(given.scripts)) if found else ())


def waits_for_ever(given: Play) -> str:
    """Return why a run does not end: what it waits for does not come, perhaps since an answer was refused."""
    return "; ".join(["the run waits for something that cannot come", *_refusals(given.scripts)])


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


async def play(
    given: Play,
    seen: Seen,
    others: Sequence[type[Workflow]],
    watch: Callable[[Run], None] = lambda run: None,
) -> None:
    """Run what was made ready to its end, in a loop whose clock jumps, and note what happens.

    Args:
        watch: What is called with the run before it begins.
    """
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    engine = TestEngine()
    for other in others:
        engine.add(other)
    run = Run(
        given.workflow(),
        given.start,
        "test",
        doubles=given.doubles,
        clock=loop.today,
        config=given.config,
        engine=engine,
    )
    if given.agents is not None:
        run.double_parts = given.agents.take_over
    run.watchers.observe(_observer(run, given.scripts, seen))
    watch(run)
    _deliver(run, given.arriving)
    if given.cancel is not None:
        loop.call_later(given.cancel, run.cancel)
    try:
        engine.admit(run)
        seen.end = await run.future
    except WorkflowError as error:
        seen.failure = error
    seen.took = loop.time()
    if given.agents is not None:
        seen.calls, seen.turns = given.agents.made, given.agents.turns
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
    made, scripts = workflow(), scripts_of(workflow, case, is_virtual=False)
    doubles = doubles_of(workflow, case, scripts)
    run = Run(made, start, uuid.uuid4().hex, doubles=doubles, config=config)
    agents = agent_doubles_of(workflow, case, is_virtual=False)
    if agents is not None:
        run.double_parts = agents.take_over

    def observe(event: Event) -> None:
        if isinstance(event, QuestionAsked):
            _answer(run, scripts, event)

    run.watchers.observe(observe)
    handler = WorkflowHandler(made.engine.admit(run))
    _deliver(run, [(each.after, event_from_outside(workflow, each)) for each in case.deliver])
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
