"""A program for llama-index-workflows that serves workflows, after the examples of its documentation."""

from llama_agents.server import WorkflowServer
from workflows import Context, Workflow, step
from workflows.events import Event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent


class Greeting(StartEvent):
    name: str
    times: int = 1


class Greeted(StopEvent):
    greeting: str


class Progress(Event):
    count: int


class GreetingWorkflow(Workflow):
    @step
    async def greet(self, ctx: Context, ev: Greeting) -> Greeted:
        for count in range(ev.times):
            ctx.write_event_to_stream(Progress(count=count))
        return Greeted(greeting=f"Hello, {ev.name}!")


class PlainWorkflow(Workflow):
    @step
    async def answer(self, ev: StartEvent) -> StopEvent:
        if ev.get("fail", default=False):
            raise ValueError("told to fail")
        return StopEvent(result={"said": ev.get("name", default="World")})


class Asked(InputRequiredEvent):
    question: str


class Answered(HumanResponseEvent):
    answer: str


class AskingWorkflow(Workflow):
    @step
    async def ask(self, ctx: Context, ev: StartEvent) -> Asked:
        return Asked(question="your name?")

    @step
    async def take(self, ctx: Context, ev: Answered) -> StopEvent:
        return StopEvent(result=f"you are {ev.answer}")


server = WorkflowServer()
server.add_workflow("greet", GreetingWorkflow())
server.add_workflow("plain", PlainWorkflow())
server.add_workflow("ask", AskingWorkflow(), additional_events=[Answered])
