"""``WorkflowLoop``: the loop of an agent whose replies a workflow works out, each in a run of its own."""

from __future__ import annotations

import json
from typing import Any

from wfc.runtime.agents.definition import WorkflowStyle
from wfc.runtime.agents.events import (
    AgentInput,
    AgentOutput,
    AgentStopped,
    JudgedReply,
    LoopState,
    ReplyDue,
    ReplyGiven,
    ToolCall,
    ToolCallResult,
    TurnDue,
)
from wfc.runtime.agents.loop_steps import AgentSteps
from wfc.runtime.agents.offers import Offer
from wfc.runtime.agents.workflow_style import given_to_workflow, reply_of_workflow
from wfc.runtime.authoring.decorators import pause, step, transform
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.driver.context import Context
from wfc.runtime.events import RunConfig
from wfc.runtime.plan.inputs import Inputs
from wfc.runtime.plan.joins import EachOf
from wfc.runtime.plan.pauses import Child

__all__ = ["WorkflowLoop"]


class WorkflowLoop(AgentSteps, name="agent.workflow_loop", is_part=True):
    """The loop of an agent with a style of its own: a run of a workflow says what it answers, or which tools it calls.

    A subclass is one agent's, which it is given by the class keyword ``agent``.
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Take what other loops take; what the workflow's models use is used by the agent."""
        super().__init_subclass__(**keywords)
        definition_of(cls).pays_for = frozenset({"think"})

    @property
    def style(self) -> WorkflowStyle:
        """The workflow that works out the replies."""
        style = self.agent.style
        assert isinstance(style, WorkflowStyle)
        return style

    @step(num_workers=1)
    async def prepare(
        self,
        ctx: Context[LoopState],
        event: AgentInput | TurnDue,
        inputs: Inputs[AgentInput],
        state: LoopState,
        config: RunConfig | None,
    ) -> ReplyDue:
        """Return what the workflow begins with, and the tools that are offered."""
        offer = self.offer(ctx, inputs, state, config)
        request = self.request(ctx, inputs, state, offer)
        given = given_to_workflow(self.style, request, state.turns + 1)
        return ReplyDue(given=json.dumps(given), offered=offer.names, first=offer.first)

    @pause
    def think(self, event: ReplyDue) -> Child[AgentOutput]:
        """Let the workflow work out the next reply."""
        return Child(self.style.workflow, json.loads(event.given))

    @think.then
    def after_think(self, event: ReplyDue, result: AgentOutput) -> ReplyGiven:
        """Return what it has ended with."""
        return ReplyGiven(end=result.answer, due=event)

    @think.on_limit
    def think_over_limit(self, state: LoopState) -> AgentStopped:
        """Return the end of an agent that has taken all its turns."""
        return self.stopped(state)

    @step(num_workers=1)
    async def judge(self, ctx: Context[LoopState], event: ReplyGiven, state: LoopState) -> JudgedReply:
        """Return what the reply comes to."""
        reply = reply_of_workflow(self.style, json.loads(event.end), self.agent.output, state.turns + 1)
        tools = {each.name: each for each in self.agent.offered}
        offer = Offer([tools[name] for name in event.due.offered if name in tools], event.due.first)
        return self.judged(ctx, reply, state, offer)

    @judge.then
    def after_judge(self, state: LoopState, result: JudgedReply) -> AgentOutput | list[ToolCall]:
        """Return the answer, or the calls to make, which may be none."""
        return self.taken(state, result)

    @transform(join=EachOf(fork="judge"))
    def answer_calls(
        self, events: list[ToolCallResult], inputs: Inputs[AgentInput], state: LoopState
    ) -> AgentOutput | TurnDue:
        """Take what became of the calls into the transcript; the result of a tool may be the answer itself."""
        return self.told(events, inputs, state)
