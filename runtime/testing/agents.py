"""What stands in for the models and the tools of agents in the tests of specs."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from wfc.runtime.agents.code import RUN_PYTHON
from wfc.runtime.agents.definition import Agent, AgentTool
from wfc.runtime.agents.events import AgentInput, AgentOutput, CallDone, JudgedReply, LoopState
from wfc.runtime.agents.hand_overs import hand_over, said_before
from wfc.runtime.agents.loop_steps import AgentSteps
from wfc.runtime.agents.offers import Offer
from wfc.runtime.agents.threaded_loop import ThreadedLoop
from wfc.runtime.agents.threads import Transcript, in_words
from wfc.runtime.agents.tool_calls import make_call
from wfc.runtime.agents.turns import cut
from wfc.runtime.agents.workflow_loop import WorkflowLoop
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.calls.asking import ToolQuestion
from wfc.runtime.calls.llm import Model
from wfc.runtime.calls.transcripts import ANSWER_TOOL, CallRequest, Said, TurnReply, TurnRequest
from wfc.runtime.core.step_runs import Exit
from wfc.runtime.core.ticks import PauseFailed, TimerFired
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.doubles import Instead
from wfc.runtime.errors import InvalidAnswerError, StepError
from wfc.runtime.events import Event
from wfc.runtime.plan.pauses import QuestionAsked
from wfc.runtime.testing.answers import MockAnswer, ScriptedReply, UnmockedStepError, mocked_error
from wfc.runtime.values.outputs import Wanted, plain_type
from wfc.runtime.values.outside_names import json_outside

if TYPE_CHECKING:
    from wfc.runtime.driver.context import Context, StepContext
    from wfc.runtime.workflow import Workflow

__all__ = ["AgentDoubles", "agents_of"]

_LONGEST_SHOWN = 300


def agents_of(workflow: type[Workflow]) -> dict[str, str]:
    """Return the steps of a workflow that let an agent work, each with the agent's name."""
    definition = definition_of(workflow)
    return {
        str(definition_of(part).name).removeprefix(f"{definition.name}."): part.agent.name
        for part in definition.parts
    }


class AgentDoubles:
    """The models and the tools of the agents in one test.

    Args:
        script: Step or agent → the replies of its model.
        tools: Tool → answers for successive calls; the last one repeats.
        people: Tool → what people say to successive calls that they have to allow.
        real: Steps whose agents really act.
        is_virtual: Whether time passes by itself, so that answers come when they are due.

    ``made`` holds the calls that were made, ``turns`` the number of replies.
    """

    def __init__(
        self,
        script: Mapping[str, Sequence[ScriptedReply]],
        tools: Mapping[str, Sequence[MockAnswer]],
        people: Mapping[str, Sequence[MockAnswer]],
        real: Sequence[str],
        *,
        is_virtual: bool,
    ) -> None:
        self._left = {name: list(replies) for name, replies in script.items()}
        self._tools = {name: deque(answers) for name, answers in tools.items()}
        self._people = {name: deque(answers) for name, answers in people.items()}
        self._real = frozenset(real)
        self._is_virtual = is_virtual
        self._asking: dict[tuple[str, str], MockAnswer] = {}  # answers of calls that ask before
        self.made: list[dict[str, Any]] = []
        self.turns = 0

    def take_over(self, run: Run) -> None:
        """Let these doubles act in a run that is an agent's."""
        assert run.parent is not None
        above = run.above
        if above is not None and not above.workflow._wfc.is_part and run.parent.step in self._real:
            return
        run.doubles = {
            "think": self._think,
            "call": self._call,
            "delegate": self._delegate,
            "recall": self._recall,
        }
        run.double_parts = self.take_over
        run.bare = False
        run.watchers.observe(lambda event: self._answer(run, event))

    def _answer(self, run: Run, event: Event) -> None:
        """Say what people say to a call that they have to allow."""
        if not isinstance(event, QuestionAsked) or not event.id.startswith(f"{run.run_id}/"):
            return
        step, _, last = event.id.removeprefix(f"{run.run_id}/").partition("/")
        if step not in ("approve", "ask") or not last.isdecimal():
            return  # it is a run below that asks
        assert isinstance(run.workflow, AgentSteps)
        number = int(last)
        asked = run.execution.paused[number].run.event
        call = asked.call if step == "approve" else asked.allowed.call
        tool = run.workflow.at_work(run.execution.state).by_name[call.tool].name
        left = self._people.get(tool)
        if not left:
            wanted = "has to allow the call of" if step == "approve" else "is asked in the call of"
            said = f"a person {wanted} `{tool}` with {_cut(call.args)}, and the test says nothing of it"
            error = UnmockedStepError(f"{said}: say under `people` what is answered")
            run.loop.call_soon(run.take, PauseFailed(number, error))
        else:
            run.loop.call_soon(self._say, run, event.id, number, left.popleft())

    def _say(self, run: Run, question: str, number: int, answer: MockAnswer) -> None:
        paused = run.execution.paused.get(number)
        if paused is None or run.is_done:
            return
        if answer.error is not None:  # nobody answers
            due = [timer for timer, way in paused.timers.items() if way is Exit.EXPIRED]
            if due and not self._is_virtual:
                run.take(TimerFired(due[0]))
            return
        try:
            run.answer(question, answer.value, "user:test")
        except InvalidAnswerError as error:
            run.take(PauseFailed(number, UnmockedStepError(f"what `people` says does not fit: {error}")))

    def unused(self) -> list[str]:
        """Return a sentence for each script, and for each list of answers, that nobody has asked for to its end."""
        said = [
            f"`people` of `{name}`: {len(left)} of the answers were not asked for"
            for name, left in self._people.items()
            if left
        ]
        return said + [
            f"`script` of `{name}`: {len(left)} of its replies were not asked for; the first is {_shown(left[0])}"
            for name, left in self._left.items()
            if left
        ]

    async def _think(self, context: StepContext) -> JudgedReply | AgentOutput:
        run = context._run
        assert isinstance(run, Run) and isinstance(run.workflow, AgentSteps)
        inputs = run.execution.inputs
        assert isinstance(inputs, AgentInput)
        offer = run.workflow.offer(context, inputs, run.execution.state, run.config)
        request = run.workflow.request(context, inputs, run.execution.state, offer)
        reply = self._next(run, request, offer)
        if reply.error is not None:
            error = mocked_error(MockAnswer(error=reply.error))
            if isinstance(error, StepError) and error.name.startswith("http."):
                error.also = (*error.also, "model")  # as a reply of a model's service
            raise error
        self.turns += 1
        state = run.execution.state
        if isinstance(run.workflow, WorkflowLoop):
            return _as_end(reply, run.workflow.agent)
        turns = len(state.before) + state.turns
        said = _as_said(reply, request, run.workflow.at_work(state), turns)
        return run.workflow.judged(context, said, state, offer)

    async def _recall(self, context: StepContext) -> Transcript:
        run, step_run = context._run, context._step_run
        assert isinstance(run, Run) and isinstance(run.workflow, ThreadedLoop) and step_run is not None
        assert isinstance(step_run.event, AgentInput)
        return await run.workflow.recalled(context, step_run.event, run.config, self._sum_up)

    async def _sum_up(self, context: Context[LoopState], _model: Model, said: Sequence[Said]) -> str:
        """Return what the script of a thread has for a summary."""
        run = context._run
        assert isinstance(run, Run) and isinstance(run.workflow, ThreadedLoop)
        name = run.workflow.thread.name.rpartition(".")[2]
        left, text = self._left.get(name, []), in_words(said)
        for place, reply in enumerate(left):
            if reply.asked in text:
                return left.pop(place).say
        raise UnmockedStepError(
            f"the older part of the thread `{name}` was to be summed up, and its `script` has no reply for that: "
            f"{_cut(text)}"
        )

    def _next(self, run: Run, request: TurnRequest, offer: Offer) -> ScriptedReply:
        """Return the first reply of an agent's script that is for this turn, and take it out."""
        assert isinstance(run.workflow, AgentSteps) and run.parent is not None
        names = _names_of(run, run.workflow)
        name = next((each for each in names if each in self._left), names[-1])
        at_work = run.workflow.at_work(run.execution.state)
        left = self._left.get(name, [])
        inputs = run.execution.inputs
        assert isinstance(inputs, AgentInput)
        asked = request.said[len(said_before(inputs, run.execution.state))].text
        for place, reply in enumerate(left):
            if not _misses(reply, at_work, request, offer, asked):
                return left.pop(place)
        why = _misses(left[0], at_work, request, offer, asked) if left else "its `script` has no reply left"
        new = " / ".join(_new_texts(request))
        raise UnmockedStepError(
            f"the model of the agent `{name}` was asked once more, and {why}; what it was told last: {_cut(new)}"
        )

    async def _call(self, context: StepContext) -> CallDone:
        run, step_run = context._run, context._step_run
        assert isinstance(run, Run) and isinstance(run.workflow, AgentSteps) and step_run is not None
        inputs = run.execution.inputs
        assert isinstance(inputs, AgentInput)
        tool, args = run.workflow.checked(step_run.event, inputs, run.execution.state)
        if tool.hand_over:
            return hand_over(run.workflow.team[tool.hand_over], args, run.config)
        call = run.run_id, step_run.event.call.id
        answer = self._asking.pop(call, None) if step_run.event.answers else None
        if answer is None:
            answer = self._next_answer(run, tool, args)
            if answer.asks is not None:
                self._asking[call] = answer
                return CallDone(text="", question=ToolQuestion.model_validate(answer.asks))
        given_back = replace(tool, call=self._giving(answer), takes_config=False, takes_key="")
        result = await make_call(context, None, given_back, args)
        return run.workflow.done(tool, result, run.execution.state)

    async def _delegate(self, context: StepContext) -> AgentOutput | Instead:
        """Let another agent work, whose model has a script; return what one gives that is mocked as a tool, or what a
        workflow does.
        """
        run, step_run = context._run, context._step_run
        assert isinstance(run, Run) and isinstance(run.workflow, AgentSteps) and step_run is not None
        inputs = run.execution.inputs
        assert isinstance(inputs, AgentInput)
        tool, args = run.workflow.checked(step_run.event, inputs, run.execution.state)
        if not tool.workflow and tool.name not in self._tools:
            return Instead.PAUSE
        value = await self._giving(self._next_answer(run, tool, args))(context, args)
        return AgentOutput(answer=json.dumps(value), turns=0, tokens=0, cost_usd=0.0)

    def _next_answer(self, run: Run, tool: AgentTool, args: Any) -> MockAnswer:
        """Return the next answer of a tool, whose call is noted."""
        assert isinstance(run.workflow, AgentSteps)
        given = json.loads(json_outside(args))
        if tool.name not in self._tools:
            raise UnmockedStepError(
                f"the agent `{run.workflow.agent.name}` called the tool `{tool.name}` with {_cut(json.dumps(given))}, "
                f"but the test says nothing of it: say under `tools` what it gives"
            )
        answers = self._tools[tool.name]
        answer = answers.popleft() if len(answers) > 1 else answers[0]
        self.made.append({"tool": tool.name, "with": given})
        return answer

    def _giving(self, answer: MockAnswer) -> Callable[[object, object], Awaitable[Any]]:
        """Return what gives an answer in place of a tool."""

        async def give(_context: object, _args: object) -> object:
            if self._is_virtual:
                await asyncio.sleep(answer.after)
            if answer.error is not None:
                raise mocked_error(answer)
            return answer.value

        return give


def _as_end(reply: ScriptedReply, agent: Agent) -> AgentOutput:
    """Return a scripted reply as the end of the workflow that works out replies."""
    names = {tool.name: name for name, tool in agent.by_name.items()}
    end: dict[str, Any] = {"answer": reply.give[0] if reply.give else reply.say}
    if reply.calls:
        wanted = [{"tool": names.get(tool, tool), "args": dict(args)} for tool, args in reply.calls]
        end = {"calls": wanted, "text": reply.say}
    return AgentOutput(answer=to_json(end).decode(), turns=0, tokens=0, cost_usd=0.0)


def _as_said(reply: ScriptedReply, request: TurnRequest, agent: Agent, turns: int) -> TurnReply:
    """Return a scripted reply as a model gives it, after so many turns."""
    names = {tool.name: name for name, tool in agent.by_name.items()}
    asked = [(names.get(tool, tool), to_json(args).decode()) for tool, args in reply.calls]
    text = reply.say
    if reply.code:
        asked.append((RUN_PYTHON, to_json({"code": reply.code}).decode()))
    if reply.give:
        written = Wanted(plain_type(agent.output)).wrap(reply.give[0])
        if agent.style == "react":
            text = f"Answer: {to_json(written).decode()}"
        elif request.tools:
            asked.append((ANSWER_TOOL, to_json(written).decode()))
        else:
            text = to_json(written).decode()
    calls = [
        CallRequest(id=f"call_{turns + 1}_{number}", tool=tool, args=args)
        for number, (tool, args) in enumerate(asked, 1)
    ]
    return TurnReply(text=text, calls=calls)


def _names_of(run: Run, loop: AgentSteps) -> list[str]:
    """Return the names under which a test may have the script of the agent at work: the step's, for its first one."""
    assert run.parent is not None
    state = run.execution.state
    above = run.above
    of_step = state.at_work is None and above is not None and not isinstance(above.workflow, AgentSteps)
    return [*([run.parent.step] if of_step else ()), loop.at_work(state).name]


def _misses(reply: ScriptedReply, agent: Agent, request: TurnRequest, offer: Offer, asked: str) -> str:
    """Return why a reply is not for this turn, in which the agent was asked this; empty if it is."""
    new = _new_texts(request)
    if reply.asked not in asked:
        return f"its next reply is for one that is asked {reply.asked!r}"
    if not any(reply.shown in each for each in new):
        return f"its next reply is for one that is shown {reply.shown!r}"
    if reply.offered is not None:
        tools = [agent.by_name[name] for name in offer.names]
        offered = sorted(each.hand_over or each.name for each in tools)
        if sorted(reply.offered) != offered:
            return f"its next reply is for one that is offered {', '.join(reply.offered)}, not {', '.join(offered)}"
    return ""


def _new_texts(request: TurnRequest) -> list[str]:
    """Return what the model is told since its last reply."""
    new = [one for one in request.said[-1:] if one.role != "model"]
    return [text for one in new for text in (one.text, *(each.text for each in one.answers))]


def _shown(reply: ScriptedReply) -> str:
    said = reply.say or reply.code or (str(reply.give[0]) if reply.give else "") or reply.error or ""
    return _cut(said or ", ".join(f"a call of `{tool}`" for tool, _ in reply.calls))


def _cut(text: str) -> str:
    return cut(text) if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
