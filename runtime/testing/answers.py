"""Answers that stand in for the actions of steps, and the people who give those to questions."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

from pydantic_core import to_json

from wfc.runtime.agents.events import Worked
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.authoring.retry import read_retry_after
from wfc.runtime.core.step_runs import Exit
from wfc.runtime.core.ticks import PauseFailed, TimerFired
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.doubles import Double, Instead
from wfc.runtime.errors import InvalidAnswerError, LimitError, SettingsError, StepError
from wfc.runtime.errors.raised import step_error
from wfc.runtime.events import event_name
from wfc.runtime.plan.inputs import HttpResponse
from wfc.runtime.plan.pauses import Child, Outside, Question, QuestionAsked
from wfc.runtime.values.outputs import InvalidOutput, from_json
from wfc.runtime.values.spans import span

if TYPE_CHECKING:
    from wfc.runtime.driver.context import StepContext
    from wfc.runtime.plan.step import Step

__all__ = ["MockAnswer", "Script", "ScriptedReply", "UnmockedStepError", "mocked_error"]


@dataclass(frozen=True, slots=True)
class MockAnswer:
    """What a mocked step gives, as JSON data, or how it fails.

    Args:
        value: Its result.
        error: The error with which it fails instead, by its dotted name.
        status: Of the reply to a request.
        headers: Of the reply to a request, by lower-case name.
        body: What the service replied, where the error is an HTTP status.
        after: Seconds until the answer is there; without a virtual clock nobody waits for it.
        attempts: An answer for each attempt of one run, of which the last one repeats; of a question, one after
            another until one is not refused. Then nothing else of this counts.
        asks: What a tool asks before: ``title`` and ``form``, a JSON Schema.
    """

    value: object = None
    error: str | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None
    after: float = 0.0
    attempts: Sequence[MockAnswer] = ()
    asks: Mapping[str, Any] | None = None

    @property
    def each(self) -> Sequence[MockAnswer]:
        """The answers to the attempts of one run."""
        return self.attempts or (self,)


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """What a model replies in a turn of an agent, and to what; everything is plain JSON data.

    Args:
        say: What it says.
        give: Its answer, as a list of that alone; empty if it gives none.
        calls: The calls that it asks for: tools with their arguments.
        code: The Python that it writes.
        error: The error with which the call of the model fails, by its dotted name.
        asked: A part of the agent's prompt.
        shown: A part of what the model was told since its last reply.
        offered: The tools that it is offered; ``None``: any.
    """

    say: str = ""
    give: Sequence[object] = ()
    calls: Sequence[tuple[str, Mapping[str, object]]] = ()
    error: str | None = None
    asked: str = ""
    shown: str = ""
    offered: Sequence[str] | None = None
    code: str = ""


class UnmockedStepError(SettingsError):
    """A step ran that the test neither mocks nor lists under ``real``; never retried, never caught."""


class Script:
    """The answers of one step: one for each of its runs, of which the last one repeats.

    Args:
        step: The step, or what a step does for each of its items.
        is_virtual: Whether time passes by itself, so that answers come when they are due.

    ``last_refusal`` is why the last answer to a question was refused; empty if it was not.
    """

    def __init__(self, step: Step, answers: Sequence[MockAnswer], *, is_virtual: bool) -> None:
        self._step = step
        self._left = deque(answers)
        self._given: dict[int, MockAnswer] = {}
        self._is_virtual = is_virtual
        self._open: dict[int, deque[MockAnswer]] = {}
        self.last_refusal = ""

    def of(self, number: int) -> MockAnswer:
        """Return the answer of a run of the step."""
        if number not in self._given:
            self._given[number] = self._left.popleft() if len(self._left) > 1 else self._left[0]
        return self._given[number]

    @property
    def double(self) -> Double:
        """What stands in for the step's action."""
        return self._ask if Question in self._step.pauses else self._act

    async def _act(self, context: StepContext) -> Any:
        step_run = context._step_run
        assert step_run is not None
        answers = self.of(step_run.number).each
        answer = answers[min(step_run.attempt, len(answers)) - 1]
        bounds = [each for each in (self._step.bound, self._step.timeout) if each is not None]
        if answer.error == "timeout" and self._expires:  # nothing comes, and the clock tells so
            return await self._never()
        if self._is_virtual:
            await asyncio.sleep(answer.after)
        elif any(answer.after >= each for each in bounds):
            return Instead.EXPIRE if self._step.bound == min(bounds) else self._too_late()
        if answer.error is not None:
            run = context._run
            raise mocked_error(answer, run.clock().timestamp() if isinstance(run, Run) else None)
        step_run.response = HttpResponse(answer.status, answer.headers)  # if the action is a request
        return _mocked_value(self._step, answer.value, context._run)

    async def _never(self) -> Instead:
        if self._is_virtual:
            await asyncio.get_running_loop().create_future()
        return Instead.EXPIRE

    def _too_late(self) -> None:
        raise StepError("timeout", f"it took longer than {span(self._step.timeout)}")

    @property
    def _expires(self) -> bool:
        """Return whether a wait of the step is known to end by the clock."""
        step = self._step
        bounds = (step.bound, step.on_expired, step.timeout if Question in step.pauses else None)
        return any(each is not None for each in bounds)

    # --- questions

    async def _ask(self, context: StepContext) -> Any:
        """Let the question be asked; ``answer_question`` answers it then as people do."""
        step_run = context._step_run
        assert step_run is not None
        answers = self.of(step_run.number).each
        for answer in answers:
            if answer.error is None:
                _mocked_value(self._step, answer.value)  # what never fits is a mistake of the test
        if answers[0].error == "timeout" and not self._expires:
            raise mocked_error(answers[0])  # no clock ever says so
        if step_run.attempt == 1:  # a later attempt goes on with what is left
            self._open[step_run.number] = deque(answers)
        return Instead.PAUSE

    def answer_question(self, run: Run, asked: QuestionAsked) -> None:
        """Answer a question of this step when its time has come."""
        number = int(asked.id.rpartition("/")[2])
        if number in self._open:
            self._next(run, number, asked.id)

    def _next(self, run: Run, number: int, question: str) -> None:
        left = self._open[number]
        if not left:  # nobody else answers: the question stays open until the clock closes it
            self._pass_time(run, number)
            return
        answer = left.popleft()
        after = answer.after if self._is_virtual else 0.0
        run.loop.call_later(after, self._give, run, number, question, answer)

    def _give(self, run: Run, number: int, question: str, answer: MockAnswer) -> None:
        pause = run.execution.paused.get(number)
        if pause is None or run.is_done:
            return
        if answer.error == "timeout":
            self._pass_time(run, number)
            return
        if answer.error is not None:
            run.take(PauseFailed(number, step_error(mocked_error(answer))))
            return
        values = answer.value if isinstance(answer.value, list) else [answer.value]
        said = ""
        for place, value in enumerate(values):
            try:
                run.answer(question, value, f"user:test-{len(pause.answers) + 1}-{place}")
            except InvalidAnswerError as error:
                said = str(error).replace(f"the answer to `{question}` ", "the answer ")
        self.last_refusal = said
        if said or number in run.execution.paused:
            self._next(run, number, question)

    def _pass_time(self, run: Run, number: int) -> None:
        """End a wait that nothing else ends, where time does not pass by itself."""
        pause = run.execution.paused.get(number)
        due = (
            [timer for timer, way in pause.timers.items() if way in (Exit.EXPIRED, Exit.BROKEN)]
            if pause is not None
            else []
        )
        if due and not self._is_virtual:
            run.take(TimerFired(due[0]))


def mocked_error(answer: MockAnswer, now: float | None = None) -> StepError | LimitError:
    """Return the error with which a mocked step fails.

    Args:
        now: The run's time in seconds since 1970, from which a date in a `Retry-After` is counted.
    """
    name = answer.error or ""
    if name.partition(".")[0] == "limit":
        return LimitError(f"mocked `{name}`", name)
    status = re.fullmatch(r"http\.(\d{3})", name)
    return StepError(
        name,
        f"mocked `{name}`",
        status=int(status[1]) if status else None,
        body=answer.body,
        retry_after=read_retry_after(answer.headers.get("retry-after", ""), now),
        also=("tool",) if name.startswith("python.") else (),
    )


def _mocked_value(step: Step, value: object, run: object = None) -> Any:
    """Return the result of a step; the answer of an agent is said to be of the one that the step calls."""
    if step.result in {None, type(None)}:
        return None
    kind = step.result
    if isinstance(kind, type) and issubclass(kind, Worked):
        answer = _fitting(step, kind.model_fields["answer"].annotation, value)
        return kind(answer=answer, name=_called_agent(step, run))
    return _fitting(step, kind, value)


def _called_agent(step: Step, run: object) -> str:
    """Return the name of the agent that a step calls: that of the part which is known by the step's name."""
    assert isinstance(run, Run), step.name
    known_as = f"{run.workflow._wfc.name}.{step.name}"
    parts = definition_of(type(run.workflow)).parts
    return next((part.agent.name for part in parts if definition_of(part).name == known_as), "")


def _fitting(step: Step, kind: Any, value: object) -> Any:
    """Return a mocked result as a value of a type."""
    one_of_several = Child in step.pauses or (Outside in step.pauses and len(get_args(kind)) > 1)
    if one_of_several and isinstance(value, Mapping) and value.keys() <= {"event", "with"} and value:
        kind = next((each for each in get_args(kind) or (kind,) if event_name(each) == value["event"]), kind)
        value = value.get("with", {})
    if Question in step.pauses and isinstance(value, list):
        kind = list[kind]  # by several people
    try:
        return from_json(kind, to_json(value))
    except InvalidOutput as error:
        raise UnmockedStepError(
            f"the mock of step `{step.name}` is not what the step gives: {error}"
        ) from None
