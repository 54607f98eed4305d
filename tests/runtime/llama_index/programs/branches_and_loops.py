"""Ways that a run takes by what its steps return: loops, branches, events of derived classes."""

from workflows import Workflow, step
from workflows.events import Event, StartEvent, StopEvent


class Countdown(Event):
    left: int


class Short(Event):
    text: str


class Long(Event):
    text: str


class Looping(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> Countdown:
        return Countdown(left=ev.rounds)

    @step
    async def turn(self, ev: Countdown) -> Countdown | StopEvent:
        if ev.left == 0:
            return StopEvent(result="lift-off")
        return Countdown(left=ev.left - 1)


class Branching(Workflow):
    @step
    async def choose(self, ev: StartEvent) -> Short | Long:
        return Short(text=ev.text) if len(ev.text) < 5 else Long(text=ev.text)

    @step
    async def keep(self, ev: Short) -> StopEvent:
        return StopEvent(result=["kept", ev.text])

    @step
    async def cut(self, ev: Long) -> Short:
        return Short(text=ev.text[:4])


class Visitor(Event):
    name: str


class Guest(Visitor):
    table: int


class Reception(Workflow):
    @step
    async def arrive(self, ev: StartEvent) -> Guest:
        return Guest(name=ev.name, table=7)

    @step(accept_event_subclasses=True)
    async def welcome(self, ev: Visitor) -> StopEvent:
        return StopEvent(result=[type(ev).__name__, ev.name])


async def main() -> object:
    return [
        await Looping().run(rounds=4),
        await Branching().run(text="tiny"),
        await Branching().run(text="enormous"),
        await Reception().run(name="Ada"),
    ]


EXPECTED = ["lift-off", ["kept", "tiny"], ["kept", "enor"], ["Guest", "Ada"]]
