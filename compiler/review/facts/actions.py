"""What steps do, as facts."""

from __future__ import annotations

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions import Expression
from wfc.compiler.model import (
    Action,
    AgentCall,
    AskPerson,
    CommandCall,
    ForgetCall,
    HttpCall,
    LlmCall,
    MapItems,
    Model,
    RememberCall,
    RetrieveCall,
    SendEvent,
    ThreadUse,
    ToolCall,
    WaitEvent,
    WaitFor,
    WaitUntil,
    WorkflowCall,
)
from wfc.compiler.review.facts.calls import command, request, values
from wfc.compiler.review.facts.places import Fact, Places
from wfc.compiler.review.facts.texts import bound, duration, expression, text, value
from wfc.compiler.review.facts.types import fields, shape
from wfc.compiler.types import show

__all__ = ["action_facts"]


def action_facts(places: Places, action: Action | None, address: Address) -> Fact | None:
    """Return what a step does; ``None`` if it only saves and chooses.

    Args:
        address: The step's, or that of the `do` of a `map`.
    """
    if action is None:
        return None
    match action:
        case LlmCall():
            found = _llm(places, action)
        case ToolCall():
            found = {"does": "tool", "tool": action.tool.name, "args": values(places, action.args)}
        case HttpCall():
            found = {"does": "http", "request": request(places, action.request, address)}
        case CommandCall():
            found = {"does": "command", "command": command(places, action.command, address)}
        case WorkflowCall():
            found = _workflow(places, action)
        case AgentCall():
            found = _agent(places, action)
        case RetrieveCall():
            found = {
                "does": "retrieve",
                "knowledge": [each.name for each in action.knowledge],
                "query": text(places, action.query),
                "top": action.top,
                "that": None if action.that is None else expression(places, action.that),
                "neighbours": action.neighbours,
                "parent": action.parent,
                "fetch": action.fetch,
                "min_score": action.min_score,
                "unlike": action.unlike,
                "rerank": action.rerank.name if isinstance(action.rerank, Model) else action.rerank,
            }
        case RememberCall():
            found = {
                "does": "remember",
                "knowledge": [action.knowledge.name],
                "text": text(places, action.text),
                "about": values(places, action.about),
            }
        case ForgetCall():
            passage = None if action.passage is None else text(places, action.passage)
            found = {"does": "forget", "knowledge": [action.knowledge.name], "id": passage}
        case MapItems():
            found = _map(places, action, address)
        case _:
            found = _pause(places, action, address)
    return {"at": places.at(address), **found}


def _llm(places: Places, action: LlmCall) -> Fact:
    shown = [name for name in ("stream", "partial", "thinking") if getattr(action, name)]
    return {
        "does": "llm",
        "model": action.model.name,
        "prompt": text(places, action.prompt),
        "system": None if action.system is None else text(places, action.system),
        "history": None if action.history is None else value(places, action.history),
        "files": None if action.files is None else value(places, action.files),
        "output": {"type": shape(action.output), "text": show(action.output)},
        "shown": shown,
    }


def _workflow(places: Places, action: WorkflowCall) -> Fact:
    return {
        "does": "workflow",
        "workflows": list(action.workflows),
        "chosen_by": None if action.chosen_by is None else expression(places, action.chosen_by),
        "inputs": values(places, action.inputs),
        "detach": action.detach,
    }


def _agent(places: Places, action: AgentCall) -> Fact:
    return {
        "does": "agent",
        "agent": action.agent.name,
        "prompt": None if action.prompt is None else text(places, action.prompt),
        "system": None if action.system is None else text(places, action.system),
        "args": None if action.args is None else values(places, action.args),
        "output": {"type": shape(action.output), "text": show(action.output)},
        "shown": list(action.shown),
        "limits": {name: _limit(places, each) for name, each in action.limits.items()},
        "thread": None if action.thread is None else _thread(places, action.thread),
        "history": None if action.history is None else value(places, action.history),
        **({} if action.files is None else {"files": value(places, action.files)}),
    }


def _limit(places: Places, given: object) -> object:
    return expression(places, given) if isinstance(given, Expression) else given


def _thread(places: Places, given: ThreadUse) -> Fact:
    """Return the talk that an agent goes on with."""
    thread = given.thread
    return {
        "at": places.at(thread.address),
        "name": thread.name,
        "key": None if thread.key is None else expression(places, thread.key),
        "messages": thread.messages,
        "tokens": thread.tokens,
        "summarize": None if thread.summarize is None else thread.summarize.name,
        "keep": thread.seconds,
        "say": None if given.say is None else text(places, given.say),
        "read_only": given.read_only,
    }


def _map(places: Places, action: MapItems, address: Address) -> Fact:
    return {
        "does": "map",
        "as": action.name,
        "items": expression(places, action.items),
        "max": bound(places, action.max, (*address, "max")),
        "keep": None if action.keep is None else expression(places, action.keep),
        "do": action_facts(places, action.do, (*address, "do")),
        "give": None if action.give is None else value(places, action.give),
        "on_item_error": action.on_item_error,
        "instead": None if action.instead is None else value(places, action.instead),
    }


def _pause(places: Places, action: Action, address: Address) -> Fact:
    match action:
        case AskPerson():
            return _question(places, action, address)
        case WaitFor():
            return {"does": "wait", "for": duration(places, action.seconds, (*address, "for"))}
        case WaitUntil():
            return {"does": "wait", "until": expression(places, action.moment)}
        case WaitEvent():
            that = None if action.that is None else expression(places, action.that)
            return {"does": "wait", "events": [event.name for event in action.events], "that": that}
    assert isinstance(action, SendEvent)
    return {
        "does": "send",
        "event": action.emit.event.name,
        "fills": {fill.field: value(places, fill.value) for fill in action.emit.fills},
        "to": action.to,
        "key": None if action.to_key is None else expression(places, action.to_key),
        "topic": action.topic,
        "if_absent": action.if_absent,
    }


def _question(places: Places, action: AskPerson, address: Address) -> Fact:
    return {
        "does": "human",
        "title": text(places, action.title),
        "show": None if action.show is None else text(places, action.show),
        "form": None if action.form is None else fields(places, action.form),
        "choices": {name: expression(places, each) for name, each in action.choices},
        "prefill": values(places, action.prefill),
        "assign": [text(places, each) for each in action.assign],
        "quorum": bound(places, action.quorum, (*address, "quorum")),
        "remind": duration(places, action.remind, (*address, "remind")),
    }
