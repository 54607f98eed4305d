"""A run streams its progress and asks a person; one process may ask, and another take the answer.

``human_in_the_loop.py`` asks and answers at once. ``… ask pair FILE`` and ``… ask wait FILE`` stop where the
question is open, and write the run to a file; ``… answer pair FILE TEXT`` goes on from it.
"""

import asyncio
import json
import sys
from pathlib import Path

from workflows import Context, Workflow, step
from workflows.events import Event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent
from workflows.handler import WorkflowHandler


class Progress(Event):
    text: str


class Proposal(InputRequiredEvent):
    title: str


class Decision(HumanResponseEvent):
    good: bool


class Pair(Workflow):
    """Asks by one event and goes on with another, in a loop until the person likes it."""

    @step
    async def propose(self, ctx: Context, ev: StartEvent | Decision) -> Proposal | StopEvent:
        tries = await ctx.store.get("tries", default=0)
        if isinstance(ev, Decision) and ev.good:
            return StopEvent(result=f"title {tries} of {await ctx.store.get('topic')}")
        if isinstance(ev, StartEvent):
            await ctx.store.set("topic", ev.topic)
        await ctx.store.set("tries", tries + 1)
        ctx.write_event_to_stream(Progress(text=f"try {tries + 1}"))
        return Proposal(title=f"title {tries + 1}", prefix="Do you like it?")


class Wait(Workflow):
    """Asks in the middle of a step."""

    @step
    async def only(self, ctx: Context, ev: StartEvent) -> StopEvent:
        answer = await ctx.wait_for_event(
            HumanResponseEvent,
            waiter_event=InputRequiredEvent(prefix=f"What of {ev.topic}?", user="ann"),
            waiter_id="what",
            requirements={"user": "ann"},
        )
        return StopEvent(result=f"{ev.topic}: {answer.response}")


WORKFLOWS = {"pair": Pair, "wait": Wait}


def answer_to(kind: str, text: str) -> Event:
    return Decision(good=text == "yes") if kind == "pair" else HumanResponseEvent(response=text, user="ann")


def keep(file: Path, handler: WorkflowHandler) -> None:
    file.write_text(json.dumps(handler.ctx.to_dict()))


def kept(file: Path, workflow: Workflow) -> Context:
    return Context.from_dict(workflow, json.loads(file.read_text()))


async def ask(kind: str, file: Path) -> None:
    handler = WORKFLOWS[kind](timeout=10).run(topic="sea")
    async for event in handler.stream_events():
        if isinstance(event, Progress):
            print(event.text)
        if isinstance(event, InputRequiredEvent):
            print("asks:", event.prefix)
            keep(file, handler)
            await handler.cancel_run()
            break


async def answer(kind: str, file: Path, text: str) -> None:
    workflow = WORKFLOWS[kind](timeout=10)
    handler = workflow.run(ctx=kept(file, workflow))
    handler.ctx.send_event(answer_to(kind, text))
    async for event in handler.stream_events():
        if isinstance(event, Progress):
            print(event.text)
        if isinstance(event, Proposal):
            print("asks again:", event.title)
            keep(file, handler)
            await handler.cancel_run()
            return
    print(await handler)


async def talk() -> None:
    for kind, workflow in WORKFLOWS.items():
        handler = workflow(timeout=10).run(topic="sea")
        answers = ["no", "no", "yes"]
        async for event in handler.stream_events():
            if isinstance(event, InputRequiredEvent):
                print("asks:", event.prefix)
                handler.ctx.send_event(answer_to(kind, answers.pop(0)))
        print(await handler)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["ask", kind, file]:
            asyncio.run(ask(kind, Path(file)))
        case ["answer", kind, file, text]:
            asyncio.run(answer(kind, Path(file), text))
        case _:
            asyncio.run(talk())
