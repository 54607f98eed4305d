"""A first workflow: a start event of one's own, a step that calls a model, and an end event of one's own."""

import asyncio

from workflows import Workflow, step
from workflows.errors import WorkflowRuntimeError
from workflows.events import Event, StartEvent, StopEvent


class Model:
    """Stands for a model: it says what it is asked for, backwards."""

    async def complete(self, prompt: str) -> str:
        await asyncio.sleep(0.01)
        return prompt[::-1]


class PoemAsked(StartEvent):
    topic: str
    lines: int = 2


class PoemWritten(Event):
    poem: str


class PoemJudged(StopEvent):
    poem: str
    verdict: str


class Poems(Workflow):
    model = Model()

    @step
    async def write(self, ev: PoemAsked) -> PoemWritten:
        lines = [await self.model.complete(f"{ev.topic} {at}") for at in range(ev.lines)]
        return PoemWritten(poem="\n".join(lines))

    @step
    async def judge(self, ev: PoemWritten) -> PoemJudged:
        verdict = "long" if len(ev.poem) > 10 else "short"
        return PoemJudged(poem=ev.poem, verdict=verdict)


class Untyped(Workflow):
    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result={"topic": ev.topic, "else": ev.get("else", "nothing")})


async def main() -> None:
    workflow = Poems(timeout=60, verbose=False)
    for result in (
        await workflow.run(topic="sea"),
        await workflow.run(start_event=PoemAsked(topic="x", lines=5)),
    ):
        print(type(result).__name__, repr(result.poem), result.verdict)
    print(await Untyped(timeout=10).run(topic="the sea"))
    print(workflow.start_event_class.__name__, workflow.stop_event_class.__name__)
    try:
        await workflow.run(lines=3)
    except WorkflowRuntimeError:
        print("the start event cannot be made without a topic")
    try:
        await Untyped(timeout=10).run()
    except AttributeError:
        print("a field that was not given is an AttributeError")


if __name__ == "__main__":
    asyncio.run(main())
