"""Scripts for the models, the tools and the people of agents, made of what they said in a stored run."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from wfc.runtime.agents.code import RUN_PYTHON
from wfc.runtime.agents.definition import Agent
from wfc.runtime.agents.events import AgentInput, AgentOutput, ApprovalForm, CallDone, JudgedReply
from wfc.runtime.agents.loop_steps import AgentSteps
from wfc.runtime.agents.threads import Transcript, summary_in
from wfc.runtime.agents.turns import was_cut
from wfc.runtime.calls.asking import ToolAnswer
from wfc.runtime.calls.transcripts import ANSWER_TOOL
from wfc.runtime.driver.engine import Engine
from wfc.runtime.driver.engine.kept_values import values_of
from wfc.runtime.errors import StoreError
from wfc.runtime.testing.answers import MockAnswer, ScriptedReply
from wfc.runtime.testing.preparing import SpecTest
from wfc.runtime.testing.recorded import RunReader
from wfc.runtime.values.outputs import plain_type

__all__ = ["scripts_as_data", "with_scripts"]

LONGEST_ASKED: Final = 80

_PLAIN: Final = ("string", "integer", "number", "boolean")
"""The types that a form in a script may have; a field of another one takes anything."""

_NOT_MADE: Final = ("agent.unknown_tool", "agent.arguments")
"""Errors of calls that no tool has seen, so that none has to be given."""


@dataclass(slots=True)
class _Scripts:
    """What was noted, by step or agent, and by tool."""

    replies: dict[str, list[ScriptedReply]] = field(default_factory=dict)
    tools: dict[str, list[MockAnswer]] = field(default_factory=dict)
    people: dict[str, list[MockAnswer]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)


class _LoopReader(RunReader):
    """A reader of an agent's loop, which knows of each reply to which event it was, and which agent was at work."""

    def __init__(self, loop: AgentSteps, *args: Any) -> None:
        super().__init__(*args)
        self.loop = loop
        self.step = ""  # of the run at the top, which lets the agent work
        self.noted: list[tuple[Any, Agent, Any, bool]] = []

    def read(self, body: bytes) -> None:
        """Read the next tick."""
        execution = self.replay.execution
        state = execution.state
        runs = [*execution.in_flight.values(), *(pause.run for pause in execution.paused.values())]
        events = {one.number: one.event for one in runs}
        known = len(self.replies)
        super().read(body)
        for reply in self.replies[known:]:
            at_work = self.loop.at_work(state)
            self.noted.append((reply, at_work, events.get(reply.number), state.at_work is None))

    def calls_not_made(self) -> set[str]:
        """Return the ids of calls that no tool has seen; a spec's script cannot even say them."""
        noted = self.lasting()
        return {
            event.call.id
            for reply, _, event, _ in noted
            if reply.error in _NOT_MADE and hasattr(event, "call")
        }

    def lasting(self) -> Iterator[tuple[Any, Agent, Any, bool]]:
        """Yield what was noted and not undone later."""
        return (each for each in self.noted if self.replay.counts(each[0].seq))


def with_scripts(engine: Engine, run_id: str, case: SpecTest) -> tuple[SpecTest, list[str]]:
    """Return a test made of a run in which its agents have scripts, in place of one answer for all that they did; and
    a sentence for each thing that no script can say, and that is left out.

    Raises:
        StoreError: What is kept does not say enough, or something was asked that no script can say.
    """
    loops = list(_loops(engine, run_id, run_id, ""))
    often = Counter(name for name, _ in loops)
    found = _Scripts()
    for name, reader in loops:
        inputs = reader.replay.execution.inputs
        assert isinstance(inputs, AgentInput)
        asked = inputs.prompt[:LONGEST_ASKED] if often[name] > 1 else ""
        unmade = reader.calls_not_made()
        for reply, agent, event, is_first in reader.lasting():
            if reply.step == "think":
                known, words = (name, asked) if is_first else (agent.name, "")
                said = _scripted(reply.value, reply.error, agent, words, unmade)
                found.replies.setdefault(known, []).extend(said)
                found.left_out.update(_left_out(reply.value, unmade))
            elif reply.step == "recall":
                _note_summary(found, reader, reply)
            else:
                _note(found, reply, agent, event)
    scripted = {reader.step for _, reader in loops}
    notes = [f"{said} ({times} times)" if times > 1 else said for said, times in found.left_out.items()]
    scripted_case = replace(
        case,
        mock={step: answers for step, answers in case.mock.items() if step not in scripted},
        script=found.replies,
        tools=found.tools,
        people=found.people,
    )
    return scripted_case, notes


def _left_out(value: Any, unmade: Collection[str]) -> Iterator[str]:
    """Yield what a script cannot say of a reply."""
    if value is None:
        return
    judged = JudgedReply.model_validate(value)
    for call in judged.reply.calls:
        if call.tool != ANSWER_TOOL and (call.id in unmade or call.id in judged.told):
            yield f"a call of `{call.tool}` that was not made"
    if was_cut(judged.reply.text):
        yield "the end of a reply that was too long to be kept"


def _note_summary(found: _Scripts, reader: _LoopReader, reply: Any) -> None:
    """Note the summary of the older part of a thread, if a model was asked for one."""
    thread = getattr(reader.loop, "thread", None)
    is_asked = any(line.number == reply.number and line.tokens for line in reader.replay.lines())
    if thread is None or not is_asked:
        return
    name = thread.name.rpartition(".")[2]
    if reply.error is not None:
        raise StoreError(
            f"the thread `{name}` could not be summed up ({reply.error}), which no script can say"
        )
    said = Transcript.model_validate(reply.value).said
    found.replies.setdefault(name, []).append(ScriptedReply(say=summary_in(said)))


def _loops(engine: Engine, root: str, run_id: str, step: str) -> Iterator[tuple[str, _LoopReader]]:
    """Yield the agents' loops below a run, each with the name that its script has."""
    for part in engine.parts_of(run_id):
        row = engine.show(part)
        workflow = engine.workflow(row.workflow, version=row.version)
        if not isinstance(workflow, AgentSteps):
            continue  # a workflow that is a tool gives its end
        own = step or part.removeprefix(f"{root}/").partition("/")[0]
        reader = _LoopReader(workflow, engine.replay(part), values_of(workflow))
        reader.step = own
        for body in engine.bodies_of(part):
            reader.read(body)
        yield own if not step else workflow.agent.name, reader
        yield from _loops(engine, root, part, own)


def _note(found: _Scripts, reply: Any, agent: Agent, event: Any) -> None:
    """Note what a tool gave, or what a person said."""
    asking = getattr(event, "allowed", event)  # of a question of a tool, the call in which it asks
    call = getattr(asking, "call", None)
    tool = None if call is None else agent.by_name.get(call.tool)
    if tool is None or reply.error in _NOT_MADE:
        return
    if reply.step in ("approve", "ask"):
        said = _said if reply.step == "approve" else _answered
        found.people.setdefault(tool.name, []).append(said(reply.value, reply.error))
    elif reply.error is not None and reply.step in ("call", "delegate") and tool.agent is None:
        if getattr(event, "answers", ()):
            raise StoreError(
                f"the tool `{tool.name}` failed after it had asked a person, which no script can say"
            )
        found.tools.setdefault(tool.name, []).append(MockAnswer(error=reply.error))
    elif reply.step == "call":
        done = CallDone.model_validate(reply.value)
        if done.question is None and done.goes_on is None:
            asks = _asks(tool.name, event.answers)
            found.tools.setdefault(tool.name, []).append(MockAnswer(_value(done), asks=asks))
    elif reply.step == "delegate" and tool.workflow:
        answer = AgentOutput.model_validate(reply.value).answer
        found.tools.setdefault(tool.name, []).append(MockAnswer(json.loads(answer)))


def _asks(tool: str, answers: Sequence[ToolAnswer]) -> dict[str, Any] | None:
    """Return what a tool has asked in a call, by a form as a script says it; ``None``: nothing.

    Raises:
        StoreError: No script can say it.
    """
    if not answers:
        return None
    if len(answers) > 1:
        raise StoreError(f"the tool `{tool}` asked more than once in one call, which no script can say")
    title, form = answers[0].question.title, answers[0].question.form
    fields: Mapping[str, Any] = form.get("properties", {})
    if not all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in fields):
        raise StoreError(f"the tool `{tool}` asked for fields whose names no script can say")
    properties = {
        name: {"type": one["type"]} if isinstance(one, Mapping) and one.get("type") in _PLAIN else {}
        for name, one in fields.items()
    }
    required = [name for name in form.get("required", ()) if name in properties]
    plain = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"title": title, "form": plain}


def _value(done: CallDone) -> Any:
    """Return the result of a call."""
    if done.value is not None:
        return json.loads(done.value)
    return done.text if done.is_text else json.loads(done.text)


def _said(value: Any, error: str | None) -> MockAnswer:
    """Return what a person has said to a call."""
    if error is not None:
        return MockAnswer(error="timeout")
    form = ApprovalForm.model_validate(value)
    return MockAnswer({key: each for key, each in form.model_dump().items() if each is not None})


def _answered(value: Any, error: str | None) -> MockAnswer:
    """Return what a person has answered to a tool."""
    return MockAnswer(error="timeout") if error is not None else MockAnswer(dict(value))


def _scripted(
    value: Any, error: str | None, agent: Agent, asked: str, unmade: Collection[str]
) -> Iterator[ScriptedReply]:
    """Yield what a model has replied as a script says it: nothing for one that came to no call.

    Args:
        unmade: The ids of calls that were not made.
    """
    if error is not None:
        yield ScriptedReply(error=error, asked=asked)
        return
    judged = JudgedReply.model_validate(value)
    if judged.answer is not None:
        answer = json.loads(judged.answer)
        if plain_type(agent.output) not in (None, str):
            yield ScriptedReply(give=(answer,), asked=asked)
        else:
            yield ScriptedReply(say=f"Answer: {answer}" if agent.style == "react" else answer, asked=asked)
        return
    calls: list[tuple[str, Mapping[str, object]]] = []
    for call in judged.reply.calls:
        args = json.loads(call.args or "{}")
        if call.tool == RUN_PYTHON and agent.style == "code":
            yield ScriptedReply(code=str(args.get("code", "")), asked=asked)
            return
        if call.tool != ANSWER_TOOL and call.id not in unmade and call.id not in judged.told:
            known = agent.by_name.get(call.tool)
            calls.append((call.tool if known is None else known.name, args))
    if calls or (judged.reply.text and not judged.reply.calls):
        yield ScriptedReply(say="" if calls else judged.reply.text, calls=calls, asked=asked)


def scripts_as_data(case: SpecTest) -> dict[str, Any]:
    """Return the scripts of a test as they stand in a spec."""
    data: dict[str, Any] = {}
    if case.script:
        data["script"] = {name: [_reply(each) for each in replies] for name, replies in case.script.items()}
    if case.tools:
        data["tools"] = {name: [_answer(each) for each in answers] for name, answers in case.tools.items()}
    if case.people:
        data["people"] = {name: [_person(each) for each in answers] for name, answers in case.people.items()}
    return data


def _reply(reply: ScriptedReply) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if reply.error is not None:
        found["error"] = reply.error
    elif reply.give:
        found["give"] = reply.give[0]
    elif reply.code:
        found["code"] = reply.code
    elif reply.calls:
        found["calls"] = [_call(tool, args) for tool, args in reply.calls]
    else:
        found["say"] = reply.say
    return {**found, "asked": reply.asked} if reply.asked else found


def _call(tool: str, args: Mapping[str, object]) -> dict[str, Any]:
    other = tool.removeprefix("hand_over_to_")
    found: dict[str, Any] = {"tool": tool} if other == tool else {"hand_over": other}
    return {**found, "with": dict(args)} if args else found


def _answer(answer: MockAnswer) -> Any:
    if answer.error is not None:
        return {"error": answer.error}
    if answer.asks is not None:
        return {
            "ask": {"title": answer.asks["title"], "form": _form(answer.asks["form"])},
            "then": answer.value,
        }
    return {"give": answer.value} if isinstance(answer.value, dict) else answer.value


def _form(schema: Mapping[str, Any]) -> dict[str, str]:
    """Return a form as a spec says its fields."""
    required = schema["required"]
    return {
        name: ("" if name in required else "optional ") + one.get("type", "any")
        for name, one in schema["properties"].items()
    }


def _person(answer: MockAnswer) -> dict[str, Any]:
    if answer.error is not None:
        return {"error": "timeout"}
    assert isinstance(answer.value, dict)
    if "decision" not in answer.value:
        return answer.value
    return {("with" if key == "args" else key): each for key, each in answer.value.items()}
