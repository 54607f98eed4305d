"""``AgentLoop``: think, make the calls, think again, until there is an answer; each of these is a step of a run."""

from __future__ import annotations

from typing import Any

from wfc.runtime.agents.asking_step import unmet_by
from wfc.runtime.agents.definition import Agent
from wfc.runtime.agents.events import (
    AgentInput,
    AgentOutput,
    AgentStopped,
    CallAllowed,
    CallDone,
    JudgedReply,
    LoopState,
    Outcome,
    ToolCall,
    ToolCallResult,
    TurnDue,
)
from wfc.runtime.agents.tool_calls import CANNOT_BE_MADE, as_done, make_call, read_call, told_of
from wfc.runtime.agents.turns import answers_to, judge, wanted_calls
from wfc.runtime.authoring.decorators import step, transform
from wfc.runtime.authoring.run_rules import run_bounds
from wfc.runtime.calls.transcripts import Said, TurnReply, TurnRequest
from wfc.runtime.driver.context import Context
from wfc.runtime.errors import StepError
from wfc.runtime.events import RunConfig
from wfc.runtime.plan.inputs import Inputs
from wfc.runtime.plan.joins import EachOf
from wfc.runtime.plan.outcomes import UNHANDLED, Unhandled
from wfc.runtime.plan.run_rules import Bounds, Limits, StepBounds
from wfc.runtime.workflow import Workflow

__all__ = ["AgentLoop", "request_of"]


class AgentLoop(Workflow, name="agent.loop", is_part=True):
    """The loop of an agent. A subclass is one agent's, which it is given by the class keyword ``agent``."""

    agent: Agent

    def __init_subclass__(cls, *, agent: Agent, **keywords: Any) -> None:
        """Take the bounds of an agent for the steps of its loop."""
        bounded = agent.tokens is not None or agent.cost_usd is not None
        limits = Limits(tokens=agent.tokens, cost_usd=agent.cost_usd) if bounded else None
        super().__init_subclass__(limits=limits, **keywords)
        cls.agent = agent
        options: dict[str, dict[str, Any]] = {
            "think": {"retry_policy": agent.retry_policy, "timeout": agent.timeout, "limit": agent.max_turns},
            "call": {"num_workers": agent.parallel_calls},
        }
        for name, given in options.items():
            setattr(cls, name, getattr(AgentLoop, name).with_options(**given))

    @run_bounds
    def bounds(self, inputs: Inputs[AgentInput]) -> Bounds:
        """Return the bounds that are worked out where the agent is called."""
        return Bounds(of_steps={"think": StepBounds(timeout=inputs.timeout)} if inputs.timeout else {})

    @step(num_workers=1)
    async def think(
        self,
        ctx: Context[LoopState],
        event: AgentInput | TurnDue,
        inputs: Inputs[AgentInput],
        state: LoopState,
        config: RunConfig | None,
    ) -> JudgedReply:
        """Ask the model for its next reply, and return what that comes to."""
        model = self.agent.model_for(config)
        models = model.chain()
        chosen = models[ctx.choose_model(len(models))]
        reply = await chosen.take_turn(ctx, request_of(self.agent, inputs, state))
        return self.judged(ctx, reply)

    def judged(self, ctx: Context[LoopState], reply: TurnReply) -> JudgedReply:
        """Return what a reply comes to, with what the agent has used by now."""
        tokens, cost_usd = ctx.used()
        counted = reply.model_copy(update={"tokens": tokens, "cost_usd": cost_usd})
        return judge(self.agent, counted, unmet_by(ctx))

    @think.then
    def after_think(self, state: LoopState, result: JudgedReply) -> AgentOutput | list[ToolCall]:
        """Return the answer, or the calls to make, which may be none."""
        reply = result.reply
        state.turns += 1
        state.tokens, state.cost_usd = reply.tokens, reply.cost_usd
        if result.answer is not None:
            return AgentOutput(
                answer=result.answer, turns=state.turns, tokens=reply.tokens, cost_usd=reply.cost_usd
            )
        said = [Said(role="model", text=reply.text, calls=reply.calls, raw=reply.raw)]
        if not reply.calls:
            said.append(Said(role="user", text=result.problem or ""))
        state.messages = state.messages + said
        state.told = result.told
        return [ToolCall(call=each) for each in wanted_calls(reply) if each.id not in result.told]

    @think.on_limit
    def think_over_limit(self, state: LoopState) -> AgentStopped:
        """Return the end of an agent that has taken all its turns."""
        said = f"the agent `{self.agent.name}` has taken its {self.agent.max_turns} turns, and has given no answer"
        return AgentStopped(name="agent.turns", message=said, turns=state.turns)

    @transform
    def review(self, event: ToolCall) -> CallAllowed:
        """Allow a call."""
        return CallAllowed(call=event.call)

    @step
    async def call(
        self,
        ctx: Context[LoopState],
        event: CallAllowed,
        inputs: Inputs[AgentInput],
        config: RunConfig | None,
    ) -> CallDone:
        """Make a call.

        Raises:
            StepError: It cannot be made, or has failed.
        """
        tool, args = self.checked(event, inputs)
        return as_done(tool, await make_call(ctx, config, tool, args))

    def checked(self, event: CallAllowed, inputs: AgentInput) -> tuple[Any, Any]:
        """Return the tool and the arguments of a call that may be made.

        Raises:
            StepError: There is no such tool, or the arguments do not fit.
        """
        args = event.call.args if event.changed is None else event.changed
        known = self.agent.by_name.get(event.call.tool)
        bound = inputs.bound.get(known.name, {}) if known is not None else {}
        return read_call(self.agent, event.call, args, bound)

    @call.then
    def after_call(self, event: CallAllowed, result: CallDone) -> ToolCallResult:
        """Return what the model is told of a call that was made."""
        outcome: Outcome = "done" if event.changed is None else "changed"
        text = result.text if event.changed is None else f"made with {event.changed}: {result.text}"
        return ToolCallResult(
            id=event.call.id, tool=event.call.tool, outcome=outcome, text=text, value=result.value
        )

    @call.on_error
    def call_failed(self, event: CallAllowed, error: StepError) -> ToolCallResult | Unhandled:
        """Return what the model is told of a call that has failed, unless the agent fails by it."""
        if self.agent.on_tool_error == "fail" and error.name not in CANNOT_BE_MADE:
            return UNHANDLED
        return ToolCallResult(id=event.call.id, tool=event.call.tool, outcome="failed", text=told_of(error))

    @transform(join=EachOf(fork="think"))
    def answer_calls(self, events: list[ToolCallResult], state: LoopState) -> AgentOutput | TurnDue:
        """Tell the model what became of its calls; the result of a tool may be the answer itself."""
        said = state.messages[-1]
        if not said.calls:
            return TurnDue()
        told = {**state.told, **{each.id: each.text for each in events}}
        state.messages = [*state.messages, Said(role="tools", answers=answers_to(said, told))]
        state.told = {}
        if len(said.calls) == 1 and events and events[0].value is not None:
            return AgentOutput(
                answer=events[0].value, turns=state.turns, tokens=state.tokens, cost_usd=state.cost_usd
            )
        return TurnDue()


def request_of(agent: Agent, inputs: AgentInput, state: LoopState) -> TurnRequest:
    """Return what the model is asked in the next turn."""
    return TurnRequest(
        said=[Said(role="user", text=inputs.prompt), *state.messages],
        system=inputs.system,
        tools=agent.offered,
        output=agent.output,
        is_last=agent.last_turn == "answer" and state.turns + 1 >= agent.max_turns,
        in_parallel=agent.parallel_calls > 1,
        shown=agent.shown,
    )
