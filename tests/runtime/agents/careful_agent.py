"""An agent with a loop of its own in three places: what its model is asked and told of calls, and its answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from wfc.runtime import (
    Agent,
    AgentLoop,
    AgentTool,
    Child,
    Context,
    Model,
    Record,
    StartEvent,
    StopEvent,
    Workflow,
    pause,
)
from wfc.runtime.agents.events import AgentOutput, LoopState, ToolCallResult
from wfc.runtime.calls.transcripts import TurnReply, TurnRequest


class FindArgs(Record):
    order_id: str


async def find(ctx: Context, args: FindArgs) -> str:
    return f"{args.order_id} is in Oslo, customs number 4711"


def careful(model: Model) -> type[Workflow]:
    """Return a workflow whose agent has this model."""
    desk = Agent("desk", model, tools=[AgentTool("find_order", find, FindArgs)])

    class DeskAgent(AgentLoop, agent=desk, name="orders.desk"):
        async def take_step(self, ctx: Context[LoopState], model: Model, request: TurnRequest) -> TurnReply:
            """Tell the model which turn it is, and ask it once more if it answers without having looked."""
            turn = sum(one.role == "model" for one in request.said) + 1
            told = replace(request, system=f"{request.system} This is turn {turn}.")
            reply = await model.take_turn(ctx, told)
            if turn == 1 and not reply.calls:
                reply = await model.take_turn(ctx, replace(told, system="Look things up first."))
            return reply

        def handle_tool_call_results(
            self, results: Sequence[ToolCallResult], state: LoopState
        ) -> Sequence[ToolCallResult]:
            """Leave out what models need not know."""
            return [one.model_copy(update={"text": one.text.partition(",")[0]}) for one in results]

        def finalize(self, output: AgentOutput, state: LoopState) -> AgentOutput:
            """Sign the answer."""
            return output.model_copy(update={"answer": json.dumps(f"{json.loads(output.answer)} (desk)")})

    class Asked(StartEvent):
        question: str

    class Answered(StopEvent):
        text: str

    class Orders(Workflow, name="orders", parts=(DeskAgent,)):
        @pause
        def answer(self, event: Asked) -> Child[str]:
            return Child(DeskAgent, {"prompt": event.question, "system": "You know orders."})

        @answer.then
        def after_answer(self, result: str) -> Answered:
            return Answered(text=result)

    return Orders
