"""Several workflows at one server: typed and untyped starts, progress, a branch, and a question to a person."""

import asyncio

from llama_agents.server import WorkflowServer
from workflows import Workflow, step
from workflows.context import Context
from workflows.events import Event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent


class Bell(Event):
    stroke: int


class Lesson(StartEvent):
    subject: str
    minutes: int
    has_break: bool


class Plan(StopEvent):
    line: str
    minutes: int


class Lessons(Workflow):
    @step
    async def plan(self, ctx: Context, ev: Lesson) -> Plan:
        for stroke in range(3):
            ctx.write_event_to_stream(Bell(stroke=stroke))
            await asyncio.sleep(0.1)
        minutes = ev.minutes + (10 if ev.has_break else 0)
        return Plan(line=f"{ev.subject}: {minutes} min", minutes=minutes)


class Marks(Workflow):
    @step
    async def work_out(self, ev: StartEvent) -> StopEvent:
        marks = ev.get("marks", [])
        how = ev.get("how", "mean")
        return StopEvent(
            result={"how": how, "mark": max(marks) if how == "best" else sum(marks) / len(marks)}
        )


class Marked(Event):
    name: str
    percent: int


class Correcting(Workflow):
    @step
    async def correct(self, ctx: Context, ev: StartEvent) -> StopEvent:
        names = getattr(ev, "names", ["Ada", "Bo"])
        for count, name in enumerate(names, 1):
            await asyncio.sleep(0.05)
            ctx.write_event_to_stream(Marked(name=name, percent=100 * count // len(names)))
        return StopEvent(result={"corrected": [name.upper() for name in names]})


class Arrival(StartEvent):
    age: int
    knows_the_way: bool


class Led(Event):
    room: str


class Sent(Event):
    room: str


class Welcome(Workflow):
    @step
    async def look(self, ev: Arrival, ctx: Context) -> Led | Sent:
        found = Sent(room="1") if ev.knows_the_way else Led(room="1" if ev.age < 10 else "2")
        ctx.write_event_to_stream(found)
        return found

    @step
    async def lead(self, ev: Led) -> StopEvent:
        return StopEvent(result=f"led to room {ev.room}")

    @step
    async def send(self, ev: Sent) -> StopEvent:
        return StopEvent(result=f"sent to room {ev.room}")


class Asked(InputRequiredEvent):
    prompt: str


class Said(HumanResponseEvent):
    response: str


class Excuse(StartEvent):
    day: str


class Excuses(Workflow):
    @step
    async def ask(self, ev: Excuse) -> Asked:
        return Asked(prompt=f"Why were you away on {ev.day}?")

    @step
    async def note(self, ev: Said) -> StopEvent:
        return StopEvent(result=f"noted: {ev.response}")


async def main() -> None:
    server = WorkflowServer()
    for name, workflow in {
        "lessons": Lessons(),
        "marks": Marks(),
        "correcting": Correcting(),
        "welcome": Welcome(),
        "excuses": Excuses(),
    }.items():
        server.add_workflow(name, workflow)
    await server.serve(host="127.0.0.1", port=8000)


if __name__ == "__main__":
    asyncio.run(main())
