"""``CodeLoop``: the loop of an agent that writes Python, of which each call of a tool is a step of the run."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.runtime.agents.code import code_in, go_on_with, printed_by_now, start_code, told_of_code
from wfc.runtime.agents.events import (
    AgentInput,
    AgentOutput,
    AgentStopped,
    CodeDue,
    CodeRun,
    JudgedReply,
    LoopState,
    ToolCall,
    ToolCallResult,
    TurnDue,
)
from wfc.runtime.agents.loop_steps import AgentSteps
from wfc.runtime.agents.turns import answers_to
from wfc.runtime.authoring.decorators import step, transform
from wfc.runtime.calls.transcripts import Said
from wfc.runtime.driver.context import Context
from wfc.runtime.events import RunConfig
from wfc.runtime.plan.inputs import Inputs
from wfc.runtime.plan.joins import EachOf

__all__ = ["CodeLoop"]

MOST_STRETCHES = 1_000
"""How often code may wait for calls and go on, in all."""


class CodeLoop(AgentSteps, name="agent.code_loop", is_part=True):
    """The loop of an agent that writes code: think, run it until it waits, make the calls, let it go on, think again.

    A subclass is one agent's, which it is given by the class keyword ``agent``.
    """

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
    def after_think(self, state: LoopState, result: JudgedReply) -> AgentOutput | CodeDue | TurnDue:
        """Return the answer, or the code to run."""
        calls = self.taken(state, result)
        if isinstance(calls, AgentOutput):
            return calls
        if calls:
            call = calls[0].call
            return CodeDue(call=call.id, code=code_in(call))
        said = state.messages[-1]
        if said.calls:
            state.messages = [*state.messages, Said(role="tools", answers=answers_to(said, state.told))]
        return TurnDue()

    @think.on_limit
    def think_over_limit(self, state: LoopState) -> AgentStopped:
        """Return the end of an agent that has taken all its turns."""
        return self.stopped(state)

    @step(num_workers=1, max_runs=MOST_STRETCHES)
    async def run_code(self, ctx: Context[LoopState], event: CodeDue, state: LoopState) -> CodeRun:
        """Run code until it waits for calls, or is over."""
        agent, kept = self.at_work(state), state.code
        if event.code is not None:
            return await start_code(agent, event.code, event.call, kept.state)
        return await go_on_with(agent, event.call, kept.waits, event.results, kept.state)

    @run_code.then
    def after_run_code(self, event: CodeDue, state: LoopState, result: CodeRun) -> list[ToolCall]:
        """Return the calls that the code waits for; none, if it is over."""
        before = "" if event.code is not None else state.code.printed
        printed = printed_by_now(before, result.printed)
        state.code = result.model_copy(update={"printed": printed})
        return [ToolCall(call=each) for each in result.calls]

    @run_code.on_limit
    def run_code_over_limit(self, state: LoopState) -> AgentStopped:
        """Return the end of an agent whose code has waited too often."""
        said = f"the code of the agent `{self.agent.name}` has waited for calls {MOST_STRETCHES:,} times"
        return AgentStopped(name="agent.turns", message=said, turns=state.turns)

    @transform(join=EachOf(fork="run_code"))
    def answer_calls(self, events: list[ToolCallResult], state: LoopState) -> CodeDue | TurnDue:
        """Let the code go on with what became of its calls; or tell the model what the code has printed."""
        code, said = state.code, state.messages[-1]
        running = next(each.id for each in said.calls if each.id not in state.told)
        if code.calls:
            results = self.handle_tool_call_results(_in_order(events), state)
            return CodeDue(call=running, results=list(results))
        told = {**state.told, running: told_of_code(code.printed, code.error)}
        state.messages = [*state.messages, Said(role="tools", answers=answers_to(said, told))]
        state.told = {}
        return TurnDue()


def _in_order(results: Sequence[ToolCallResult]) -> Sequence[ToolCallResult]:
    return sorted(results, key=lambda each: each.id)
