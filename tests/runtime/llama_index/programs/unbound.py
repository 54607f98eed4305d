"""Steps that are functions of their own."""

from workflows import Context, Workflow, step
from workflows.errors import WorkflowValidationError
from workflows.events import Event, StartEvent, StopEvent


class Greeting(Event):
    text: str


class Empty(Workflow):
    pass


class Half(Workflow):
    @step
    async def greet(self, ev: StartEvent) -> Greeting:
        return Greeting(text=f"hello {ev.name}")


@step(workflow=Empty)
async def only(ev: StartEvent) -> StopEvent:
    return StopEvent(result="by itself")


@step(workflow=Half, num_workers=1)
async def shout(ctx: Context, ev: Greeting) -> StopEvent:
    await ctx.store.set("shouted", True)
    return StopEvent(result=ev.text.upper())


def refused() -> list[bool]:
    found = []

    def twice() -> None:
        @step(workflow=Half)
        async def greet(ev: StartEvent) -> Greeting: ...

    def nowhere() -> None:
        @step
        async def lost(ev: StartEvent) -> StopEvent: ...

    def undecorated() -> None:
        async def plain(ev: StartEvent) -> StopEvent: ...

        Half.add_step(plain)

    for attempt in (twice, nowhere, undecorated):
        try:
            attempt()
            found.append(False)
        except WorkflowValidationError:
            found.append(True)
    return found


async def main() -> object:
    return [await Empty().run(), await Half().run(name="Ada"), (await only(StartEvent())).result, refused()]


EXPECTED = ["by itself", "HELLO ADA", "by itself", [True, True, True]]
