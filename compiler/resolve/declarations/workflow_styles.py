"""Agents with a style of their own: workflows that work out their replies, and what these take and give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Agent, OwnStyle
from wfc.compiler.model.agents import STYLES
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.declarations.agent_tools import fits_answer
from wfc.compiler.resolve.declarations.called_workflows import find_callee, unless_itself
from wfc.compiler.resolve.symbols.contracts import CalledWorkflow
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.rules import agents as problems
from wfc.compiler.rules import closest
from wfc.compiler.rules import files as file_problems
from wfc.compiler.types import (
    BOOLEAN,
    INTEGER,
    MESSAGE,
    STRING,
    UNKNOWN,
    ListOf,
    Optional,
    Record,
    Type,
    assignable,
    show,
)

__all__ = ["check_own_style", "own_style"]

GIVEN: Final[Mapping[str, Type]] = {
    "messages": ListOf(MESSAGE),
    "tools": STRING,
    "system": Optional(STRING),
    "turn": INTEGER,
    "last": BOOLEAN,
}
"""What a workflow may take that works out a reply."""


def own_style(data: Data, place: Place, declared: Declarations) -> OwnStyle | None:
    """Return the workflow that works out an agent's replies; ``None`` without one.

    Where it is not clear which workflow is meant, which is reported, it has no name.
    """
    written, at = data.get("style"), place / "style"
    if declared.is_broken(at.address):
        return OwnStyle("", (), None)
    if not isinstance(written, str) or written in STYLES:
        return None
    name = normal_form(written)
    project = declared.project
    if project.workflow(name) is None and name != declared.data.get("workflow"):
        known = (*STYLES, *(() if project.alone else project.workflows()))
        # a text that is no name, or that stands beside a model, is no workflow of another file
        is_none = not name or "${{" in name or "model" in data or closest(name, STYLES)
        if name not in known and (is_none or not project.alone):
            declared.report(file_problems.unknown_workflow(at, name, known, may_choose=False))
            return OwnStyle("", (), None)
        return OwnStyle(name, (), None)
    callee = find_callee(name, at, declared)
    found = unless_itself(None if callee is None else (callee,), declared)
    if found is None:
        return OwnStyle(name, (), None)
    start = found[0].start.fields
    for field in start.values():
        wanted = GIVEN.get(field.name)
        if wanted is None and field.required:
            why = f"it takes `{field.name}`, which no agent gives; it may take {listed(GIVEN)}"
            declared.report(problems.style_does_not_fit(at, name, why, found[0].at))
        elif wanted is not None and not assignable(wanted, field.type):
            why = f"`{field.name}` is {show(wanted)} there, and it takes {show(field.type)}"
            declared.report(problems.style_does_not_fit(at, name, why, found[0].at))
    if "messages" not in start:
        why = "it does not take `messages`, a `list of Message`, so that it would not know what was said"
        declared.report(problems.style_does_not_fit(at, name, why, found[0].at))
    return OwnStyle(name, tuple(each for each in GIVEN if each in start), found[0])


def check_own_style(agent: Agent, data: Data, place: Place, declared: Declarations) -> None:
    """Report what does not go with an agent's own style: its workflow's ends, and keys that have no effect."""
    style = agent.own_style
    if style is None or not style.workflow:
        return
    at = place / "style"
    if style.callee is not None:
        for why in wrong_in_ends(agent, style.callee):
            declared.report(problems.style_does_not_fit(at, style.workflow, why, style.callee.at))
    for key, why in (
        ("model", "that asks models of its own"),
        ("handoffs", "nobody goes on in its place"),
        ("thread", "its talk is not kept"),
        ("retry", "its own steps are tried again"),
        ("timeout", "its own steps have time-outs; `within` bounds the whole"),
    ):
        if key in data:
            declared.report(problems.not_in_own_style((place / key).key, agent.name, key, why))


def wrong_in_ends(agent: Agent, callee: CalledWorkflow) -> Iterator[str]:
    """Yield what is wrong with the ends of a workflow that works out the replies of an agent."""
    for name, end in callee.ends:
        both = [key for key in ("answer", "calls") if key in end.fields]
        if len(both) != 1:
            has = "both `answer` and `calls`" if both else "neither `answer` nor `calls`"
            yield f"its end {name} has {has}"
        elif both == ["answer"] and not fits_answer(end.fields["answer"].type, agent.output):
            given = show(end.fields["answer"].type)
            yield f"`answer` of its end {name} is {given}, and the agent's answer is {show(agent.output)}"
        elif both == ["calls"] and not are_calls(end.fields["calls"].type):
            yield f"`calls` of its end {name} is to be a list of records with `tool`, a text, and `args`"
    if any(len({"answer", "calls"} & end.fields.keys()) != 1 for _, end in callee.ends):
        return
    names = {key for _, end in callee.ends for key in end.fields}
    if "answer" not in names:
        yield "none of its ends has an `answer`, so that the agent would never be done"
    if agent.tools and "calls" not in names:
        yield "none of its ends has `calls`, so that the agent's tools are never called"


def are_calls(type: Type) -> bool:
    """Return whether a type says which tools are to be called."""
    item = type.item if isinstance(type, ListOf) else UNKNOWN
    if not isinstance(item, Record):
        return type is UNKNOWN
    tool, args = item.fields.get("tool"), item.fields.get("args")
    return tool is not None and assignable(tool.type, STRING) and args is not None


def listed(names: Mapping[str, Type]) -> str:
    return ", ".join(f"`{each}`" for each in names)
