"""A desk whose agent looks two things up, by itself, by an agent that is its tool, or after a hand-over; models and
tools write down each of their calls. Run as a program, it runs a stored run, or lets it go on:
``desk_flow.py FLOW STORE LOG RUN_ID``."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field

from wfc.runtime import (
    Child,
    Engine,
    Knowledge,
    Record,
    RunState,
    StartEvent,
    StepError,
    StopEvent,
    Workflow,
    pause,
    step,
)
from wfc.runtime.agents.code_loop import CodeLoop
from wfc.runtime.agents.definition import Agent, AgentTool
from wfc.runtime.agents.events import DoneCall, Worked
from wfc.runtime.agents.loop import AgentLoop
from wfc.runtime.agents.threaded_loop import ThreadedLoop
from wfc.runtime.agents.threads import KeptThread
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.calls.llm import Model
from wfc.runtime.calls.transcripts import CallRequest, TurnReply, TurnRequest
from wfc.runtime.errors import RunUnknownError
from wfc.runtime.records import Passage

Answering = Callable[[TurnRequest], TurnReply | Exception]


class TurnModel(Model):
    """A model whose replies a function works out from what it is asked; ``asked`` holds that."""

    asked: list[TurnRequest]
    _answer: Answering

    def __init__(self, answer: Answering) -> None:
        super().__init__("scripted:model")
        object.__setattr__(self, "asked", [])
        object.__setattr__(self, "_answer", answer)

    async def take_turn(self, host: Any, request: TurnRequest) -> TurnReply:
        host.afford(self.use)
        self.asked.append(request)
        reply = self._answer(request)
        host.spent(self.use, 10, 5)
        if isinstance(reply, Exception):
            raise reply
        return reply


def in_turn(*replies: TurnReply | Exception) -> Answering:
    """Gives these replies one after the other, the last one again and again."""
    left = list(replies)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def call(tool: str, args: str = "{}", known_as: str = "") -> CallRequest:
    return CallRequest(id=known_as or f"{tool}{args}", tool=tool, args=args)


def calls(*wanted: CallRequest) -> TurnReply:
    return TurnReply(calls=list(wanted))


def says(text: str) -> TurnReply:
    return TurnReply(text=text)


def assert_valid(said: Any) -> None:
    """A transcript that every provider takes: each call has one answer, in the next message, in its order."""
    assert said[0].role == "user"
    ids = [each.id for one in said for each in one.calls]
    assert len(ids) == len(set(ids))
    for one, following in zip(said, [*said[1:], None], strict=True):
        assert one.role != "tools" or one.answers
        for each in one.calls:
            assert isinstance(json.loads(each.args or "{}"), dict)
        if one.calls:
            assert following is not None
            assert [each.id for each in following.answers] == [each.id for each in one.calls]
        if one.role == "model":
            assert following is not None and following.role != "model"


class FindArgs(Record):
    order_id: str


class Wanted(StartEvent):
    order_id: str


class Asked(StartEvent):
    question: str


class Answered(StopEvent):
    text: str


class Task(Record):
    """What an agent takes that is a tool, or is handed over to."""

    task: str


def loop_of(agent: Agent, name: str, team: Sequence[Agent] = ()) -> type[AgentLoop]:
    class Loop(AgentLoop, agent=agent, team=team, name=f"desk.answer{name}"):
        pass

    return Loop


def as_tool(agent: Agent, parts: list[type[AgentLoop]], team: Sequence[Agent] = ()) -> AgentTool:
    """An agent as a tool of another one; the class of its loop is added to these."""
    parts.append(loop_of(agent, f".{agent.name}", team))
    return AgentTool(agent.name, None, Task, f"asks {agent.name}", agent=parts[-1])


def hand_over_to(name: str, **options: Any) -> AgentTool:
    return AgentTool(f"hand_over_to_{name}", None, Task, f"hands over to {name}", hand_over=name, **options)


def desk(
    agent: Agent,
    kind: Any = str,
    parts: Sequence[type[AgentLoop]] = (),
    team: Sequence[Agent] = (),
    **more: Any,
) -> type[Workflow]:
    """A workflow of one step, whose action is an agent."""
    return asking(loop_of(agent, "", team), kind, parts, **more)


def asking(own: Any, kind: Any, parts: Sequence[type[AgentLoop]], **more: Any) -> type[Workflow]:
    """A workflow of one step, whose action is an agent with this loop."""

    class Desk(Workflow, name="desk", parts=(own, *parts)):
        @pause
        def answer(self, event: Asked) -> Child[kind]:
            return Child(own, {"prompt": event.question, "system": "Be kind.", **more})

        @answer.then
        def after_answer(self, result: kind) -> Answered:
            return Answered(text=str(result))

        @answer.on_error
        def answer_failed(self, error: StepError) -> Answered:
            return Answered(text=f"{error.name}: {error.message}")

    return Desk


def noting(log: Path) -> Callable[[str], None]:
    """Writes a line that stays, whatever becomes of the process."""

    def note(text: str) -> None:
        with log.open("a") as file:
            file.write(f"{text}\n")
            file.flush()
            os.fsync(file.fileno())

    return note


def written_down(log: Path) -> type[Workflow]:
    """The desk whose model and tools write down their calls."""
    note = noting(log)

    def answer(request: TurnRequest) -> TurnReply:
        turn = 1 + sum(one.role == "model" for one in request.said)
        note(f"think {turn}")
        told = [each.text for one in request.said for each in one.answers]
        if turn == 1:
            return calls(call("find", '{"order_id": "A"}', "a"), call("find", '{"order_id": "B"}', "b"))
        return calls(call("find", '{"order_id": "C"}', "c")) if turn == 2 else says(", ".join(told))

    async def find(_context: Any, args: FindArgs) -> str:
        note(f"find {args.order_id}")
        return f"{args.order_id} is here"

    return desk(Agent("desk", TurnModel(answer), tools=[AgentTool("find", find, FindArgs)], parallel_calls=1))


def functions_written_down(log: Path) -> type[Workflow]:
    """The same desk, whose agent looks things up by a plain function."""
    note = noting(log)
    own = written_down(log)
    (loop,) = definition_of(own).parts

    def find(order_id: str) -> str:
        note(f"find {order_id}")
        return f"{order_id} is here"

    return desk(replace(loop.agent, tools=[find]))


def team_written_down(log: Path) -> type[Workflow]:
    """The desk whose agent lets another one look things up, which is its tool."""
    note = noting(log)

    def lead(request: TurnRequest) -> TurnReply:
        turn = 1 + sum(one.role == "model" for one in request.said)
        note(f"lead {turn}")
        told = [each.text for one in request.said for each in one.answers]
        if turn == 1:
            return calls(call("finder", '{"task": "A"}', "a"), call("finder", '{"task": "B"}', "b"))
        return calls(call("finder", '{"task": "C"}', "c")) if turn == 2 else says(", ".join(told))

    def look(request: TurnRequest) -> TurnReply:
        note(f"think {request.said[0].text} {len(request.said)}")
        if len(request.said) == 1:
            return calls(call("find", json.dumps({"order_id": request.said[0].text}), "f"))
        return says(request.said[-1].answers[0].text)

    parts: list[type[AgentLoop]] = []
    finder = Agent(
        "finder", TurnModel(look), tools=[AgentTool("find", noted_find(note), FindArgs)], args=Task
    )
    chief = Agent("chief", TurnModel(lead), tools=[as_tool(finder, parts)], parallel_calls=2)
    return desk(chief, parts=parts)


def noted_find(note: Callable[[str], None]) -> Callable[..., Any]:
    async def find(_context: Any, args: FindArgs) -> str:
        note(f"find {args.order_id}")
        return f"{args.order_id} is here"

    return find


def hand_over_written_down(log: Path) -> type[Workflow]:
    """The desk whose agent looks a thing up and hands over to one that looks up two more."""
    note = noting(log)
    find = AgentTool("find", noted_find(note), FindArgs)

    def first(request: TurnRequest) -> TurnReply:
        note(f"first {len(request.said)}")
        if len(request.said) == 1:
            return calls(call("find", '{"order_id": "A"}', "a"))
        return calls(call("hand_over_to_second", '{"task": "go on"}', "h"))

    def second(request: TurnRequest) -> TurnReply:
        assert_valid(request.said)
        told = [each.text for one in request.said for each in one.answers]
        note(f"second {len(told)}")
        if len(told) == 2:
            return calls(call("find", '{"order_id": "B"}', "b"), call("find", '{"order_id": "C"}', "c"))
        return says(", ".join(each for each in told if "here" in each))

    hands_over = Agent("first", TurnModel(first), tools=[find, hand_over_to("second")])
    goes_on = Agent("second", TurnModel(second), tools=[find], args=Task, sees="all")
    return desk(hands_over, team=[goes_on])


def talk_written_down(log: Path) -> type[Workflow]:
    """The desk whose agent goes on with a talk that is kept for all of its runs."""
    note = noting(log)

    def answer(request: TurnRequest) -> TurnReply:
        assert_valid(request.said)
        note(f"think {len(request.said)}")
        said = [one.text for one in request.said if one.role == "model" and one.text]
        if request.said[-1].role == "user":
            return calls(call("find", json.dumps({"order_id": f"{len(said)}"}), f"f{len(request.said)}"))
        return says("; ".join([*said, request.said[-1].answers[0].text]))

    find = AgentTool("find", noted_find(note), FindArgs)
    agent = Agent("desk", TurnModel(answer), tools=[find])
    return talking(agent, KeptThread("desk.talk"))


class LookedUp(StopEvent):
    order_id: str
    place: str


def looking_up(find: Callable[..., Any], **options: Any) -> type[Workflow]:
    """A workflow that looks one thing up."""

    class LookUp(Workflow, name="look_up", **options):
        @step
        async def look(self, event: Wanted) -> LookedUp:
            return LookedUp(order_id=event.order_id, place=await find(None, event))

    return LookUp


def workflows_written_down(log: Path) -> type[Workflow]:
    """The desk whose agent starts a run of another workflow for each thing, which is its tool."""
    note = noting(log)

    def answer(request: TurnRequest) -> TurnReply:
        assert_valid(request.said)
        note(f"think {len(request.said)}")
        told = [each.text for one in request.said for each in one.answers]
        if not told:
            return calls(call("look_up", '{"order_id": "A"}', "a"), call("look_up", '{"order_id": "B"}', "b"))
        if len(told) == 2:
            return calls(call("look_up", '{"order_id": "C"}', "c"))
        return says(", ".join(json.loads(each)["place"] for each in told))

    tool = AgentTool("look_up", None, FindArgs, workflow="look_up")
    kind = desk(Agent("desk", TurnModel(answer), tools=[tool], parallel_calls=2))
    CALLED[kind] = looking_up(noted_find(note))
    return kind


CALLED: dict[type[Workflow], type[Workflow]] = {}
"""The workflow that agents of a desk have as a tool."""


CODE = """
import asyncio
a, b = await asyncio.gather(find(order_id="A"), find("B"))
c = await find(order_id="C")
print(", ".join([a, b, c]))
"""


def code_written_down(log: Path) -> type[Workflow]:
    """The desk whose agent writes code, which looks up two things at once, and then a third one."""
    note = noting(log)

    def answer(request: TurnRequest) -> TurnReply:
        assert_valid(request.said)
        note(f"think {len(request.said)}")
        if request.said[-1].role == "user":
            return calls(call("run_python", json.dumps({"code": CODE}), "code"))
        return says(request.said[-1].answers[0].text.strip())

    find = AgentTool("find", noted_find(note), FindArgs)
    return coding(Agent("desk", TurnModel(answer), tools=[find], parallel_calls=1, style="code"))


def coding(agent: Agent, kind: Any = str, parts: Sequence[type[AgentLoop]] = ()) -> type[Workflow]:
    """A workflow of one step, whose action is an agent that writes code."""

    class Loop(CodeLoop, agent=agent, name="desk.answer"):
        pass

    return asking(Loop, kind, parts)


def talking(agent: Agent, thread: KeptThread, team: Sequence[Agent] = (), **more: Any) -> type[Workflow]:
    """A workflow of one step, whose action is an agent with a thread, which has the run's second word as its key."""

    class Loop(ThreadedLoop, agent=agent, thread=thread, team=team, name="desk.answer"):
        pass

    class Desk(Workflow, name="desk", parts=(Loop,)):
        @pause
        def answer(self, event: Asked) -> Child[Worked[str]]:
            key = event.question.partition(" ")[0]
            return Child(Loop, {"prompt": event.question, "thread": key, **more})

        @answer.then
        def after_answer(self, result: Worked[str]) -> Answered:
            return Answered(text=f"{result.name}: {result.answer}")

        @answer.on_error
        def answer_failed(self, error: StepError) -> Answered:
            return Answered(text=f"{error.name}: {error.message}")

    return Desk


class Found(RunState):
    found: list[str] = Field(default_factory=list)


def saving_written_down(log: Path) -> type[Workflow]:
    """The desk that saves what its agent is told, and answers with that alone."""
    note = noting(log)

    def answer(request: TurnRequest) -> TurnReply:
        turn = 1 + sum(one.role == "model" for one in request.said)
        note(f"think {turn}")
        if turn == 1:
            return calls(call("find", '{"order_id": "A"}', "a"), call("find", '{"order_id": "B"}', "b"))
        return calls(call("find", '{"order_id": "C"}', "c")) if turn == 2 else says("done")

    find = AgentTool("find", noted_find(note), FindArgs, saves=True, output=str)
    return saving(Agent("desk", TurnModel(answer), tools=[find], parallel_calls=1))


def saving(agent: Agent) -> type[Workflow]:
    """A workflow of one step that saves what `find` gives, and offers it until there are three."""
    own = loop_of(agent, "")

    class Desk(Workflow, name="desk", parts=(own,)):
        @pause
        def answer(self, event: Asked) -> Child[str]:
            return Child(own, {"prompt": event.question})

        @answer.offer("find")
        def offer_find(self, state: Found) -> bool:
            return len(state.found) < 3

        @answer.after_call("find")
        def answer_after_find(self, state: Found, result: DoneCall[FindArgs, str]) -> None:
            state.found = [*state.found, result.result]

        @answer.system
        def answer_system(self, state: Found) -> str:
            return f"{len(state.found)} are known."

        @answer.then
        def after_answer(self, result: str, state: Found) -> Answered:
            return Answered(text=", ".join(sorted(state.found)))

        @answer.on_error
        def answer_failed(self, error: StepError, state: Found) -> Answered:
            return Answered(text=f"{error.name}: {len(state.found)}")

    return Desk


class RememberArgs(Record):
    text: str


class SearchArgs(Record):
    query: str


NOTES = Knowledge("notes", kept_as="desk.notes")


def note_tools(note: Callable[[str], None]) -> list[AgentTool]:
    """A collection as tools of an agent, as the compiler writes them; ``note`` is told of each call."""

    async def remember(ctx: Any, key: str, args: RememberArgs) -> str:
        note(f"remember {args.text[0]}")
        return str(await ctx.remember(NOTES.of(key), args.text))

    async def search(ctx: Any, key: str, args: SearchArgs) -> list[Passage]:
        note(f"search {args.query}")
        return list(await ctx.retrieve(NOTES.of(key), args.query))

    return [
        AgentTool("notes.remember", remember, RememberArgs, takes_key="notes"),
        AgentTool("notes.search", search, SearchArgs, takes_key="notes"),
    ]


def knowing_written_down(log: Path) -> type[Workflow]:
    """The desk whose agent remembers three things, and answers with what it finds then."""
    note = noting(log)

    def answer(request: TurnRequest) -> TurnReply:
        assert_valid(request.said)
        turn = 1 + sum(one.role == "model" for one in request.said)
        note(f"think {turn}")
        if turn == 4:
            found = json.loads(request.said[-1].answers[0].text)
            return says(", ".join(sorted(each["text"] for each in found)))
        wanted = {1: ("A", "B"), 2: ("C",)}.get(turn, ())
        said = [call("notes_remember", json.dumps({"text": f"{each} is here"}), each) for each in wanted]
        return calls(*said, *([] if said else [call("notes_search", '{"query": "here"}', "s")]))

    agent = Agent("desk", TurnModel(answer), tools=note_tools(note), parallel_calls=1)
    return desk(agent, collection_keys={"notes": "ann"})


FLOWS = {
    "knowing": knowing_written_down,
    "saving": saving_written_down,
    "talk": talk_written_down,
    "code": code_written_down,
    "desk": written_down,
    "functions": functions_written_down,
    "team": team_written_down,
    "hand-over": hand_over_written_down,
    "workflows": workflows_written_down,
}


WANTED_IN_FLOWS = {
    "knowing": "think 1,remember A,remember B,think 2,remember C,think 3,search here,think 4",
    "desk": "think 1,find A,find B,think 2,find C,think 3",
    "functions": "think 1,find A,find B,think 2,find C,think 3",
    "team": "lead 1,lead 2,lead 3,think A 1,think A 3,think B 1,think B 3,think C 1,think C 3,find A,find B,find C",
    "code": "think 1,find A,find B,find C,think 3",
    "workflows": "think 1,find A,find B,think 3,find C,think 5",
    "saving": "think 1,find A,find B,think 2,find C,think 3",
    "hand-over": "first 1,find A,first 3,second 2,find B,find C,second 4",
}
"""The calls that each flow writes down."""


async def main(flow: str, store: str, log: str, run_id: str) -> None:
    kind = FLOWS[flow](Path(log))
    engine = Engine(store=store)
    engine.add(kind)
    if kind in CALLED:
        engine.add(CALLED[kind])
    try:
        handler = await engine.resume(run_id)
    except RunUnknownError:
        handler = kind(engine=engine).run(run_id=run_id, question="where?")
    print((await handler).text)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
