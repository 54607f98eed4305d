"""Steps that call an agent."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope, Template
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.declarations.agents import approved, handoffs, tools
from wfc.compiler.resolve.declarations.defaults import step_model
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.resolve.values.texts import read_prompt
from wfc.compiler.rules import shape as shape_problems
from wfc.compiler.types import MESSAGE, STRING, UNKNOWN, ListOf, Type

__all__ = ["agent_result", "resolve_agent_call"]


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
    name: str, data: Data, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> Template | None:
    """Return the prompt of a step that calls an agent; look up everything else in it and report mistakes."""
    if isinstance(data.get("agent"), str):
        declared.agents.find(str(data["agent"]), place / "agent", declared.report)
    elif not declared.is_broken((*place.address, "agent")):
        step_model(data, place, name, declared)
    if "system" in data:
        read_prompt(data["system"], place / "system", scope, declared, reader)
    known = tools(data, place, declared)
    handoffs(data, place, declared)
    if "tools" in data or "agent" not in data:
        approved(data, place, known, declared)
    for key, wanted in (("history", ListOf(MESSAGE)), ("memory", UNKNOWN)):
        if key in data:
            reader.value(data[key], place / key, wanted, scope)
    if "prompt" in data:
        return read_prompt(data["prompt"], place / "prompt", scope, declared, reader)
    if not declared.is_broken((*place.address, "prompt")):
        declared.report(
            shape_problems.missing_key(place.key, f"`{name}`", ["prompt"], "write what the agent is asked")
        )
    return None
