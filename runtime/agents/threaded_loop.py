"""``ThreadedLoop``: the loop of an agent that goes on with a talk, and whose answer is kept in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from wfc.runtime.agents.events import (
    AgentInput,
    AgentOutput,
    AgentStopped,
    AnswerGiven,
    JudgedReply,
    LoopState,
    ToolCall,
    ToolCallResult,
    TurnDue,
)
from wfc.runtime.agents.loop_steps import AgentSteps
from wfc.runtime.agents.threads import (
    SUMMARIZE,
    KeptThread,
    Transcript,
    first_to_keep,
    in_words,
    kept_of,
    read_transcript,
    summed_up,
)
from wfc.runtime.authoring.decorators import step, transform
from wfc.runtime.calls.llm import Model
from wfc.runtime.calls.transcripts import Said
from wfc.runtime.driver.context import Context
from wfc.runtime.driver.run import Run
from wfc.runtime.events import RunConfig
from wfc.runtime.plan.inputs import Inputs
from wfc.runtime.plan.joins import EachOf
from wfc.runtime.store.threads import ThreadKey

__all__ = ["Summarizing", "ThreadedLoop"]

Summarizing = Callable[[Context[LoopState], Model, Sequence[Said]], Awaitable[str]]


class ThreadedLoop(AgentSteps, name="agent.threaded_loop", is_part=True):
    """The loop of an agent with a thread: what was said in it comes before, and what is said is kept with the answer.

    A subclass is one agent's in one thread, which it is given by the class keywords ``agent`` and ``thread``.
    """

    thread: KeptThread

    def __init_subclass__(cls, *, thread: KeptThread | None = None, **keywords: Any) -> None:
        """Take the thread, and what other loops take."""
        super().__init_subclass__(**keywords)
        if thread is not None:
            cls.thread = thread

    @step(num_workers=1)
    async def recall(
        self, ctx: Context[LoopState], event: AgentInput, config: RunConfig | None
    ) -> Transcript:
        """Wait until nobody else works in the thread, and return what was said in it, summed up if it is long."""
        return await self.recalled(ctx, event, config, summarize)

    async def recalled(
        self, ctx: Context[LoopState], event: AgentInput, config: object, summarizing: Summarizing
    ) -> Transcript:
        """Return what was said in the thread.

        Args:
            summarizing: Asks a model for a summary.
        """
        run, thread = _run_of(ctx), self.thread
        known = ThreadKey(thread.name, event.thread)
        threads = run.engine.threads
        text = await (threads.read(known) if event.read_only else threads.take(known, run.run_id))
        found = read_transcript(text, self.agent, self.team)
        first = first_to_keep(thread, found.said)
        if not first:
            return found
        rest = found.said[first:]
        if thread.summarize is not None:
            model = thread.summarize if isinstance(thread.summarize, Model) else thread.summarize(config)
            rest = summed_up(await summarizing(ctx, model, found.said[:first]), rest)
        return found.model_copy(update={"said": rest})

    @recall.then
    def after_recall(self, state: LoopState, result: Transcript) -> TurnDue:
        """Go on with what was said, and with the agent that was at work last."""
        state.before, state.at_work, state.elsewhere = result.said, result.at_work, result.elsewhere
        return TurnDue()

    @step(num_workers=1)
    async def think(
        self,
        ctx: Context[LoopState],
        event: TurnDue,
        inputs: Inputs[AgentInput],
        state: LoopState,
        config: RunConfig | None,
    ) -> JudgedReply:
        """Ask the model for its next reply, and return what that comes to."""
        return await self.next_reply(ctx, inputs, state, config)

    @think.then
    def after_think(self, state: LoopState, result: JudgedReply) -> AnswerGiven | list[ToolCall]:
        """Return the answer, or the calls to make, which may be none."""
        found = self.taken(state, result)
        return found if isinstance(found, list) else AnswerGiven(output=found)

    @think.on_limit
    def think_over_limit(self, state: LoopState) -> AgentStopped:
        """Return the end of an agent that has taken all its turns."""
        return self.stopped(state)

    @transform(join=EachOf(fork="think"))
    def answer_calls(
        self, events: list[ToolCallResult], inputs: Inputs[AgentInput], state: LoopState
    ) -> AnswerGiven | TurnDue:
        """Tell the model what became of its calls; the result of a tool may be the answer itself."""
        found = self.told(events, inputs, state)
        return found if isinstance(found, TurnDue) else AnswerGiven(output=found)

    @step(num_workers=1)
    async def keep(
        self, ctx: Context[LoopState], event: AnswerGiven, inputs: Inputs[AgentInput], state: LoopState
    ) -> None:
        """Keep what was said, and let others work in the thread."""
        if inputs.read_only:
            return
        run, thread = _run_of(ctx), self.thread
        said = kept_of(inputs, state, event.output.answer)
        kept = Transcript(said=said, at_work=state.at_work or state.elsewhere)
        known = ThreadKey(thread.name, inputs.thread)
        await run.engine.threads.put(known, run.run_id, kept.model_dump_json(), thread.seconds)

    @keep.then
    def after_keep(self, event: AnswerGiven) -> AgentOutput:
        """Give the answer."""
        return event.output


async def summarize(ctx: Context[LoopState], model: Model, said: Sequence[Said]) -> str:
    """Return a model's summary of messages."""
    return await ctx.llm(model, SUMMARIZE + in_words(said))


def _run_of(ctx: Context[LoopState]) -> Run:
    run = ctx._run
    assert isinstance(run, Run), "within a step there is a run"
    return run
