"""``AgentSteps``: what the loops of all agents have in common, which is all but where they begin and end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from wfc.runtime.agents.agent_turns import AgentTurns
from wfc.runtime.agents.asking_step import approval_of, save_calls
from wfc.runtime.agents.definition import Agent, AgentTool
from wfc.runtime.agents.events import (
    AgentInput,
    AgentOutput,
    AnswerWanted,
    ApprovalForm,
    CallAllowed,
    CallDelegated,
    CallDone,
    CallToSave,
    LoopState,
    Outcome,
    PersonGives,
    Review,
    ReviewWanted,
    SavedCall,
    ToolCall,
    ToolCallResult,
    TurnDue,
)
from wfc.runtime.agents.hand_overs import (
    bound_in,
    first_to_go_on,
    given_to,
    go_on,
    hand_over,
    told_of_hand_overs,
)
from wfc.runtime.agents.places import LoopPlaces
from wfc.runtime.agents.shown import shown_calls
from wfc.runtime.agents.tool_calls import CANNOT_BE_MADE, as_done, make_call, read_call, told_of
from wfc.runtime.agents.turns import MOST_CALLS, answers_to
from wfc.runtime.authoring.decorators import pause, step
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.authoring.run_rules import run_bounds
from wfc.runtime.calls.asking import Asking, QuestionWantedError, ToolAnswer, asking_for, wrong_in_answer
from wfc.runtime.calls.transcripts import CallRequest, Said
from wfc.runtime.driver.context import Context
from wfc.runtime.errors import StepError, WorkflowValidationError
from wfc.runtime.events import RunConfig
from wfc.runtime.plan.inputs import Inputs
from wfc.runtime.plan.outcomes import UNHANDLED, Unhandled
from wfc.runtime.plan.pauses import Child, Question
from wfc.runtime.plan.run_rules import Bounds, Limits, StepBounds
from wfc.runtime.values.outside_names import json_outside
from wfc.runtime.workflow import Workflow

__all__ = ["AgentSteps"]

MOST_ASKED: Final = 1_000
"""How often the tools of an agent may ask people, in all."""


class AgentSteps(AgentTurns, Workflow, name="agent.steps", is_part=True):
    """The calls of an agent's loop, and what goes into a turn and comes of it.

    A loop has a step ``think``, which asks the model, and a join ``answer_calls``, which ends a turn.
    """

    def __init_subclass__(
        cls, *, agent: Agent | None = None, team: Sequence[Agent] = (), **keywords: Any
    ) -> None:
        """Take the bounds of an agent for the steps of its loop; ``team`` has those that it may hand over to."""
        if agent is None:  # another kind of loop
            super().__init_subclass__(**keywords)
            return
        bounded = agent.tokens is not None or agent.cost_usd is not None
        limits = Limits(tokens=agent.tokens, cost_usd=agent.cost_usd) if bounded else None
        super().__init_subclass__(limits=limits, **keywords)
        cls.agent = agent
        if "calls" in agent.shown:
            definition_of(cls).shows = shown_calls
        cls.team = {each.name: each for each in (agent, *team)}
        _check_team(cls.team)
        definition_of(cls).places = LoopPlaces(agent, cls.team)
        of_calls = {"retry_policy": agent.retry_policy, "timeout": agent.timeout}
        options: dict[str, dict[str, Any]] = {
            "think": {"limit": agent.max_turns, **(of_calls if agent.model is not None else {})},
            "call": {"num_workers": agent.parallel_calls},
            "recall": {"retry_policy": agent.retry_policy},
        }
        for name, given in options.items():
            if hasattr(cls, name):  # only a loop with a thread has a step `recall`
                setattr(cls, name, getattr(cls, name).with_options(**given))

    @run_bounds
    def bounds(self, inputs: Inputs[AgentInput]) -> Bounds:
        """Return the bounds that are worked out where the agent is called."""
        return Bounds(of_steps={"think": StepBounds(timeout=inputs.timeout)} if inputs.timeout else {})

    @step(num_workers=MOST_CALLS)
    async def review(
        self,
        ctx: Context[LoopState],
        event: ToolCall,
        inputs: Inputs[AgentInput],
        state: LoopState,
        config: RunConfig | None,
    ) -> Review:
        """Return whether a person has to allow a call; one that cannot be made needs nobody."""
        try:
            tool, args = self.checked(CallAllowed(call=event.call), inputs, state)
        except StepError:
            return Review()
        if refused := state.refused.get(_same(event.call)):
            return Review(refused=refused, of_agent=tool.is_run)
        agent = self.at_work(state)
        found = approval_of(ctx, agent, agent.args_in(given_to(inputs, state)), config, tool, args)
        if found is None:
            return Review(of_agent=tool.is_run)
        return Review(
            is_wanted=True,
            of_agent=tool.is_run,
            title=found.title or f"May the agent {agent.name} call {tool.name}?",
            show=found.show if found.show is not None else json_outside(args).decode(),
            assign=list(found.assign),
            within=found.within,
        )

    @review.then
    def after_review(
        self, event: ToolCall, result: Review
    ) -> ReviewWanted | CallAllowed | CallDelegated | ToolCallResult:
        """Let the call be made, or ask a person."""
        if result.refused is not None:
            return self.refused(event.call, result.refused)
        if result.is_wanted:
            return ReviewWanted(call=event.call, review=result)
        return CallDelegated(call=event.call) if result.of_agent else CallAllowed(call=event.call)

    @pause
    def approve(self, event: ReviewWanted) -> Question[ApprovalForm]:
        """Ask a person."""
        review = event.review
        return Question(
            ApprovalForm, title=review.title, show=review.show, assign=review.assign, within=review.within
        )

    @approve.require
    def require_approve(
        self, event: ReviewWanted, inputs: Inputs[AgentInput], result: ApprovalForm, state: LoopState
    ) -> Iterator[str]:
        """Yield what is wrong with an answer."""
        if result.decision == "change":
            if result.args is None:
                yield "give the arguments that are to be others under `args`"
                return
            try:
                self.checked(_changed(event.call, result.args), inputs, state)
            except StepError as error:
                yield error.message

    @approve.then
    def after_approve(
        self, event: ReviewWanted, result: ApprovalForm, state: LoopState
    ) -> ToolCallResult | CallAllowed | CallDelegated:
        """Do as the person has said."""
        if result.decision == "refuse":
            said = f"refused: {result.note}" if result.note else "refused"
            state.refused = {**state.refused, _same(event.call): said}
            return self.refused(event.call, said)
        allowed = CallAllowed(call=event.call)
        if result.decision == "change":
            allowed = _changed(event.call, result.args or {})
        if event.review.of_agent:
            return CallDelegated(call=allowed.call, changed=allowed.changed)
        return allowed

    @approve.on_expired
    def approve_expired(self, event: ReviewWanted) -> ToolCallResult:
        """Refuse a call that nobody has said anything to."""
        return self.refused(event.call, "refused: nobody answered in time")

    def refused(self, call: CallRequest, said: str) -> ToolCallResult:
        """Return what the model is told of a call that was not allowed."""
        return ToolCallResult(id=call.id, tool=call.tool, outcome="refused", text=said)

    @step
    async def call(
        self,
        ctx: Context[LoopState],
        event: CallAllowed,
        inputs: Inputs[AgentInput],
        state: LoopState,
        config: RunConfig | None,
    ) -> CallDone:
        """Make a call.

        Raises:
            StepError: It cannot be made, or has failed.
        """
        tool, args = self.checked(event, inputs, state)
        if tool.hand_over:
            return hand_over(self.team[tool.hand_over], args, config)
        try:
            with asking_for(asking_in(event, tool)):
                result = await make_call(ctx, config, tool, args, inputs.collection_keys)
        except QuestionWantedError as wanted:
            return CallDone(text="", question=wanted.question)
        return self.done(tool, result, state)

    def done(self, tool: AgentTool, result: object, state: LoopState) -> CallDone:
        """Return the result of a call: as the model is told of it, and for code as it is, too."""
        keep = self.at_work(state).style == "code" or tool.saves
        return as_done(tool, result, keep=keep)

    def checked(
        self, event: CallAllowed | CallDelegated, inputs: AgentInput, state: LoopState
    ) -> tuple[AgentTool, Any]:
        """Return the tool and the arguments of a call that may be made.

        Raises:
            StepError: There is no such tool, or the arguments do not fit.
        """
        args = event.call.args if event.changed is None else event.changed
        agent = self.at_work(state)
        bound = bound_in(agent, event.call.tool, inputs, state)
        return read_call(agent, event.call, args, bound, state.offered)

    @call.then
    def after_call(
        self, event: CallAllowed, inputs: Inputs[AgentInput], state: LoopState, result: CallDone
    ) -> ToolCallResult | CallToSave | AnswerWanted:
        """Return what the model is told of a call that was made; or what its tool asks before."""
        if result.question is not None:
            asks = self.at_work(state).by_name[event.call.tool].ask
            assert asks is not None
            return AnswerWanted(
                allowed=event, question=result.question, assign=list(asks.assign), within=asks.within
            )
        return self.told_of_call(event, inputs, state, result)

    def told_of_call(
        self, event: CallAllowed | CallDelegated, inputs: AgentInput, state: LoopState, result: CallDone
    ) -> ToolCallResult | CallToSave:
        """Return what the model is told of a call that was made; something may have to be saved before."""
        told = _done(event, result)
        known = self.at_work(state).by_name.get(event.call.tool)
        if known is None or not known.saves or result.value is None:
            return told
        tool, args = self.checked(event, inputs, state)
        call = SavedCall(tool=tool.name, args=json_outside(args).decode(), value=result.value)
        state.saved = [*state.saved, call]
        return CallToSave(result=told)

    @pause(max_runs=MOST_ASKED)
    def ask(self, event: AnswerWanted) -> Question[PersonGives]:
        """Ask a person what a tool asks."""
        title, form = event.question.title, event.question.form
        return Question(PersonGives, title=title, assign=event.assign, within=event.within, shape=form)

    @ask.require
    def require_ask(self, event: AnswerWanted, result: PersonGives) -> Iterator[str]:
        """Yield what is wrong with an answer."""
        if said := wrong_in_answer(event.question, result.model_dump()):
            yield said

    @ask.then
    def after_ask(self, event: AnswerWanted, result: PersonGives) -> CallAllowed:
        """Let the call go on."""
        return answered_to(event, "accept", result.model_dump())

    @ask.on_expired
    def ask_expired(self, event: AnswerWanted) -> CallAllowed:
        """Tell the tool that nobody has answered."""
        return answered_to(event, "cancel", {})

    @ask.on_limit
    def ask_over_limit(self, event: AnswerWanted) -> ToolCallResult:
        """Give a call up whose agent's tools have asked too often."""
        return self.refused(event.allowed.call, "refused: too much was asked")

    @step(num_workers=1)
    async def save(self, ctx: Context[LoopState], event: CallToSave, state: LoopState) -> None:
        """Let the step that has called the agent save what it saves of calls that are done."""
        save_calls(ctx, self.agent, state.saved)

    @save.then
    def after_save(self, event: CallToSave) -> ToolCallResult:
        """Return what the model is told of the call."""
        return event.result

    @call.on_error
    def call_failed(
        self, event: CallAllowed, error: StepError, state: LoopState
    ) -> ToolCallResult | Unhandled:
        """Return what the model is told of a call that has failed, unless the agent fails by it."""
        return self.failed(event, error, state)

    def failed(
        self, event: CallAllowed | CallDelegated, error: StepError, state: LoopState
    ) -> ToolCallResult | Unhandled:
        """Return what the model is told of a failed call; nothing, if the agent is to fail by it."""
        if self.at_work(state).on_tool_error == "fail" and error.name not in CANNOT_BE_MADE:
            return UNHANDLED
        return ToolCallResult(id=event.call.id, tool=event.call.tool, outcome="failed", text=told_of(error))

    @pause
    def delegate(
        self,
        event: CallDelegated,
        inputs: Inputs[AgentInput],
        state: LoopState,
        config: RunConfig | None,
    ) -> Child[AgentOutput]:
        """Let an agent work that is a tool of this one, or run a workflow that is."""
        tool, args = self.checked(event, inputs, state)
        if tool.workflow:
            return Child(tool.workflow, json.loads(json_outside(args)))
        more: dict[str, Any] = {} if inputs.timeout is None else {"timeout": inputs.timeout}
        if inputs.collection_keys:
            more["collection_keys"] = inputs.collection_keys
        return Child(tool.agent, tool.agent.agent.asked(args, config, **more))

    @delegate.then
    def after_delegate(
        self, event: CallDelegated, inputs: Inputs[AgentInput], state: LoopState, result: AgentOutput
    ) -> ToolCallResult | CallToSave:
        """Return what the model is told of an agent's answer, or of a workflow's end."""
        tool = self.at_work(state).by_name[event.call.tool]
        done = self.done(tool, json.loads(result.answer), state)
        return self.told_of_call(event, inputs, state, done)

    @delegate.on_error
    def delegate_failed(
        self, event: CallDelegated, error: StepError, state: LoopState
    ) -> ToolCallResult | Unhandled:
        """Return what the model is told of an agent that has failed, unless this one fails by it."""
        return self.failed(event, error, state)

    def told(
        self, events: Sequence[ToolCallResult], inputs: AgentInput, state: LoopState
    ) -> AgentOutput | TurnDue:
        """Take what became of calls into the transcript; return the answer, if the result of a tool is it."""
        said = state.messages[-1]
        if not said.calls:
            return TurnDue()
        events = self.handle_tool_call_results(events, state)
        going_on = first_to_go_on(said, events)
        told = {**state.told, **{each.id: each.text for each in events}}
        told |= told_of_hand_overs(events, going_on)
        state.messages = [*state.messages, Said(role="tools", answers=answers_to(said, told))]
        state.told = {}
        if len(said.calls) == 1 and events and events[0].value is not None:
            tool = self.at_work(state).by_name.get(events[0].tool)
            if tool is not None and tool.final:
                return self.answered(events[0].value, state)
        if going_on is not None:
            state.came_from = self.at_work(state).name
            go_on(self.team[going_on.agent], going_on, inputs, state)
        return TurnDue()


def _check_team(team: Mapping[str, Agent]) -> None:
    """Check that all whom an agent or its team may hand over to are there.

    Raises:
        WorkflowValidationError: One is not.
    """
    for each in team.values():
        for tool in each.all_tools:
            if tool.hand_over and tool.hand_over not in team:
                raise WorkflowValidationError(
                    f"the agent `{each.name}` may hand over to `{tool.hand_over}`, which is not in the loop's `team`"
                )


def _done(event: CallAllowed | CallDelegated, result: CallDone) -> ToolCallResult:
    """Return what the model is told of a call that was made."""
    outcome: Outcome = "done" if event.changed is None else "changed"
    text = result.text if event.changed is None else f"made with {event.changed}: {result.text}"
    return ToolCallResult(
        id=event.call.id,
        tool=event.call.tool,
        outcome=outcome,
        text=text,
        value=result.value,
        goes_on=result.goes_on,
    )


def asking_in(event: CallAllowed, tool: AgentTool) -> Asking | None:
    """Return how a person is asked in a call; ``None``: nobody is."""
    return None if tool.ask is None else Asking(event.call.id, event.answers, tool.ask.within)


def answered_to(
    event: AnswerWanted, action: Literal["accept", "cancel"], content: dict[str, Any]
) -> CallAllowed:
    """Return the call that goes on with an answer."""
    answer = ToolAnswer(question=event.question, action=action, content=content)
    return event.allowed.model_copy(update={"answers": [*event.allowed.answers, answer]})


def _same(call: CallRequest) -> str:
    """Return a text that is the same for calls of one tool with the same arguments."""
    return f"{call.tool} {json.dumps(json.loads(call.args or '{}'), sort_keys=True)}"


def _changed(call: CallRequest, args: Mapping[str, object]) -> CallAllowed:
    """Return a call that is made with other arguments than its own."""
    given = {**json.loads(call.args or "{}"), **args}
    return CallAllowed(call=call, changed=json.dumps(given, ensure_ascii=False))
