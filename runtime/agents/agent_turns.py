"""``AgentTurns``: what goes into a turn of an agent's loop, and what comes of the model's reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from wfc.runtime.agents.asking_step import check_told_of_tools, is_offered, system_of, unmet_by
from wfc.runtime.agents.code import as_code, judge_code
from wfc.runtime.agents.definition import Agent
from wfc.runtime.agents.events import (
    AgentInput,
    AgentOutput,
    AgentStopped,
    JudgedReply,
    LoopState,
    ToolCall,
    ToolCallResult,
)
from wfc.runtime.agents.hand_overs import given_to, instructions_in, prompt_of, said_before
from wfc.runtime.agents.offers import Offer, before_the_first, offer_of
from wfc.runtime.agents.react import KEEP_TO_THE_FORM, in_words, read_marks
from wfc.runtime.agents.turns import bounded, judge, wanted_calls
from wfc.runtime.calls.llm import Model
from wfc.runtime.calls.transcripts import Said, TurnReply, TurnRequest
from wfc.runtime.driver.context import Context
from wfc.runtime.errors import StepError

__all__ = ["AgentTurns"]


class AgentTurns:
    """The turns of an agent, and of those that it has handed over to."""

    agent: Agent
    team: Mapping[str, Agent]

    async def next_reply(
        self, ctx: Context[LoopState], inputs: AgentInput, state: LoopState, config: object
    ) -> JudgedReply:
        """Ask the model for its next reply, and return what that comes to."""
        models = self.at_work(state).model_for(config).chain()
        chosen = models[ctx.choose_model(len(models))]
        offer = self.offer(ctx, inputs, state, config)
        reply = await self.take_step(ctx, chosen, self.request(ctx, inputs, state, offer))
        return self.judged(ctx, reply, state, offer)

    async def take_step(self, ctx: Context[LoopState], model: Model, request: TurnRequest) -> TurnReply:
        """Return the model's next reply. A subclass may ask otherwise, or look at what was said.

        It is part of the step `think`: what comes of it is recorded, and after a crash it is not called again for it.
        """
        return await model.take_turn(ctx, request)

    def handle_tool_call_results(
        self, results: Sequence[ToolCallResult], state: LoopState
    ) -> Sequence[ToolCallResult]:
        """Return what the model is told of the calls of a turn. A subclass may tell it otherwise.

        It is called once in a turn, when all its calls have ended, and must work out the same from the same.
        """
        return results

    def finalize(self, output: AgentOutput, state: LoopState) -> AgentOutput:
        """Return the end of the agent, whose ``answer`` is JSON. A subclass may change it, and must work out the same
        from the same.
        """
        return output

    def offer(self, ctx: Context[LoopState], inputs: AgentInput, state: LoopState, config: object) -> Offer:
        """Return the tools that the model is offered in the next turn."""
        agent = self.at_work(state)
        check_told_of_tools(ctx, self.agent)
        chosen = any(each.when is not None for each in agent.all_tools)
        given = agent.args_in(given_to(inputs, state)) if chosen else None
        is_open = partial(is_offered, ctx, agent, given, config)
        found = offer_of(agent, self.transcript(inputs, state), state.messages, is_open)
        return replace(found, first="") if self.is_last(state) else found

    def is_last(self, state: LoopState) -> bool:
        """Return whether the next turn is the last one, in which nothing may be called."""
        return self.agent.last_turn == "answer" and state.turns + 1 >= self.agent.max_turns

    def transcript(self, inputs: AgentInput, state: LoopState) -> list[Said]:
        """Return what was said by now."""
        return [
            *said_before(inputs, state),
            Said(role="user", text=prompt_of(inputs, state)),
            *state.messages,
        ]

    def request(
        self, ctx: Context[LoopState], inputs: AgentInput, state: LoopState, offer: Offer
    ) -> TurnRequest:
        """Return what the model is asked in the next turn."""
        agent = self.at_work(state)
        system = inputs.system if state.at_work is None else state.at_work.system
        files = inputs.files if state.at_work is None else ()
        request = TurnRequest(
            said=self.transcript(inputs, state),
            system="\n\n".join(filter(None, (system_of(ctx, agent, system), instructions_in(inputs, state))))
            or None,
            tools=offer.tools,
            output=None if offer.first else agent.output,
            is_last=self.is_last(state),
            must_call=offer.first,
            in_parallel=agent.parallel_calls > 1,
            shown=self.agent.shown,
            files=files,
            since=len(state.messages),
        )
        if agent.style == "code":
            return as_code(request, agent)
        return in_words(request) if agent.style == "react" else request

    def at_work(self, state: LoopState) -> Agent:
        """Return the agent that was handed over to last, or the one that has begun."""
        return self.agent if state.at_work is None else self.team[state.at_work.agent]

    def judged(
        self, ctx: Context[LoopState], reply: TurnReply, state: LoopState, offer: Offer
    ) -> JudgedReply:
        """Return what a reply to an offer comes to, with what the agent has used by now.

        Raises:
            StepError: ``requirement``, ``model.invalid_output``: It is the last one of a model that is asked for one
                answer, and is none.
        """
        found = self._judged(ctx, reply, state, offer.first)
        if self.agent.asks_once and found.problem and state.turns + 1 >= self.agent.max_turns:
            name = "requirement" if found.is_unmet else "model.invalid_output"
            raise StepError(name, f"the model has given no answer of use: {found.problem}")
        return found.model_copy(update={"offered": offer.names})

    def _judged(self, ctx: Context[LoopState], reply: TurnReply, state: LoopState, first: str) -> JudgedReply:
        tokens, cost_usd = ctx.used()
        counted = reply.model_copy(update={"tokens": tokens, "cost_usd": cost_usd})
        agent = self.at_work(state)
        if agent.style == "code":
            return judge_code(agent, counted, unmet_by(ctx))
        if agent.style == "react":
            read = read_marks(counted, len(state.before) + state.turns + 1)
            if read is None:
                plain = bounded(counted).model_copy(update={"raw": None})
                return JudgedReply(reply=plain, problem=KEEP_TO_THE_FORM)
            counted = read
        if not first:
            return judge(agent, counted, unmet_by(ctx))
        early = before_the_first(first, counted.calls)
        if len(early) == len(counted.calls):
            said = f"First call the tool `{first}`."
            return JudgedReply(reply=bounded(counted), problem=said, told=early)
        found = judge(agent, counted, unmet_by(ctx))
        return found.model_copy(update={"told": {**found.told, **early}})

    def taken(self, state: LoopState, result: JudgedReply) -> AgentOutput | list[ToolCall]:
        """Take a reply into the transcript; return the answer, or the calls to make."""
        reply = result.reply
        state.turns += 1
        state.came_from = ""
        state.tokens, state.cost_usd = reply.tokens, reply.cost_usd
        if result.answer is not None:
            return self.answered(result.answer, state)
        said = [Said(role="model", text=reply.text, calls=reply.calls, raw=reply.raw)]
        if not reply.calls:
            said.append(Said(role="user", text=result.problem or ""))
        state.messages = state.messages + said
        state.told, state.offered = result.told, result.offered
        return [ToolCall(call=each) for each in wanted_calls(reply) if each.id not in result.told]

    def answered(self, answer: str, state: LoopState) -> AgentOutput:
        """Return the end of an agent that has given its answer."""
        output = AgentOutput(
            answer=answer,
            name=self.at_work(state).name,
            turns=state.turns,
            tokens=state.tokens,
            cost_usd=state.cost_usd,
        )
        return self.finalize(output, state)

    def stopped(self, state: LoopState) -> AgentStopped:
        """Return the end of an agent that has taken all its turns."""
        said = f"the agent `{self.agent.name}` has taken its {self.agent.max_turns} turns, and has given no answer"
        return AgentStopped(name="agent.turns", message=said, turns=state.turns)
