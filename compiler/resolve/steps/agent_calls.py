"""Steps that call an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope
from wfc.compiler.model import Agent, AgentCall, Save, Value
from wfc.compiler.model.agents import writes_code
from wfc.compiler.model.step_keys import OF_THE_AGENT
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.declarations import agents, threads
from wfc.compiler.resolve.steps.saves import resolve_saves
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.resolve.values.texts import read_prompt
from wfc.compiler.rules import agents as problems
from wfc.compiler.rules import shape as shape_problems
from wfc.compiler.rules import steps as step_problems
from wfc.compiler.types import FILE, MESSAGE, STRING, UNKNOWN, ListOf, Record, Type

__all__ = ["agent_result", "resolve_agent_call", "resolve_talk"]


def agent_result(data: Data, own: Type | None, declared: Declarations) -> Type:
    """Return the type of an agent's answer: the step's `output`, or the agent's own; otherwise a text."""
    if own is not None:
        return own
    name = data.get("agent")
    if not isinstance(name, str):
        return STRING
    found = declared.agents.nodes.get(normal_form(name))
    return found.output if found is not None else UNKNOWN


def resolve_agent_call(
    name: str,
    data: Data,
    place: Place,
    result: Type | None,
    scope: Scope,
    declared: Declarations,
    reader: ValueReader,
    shown: tuple[str, ...] = (),
) -> AgentCall | None:
    """Return the call of an agent, which `agents` declares or which stands in the step."""

    def saves(saved: object, at: Place, seen: Scope) -> tuple[Save, ...]:
        return resolve_saves(saved, at, seen, declared, reader)

    system = (
        read_prompt(data["system"], place / "system", scope, declared, reader) if "system" in data else None
    )
    output = UNKNOWN if result is None else result
    if "agent" in data:
        agent = declared.agents.find(str(data["agent"]), place / "agent", declared.report)
        for key in OF_THE_AGENT:
            if key in data:
                declared.report(problems.agent_said_twice((place / key).key, key, str(data["agent"])))
        agents.look_up({key: data[key] for key in ("model", "tools") if key in data}, place, declared)
    elif declared.is_broken((*place.address, "agent")):
        agent = None
    else:
        agent = agents.resolve_agent(
            name, data, place, declared, output=output, scope=scope, reader=reader, saves=saves
        )
    if "on_timeout" in data and "within" not in data and not declared.is_broken((*place.address, "within")):
        declared.report(
            step_problems.key_without_companion((place / "on_timeout").key, "on_timeout", "within")
        )
    prompt = None
    if "prompt" in data:
        prompt = read_prompt(data["prompt"], place / "prompt", scope, declared, reader)
    own = data.get("limits")
    limits = own if isinstance(own, Mapping) and "agent" in data else {}
    args = given_args(name, agent, data, place, scope, declared, reader)
    thread = None
    if "thread" in data:
        thread = threads.resolve_thread(data["thread"], place / "thread", scope, declared, reader)
    history = None
    if "history" in data:
        history = reader.value(data["history"], place / "history", ListOf(MESSAGE), scope)
        if "thread" in data:
            declared.report(problems.history_beside_thread((place / "history").key))
    if agent is not None and "thread" in data and writes_code(agent):
        declared.report(problems.not_in_code((place / "thread").key, agent.name, "its talk is not kept"))
    if agent is not None and agent.own_style is not None and agent.own_style.workflow:
        report_in_own_style(agent, data, place, declared, shown)
    if (
        agent is None
        or (agent.model is None and agent.own_style is None)
        or (prompt is None and args is None)
    ):
        return None
    return AgentCall(agent, prompt, system, output, shown, args, limits, thread=thread, history=history)


def report_in_own_style(
    agent: Agent, data: Data, place: Place, declared: Declarations, shown: tuple[str, ...]
) -> None:
    """Report what a step says of calls of a model, whose agent asks none itself."""
    for key in ("thread", "retry", "timeout") if "agent" in data else ():
        if key in data:
            why = "its talk is not kept" if key == "thread" else "steps of the workflow have it"
            declared.report(problems.not_in_own_style((place / key).key, agent.name, key, why))
    for key in ("tokens", "thinking"):
        if key in shown:
            why = "steps of the workflow show what their models say"
            at = (place / "stream" / key).key
            declared.report(problems.not_in_own_style(at, agent.name, key, why))


MOST_REPLIES: Final = 3
"""How often the model of an `llm` step is asked for one answer: what does not fit is sent back twice."""

NOT_IN_TALKS: Final = {
    "cache": "what was said before is another thing each time",
}


def resolve_talk(
    name: str,
    data: Data,
    place: Place,
    result: Type | None,
    scope: Scope,
    declared: Declarations,
    reader: ValueReader,
    shown: tuple[str, ...],
) -> AgentCall | None:
    """Return the call of a model in a thread: it works as an agent without tools, whose talk is kept."""
    output = UNKNOWN if result is None else result
    agent = agents.begin_agent(
        name,
        {"model": data.get("model")} if "model" in data else {},
        place,
        declared,
        system=None,
        output=output,
    )
    agent.bounds.update(max_turns=MOST_REPLIES, asks_once=True)
    prompt = read_prompt(data.get("prompt", ""), place / "prompt", scope, declared, reader)
    system = None
    if "system" in data:
        system = read_prompt(data["system"], place / "system", scope, declared, reader)
    thread = threads.resolve_thread(data["thread"], place / "thread", scope, declared, reader)
    for key, why in NOT_IN_TALKS.items():
        if key in data and data[key] is not False:
            declared.report(problems.not_with_thread((place / key).key, key, why))
    files = None
    if "files" in data:
        files = reader.value(data["files"], place / "files", ListOf(FILE), scope)
    if "partial" in shown:
        why = "an answer in it is shown as text, or when it is whole"
        declared.report(problems.not_with_thread((place / "stream" / "partial").key, "partial", why))
    if "history" in data:
        reader.value(data["history"], place / "history", ListOf(MESSAGE), scope)
        declared.report(problems.history_beside_thread((place / "history").key))
    if agent.model is None or thread is None:
        return None
    return AgentCall(agent, prompt, system, output, shown, thread=thread, files=files)


def given_args(
    name: str,
    agent: Agent | None,
    data: Data,
    place: Place,
    scope: Scope,
    declared: Declarations,
    reader: ValueReader,
) -> tuple[tuple[str, Value], ...] | None:
    """Return what an agent is given by `with`; ``None`` if it is asked by a prompt alone."""
    given, at = data.get("with"), place / "with"
    args = None if agent is None else agent.args
    if isinstance(given, Mapping):
        if agent is not None and args is not None:
            return reader.fields(given, at, args, agent.name, scope)
        if "agent" not in data and not declared.is_broken((*place.address, "agent")):
            declared.report(step_problems.key_without_companion(at.key, "with", "agent"))
        for key, each in given.items():
            reader.value(each, at / str(key), UNKNOWN, scope)
        return None
    if any(declared.is_broken((*place.address, key)) for key in ("prompt", "with", "agent")):
        return None
    if "prompt" not in data:
        hint = "write what the agent is asked"
        if args is not None:
            hint = f"write what the agent is asked, or give it {listed(args)} by `with`"
        declared.report(shape_problems.missing_key(place.key, f"`{name}`", ["prompt"], hint))
    elif agent is not None and args is not None and agent.needs_args:
        declared.report(problems.args_not_given(place.key, name, agent.name, listed(args)))
    return None


def listed(args: Record) -> str:
    return ", ".join(f"`{each}`" for each in args.fields) or "nothing"
