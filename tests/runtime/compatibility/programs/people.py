"""People are asked: by a pair of events, and by a step that waits."""

import asyncio

from workflows import Context, Workflow, step
from workflows.events import Event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent
from workflows.retry_policy import retry_policy, stop_after_attempt, wait_none


class Question(InputRequiredEvent):
    about: str


class Answer(HumanResponseEvent):
    about: str
    text: str


class Told(Event):
    about: str
    text: str


class ByEvents(Workflow):
    @step
    async def ask(self, ev: StartEvent) -> InputRequiredEvent:
        return InputRequiredEvent(prefix="a number, please")

    @step
    async def take(self, ev: HumanResponseEvent) -> StopEvent:
        return StopEvent(result=ev.response)


class Subject(Event):
    name: str


class Waiting(Workflow):
    @step
    async def split(self, ctx: Context, ev: StartEvent) -> Subject | None:
        ctx.send_event(Subject(name="price"))
        ctx.send_event(Subject(name="colour"))
        return None

    @step
    async def ask(self, ctx: Context, ev: Subject) -> Told:
        answer = await ctx.wait_for_event(
            Answer,
            waiter_event=Question(about=ev.name),
            waiter_id=ev.name,
            requirements={"about": ev.name},
        )
        return Told(about=answer.about, text=answer.text)


class WaitingEnd(Waiting):
    @step
    async def join(self, ctx: Context, ev: Told) -> StopEvent | None:
        found = ctx.collect_events(ev, [Told, Told])
        if found is None:
            return None
        return StopEvent(result=sorted([one.about, one.text] for one in found))


class Impatient(Workflow):
    @step
    async def ask(self, ctx: Context, ev: StartEvent) -> StopEvent:
        try:
            await ctx.wait_for_event(HumanResponseEvent, timeout=0.01)
        except asyncio.TimeoutError:
            return StopEvent(result="nobody answered")
        return StopEvent(result="answered")


class Stumbling(Workflow):
    tries = 0

    @step(retry_policy=retry_policy(wait=wait_none(), stop=stop_after_attempt(3)))
    async def ask(self, ctx: Context, ev: StartEvent) -> StopEvent:
        answer = await ctx.wait_for_event(
            HumanResponseEvent, waiter_event=InputRequiredEvent(prefix="once"), waiter_id="once"
        )
        Stumbling.tries += 1
        if Stumbling.tries == 1:
            raise OSError("stumbled")
        return StopEvent(result=answer.response)


async def talk(workflow: Workflow) -> object:
    handler = workflow.run()
    asked = []
    async for ev in handler.stream_events():
        if isinstance(ev, Question):
            asked.append(ev.about)
            handler.ctx.send_event(Answer(about="elsewhere", text="to nobody"))
            await handler.send_event(Answer(about=ev.about, text=f"the {ev.about}"))
        elif isinstance(ev, InputRequiredEvent):
            asked.append(ev.prefix)
            handler.ctx.send_event(HumanResponseEvent(response="42"))
    return [sorted(asked), await handler]


async def answered_to_the_right_one() -> object:
    handler = WaitingEnd().run()
    asked = []
    async for ev in handler.stream_events():
        if isinstance(ev, Question):
            asked.append(ev.about)
            if len(asked) == 2:
                for about in asked:
                    await handler.send_event(Answer(about=about, text=f"the {about}"))
    return [sorted(asked), await handler]


async def main() -> object:
    return [
        await talk(ByEvents()),
        ByEvents().validate(),
        Impatient().validate(),
        await answered_to_the_right_one(),
        await Impatient().run(),
        await talk(Stumbling()),
    ]


EXPECTED = [
    [["a number, please"], "42"],
    True,
    False,
    [["colour", "price"], [["colour", "the colour"], ["price", "the price"]]],
    "nobody answered",
    [["once"], "42"],
]
