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


class Listening(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> list[Subject]:
        return [Subject(name="speaker"), Subject(name="listener")]

    @step
    async def talk(self, ctx: Context, ev: Subject) -> Told:
        if ev.name == "speaker":
            await asyncio.sleep(0.02)
            return Told(about="all", text="hello")
        heard = await ctx.wait_for_event(Told, requirements={"about": "all"})
        return Told(about="heard", text=heard.text)

    @step
    async def join(self, evs: list[Told]) -> StopEvent:
        return StopEvent(result=sorted([ev.about, ev.text] for ev in evs))


class LoudSubject(Subject):
    pass


class Picky(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> list[Told]:
        return [Told(about="exactly", text="a"), Told(about="derived", text="b")]

    @step
    async def exactly(self, ctx: Context, ev: Told) -> StopEvent | None:
        if ev.about == "derived":
            return None
        found = await ctx.wait_for_event(Subject, waiter_event=Told(about="waiting", text=""))
        return StopEvent(result=[type(found).__name__, found.name])

    @step(accept_event_subclasses=True)
    async def derived(self, ctx: Context, ev: Told) -> None:
        if ev.about == "derived":
            found = await ctx.wait_for_event(Subject, waiter_event=Told(about="waiting", text=""))
            ctx.write_event_to_stream(Told(about=type(found).__name__, text=found.name))


async def derived_classes() -> object:
    handler = Picky().run()
    seen = []
    async for ev in handler.stream_events():
        if isinstance(ev, Told):
            seen.append(ev.about)
            if seen == ["waiting", "waiting"]:
                await handler.send_event(LoudSubject(name="loud"))
            elif len(seen) == 3:
                await handler.send_event(Subject(name="plain"))
    return [seen, await handler]


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
        await Listening().run(),
        await derived_classes(),
        await Impatient().run(),
        await talk(Stumbling()),
    ]


EXPECTED = [
    [["a number, please"], "42"],
    True,
    False,
    [["colour", "price"], [["colour", "the colour"], ["price", "the price"]]],
    [["all", "hello"], ["heard", "hello"]],
    [["waiting", "waiting", "LoudSubject"], ["Subject", "plain"]],
    "nobody answered",
    [["once"], "42"],
]
