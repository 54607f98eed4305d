"""``AgentLoop``: think, make the calls, think again, until there is an answer; each of these is a step of a run."""

from __future__ import annotations

from wfc.runtime.agents.events import (
    AgentInput,
    AgentOutput,
    AgentStopped,
    JudgedReply,
    LoopState,
    ToolCall,
    ToolCallResult,
    TurnDue,
)
from wfc.runtime.agents.loop_steps import AgentSteps
from wfc.runtime.authoring.decorators import step, transform
from wfc.runtime.driver.context import Context
from wfc.runtime.events import RunConfig
from wfc.runtime.plan.inputs import Inputs
from wfc.runtime.plan.joins import EachOf

__all__ = ["AgentLoop"]


class AgentLoop(AgentSteps, name="agent.loop", is_part=True):
    """The loop of an agent. A subclass is one agent's, which it is given by the class keyword ``agent``."""

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
        return await self.next_reply(ctx, inputs, state, config)

    @think.then
    def after_think(self, state: LoopState, result: JudgedReply) -> AgentOutput | list[ToolCall]:
        """Return the answer, or the calls to make, which may be none."""
        return self.taken(state, result)

    @think.on_limit
    def think_over_limit(self, state: LoopState) -> AgentStopped:
        """Return the end of an agent that has taken all its turns."""
        return self.stopped(state)

    @transform(join=EachOf(fork="think"))
    def answer_calls(
        self, events: list[ToolCallResult], inputs: Inputs[AgentInput], state: LoopState
    ) -> AgentOutput | TurnDue:
        """Tell the model what became of its calls; the result of a tool may be the answer itself."""
        return self.told(events, inputs, state)
