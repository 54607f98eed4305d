"""The tools of agents: what the model chooses of their arguments, and which calls a person has to allow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope
from wfc.compiler.model import Agent, Approval, Save, Tool, ToolUse, Value
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.declarations import called_workflows, operations
from wfc.compiler.resolve.declarations.agent_collections import as_collection_tool, collection_of
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.assignees import assigned
from wfc.compiler.resolve.values.durations import duration
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.resolve.values.scopes import namespace
from wfc.compiler.resolve.values.texts import read_prompt
from wfc.compiler.rules import agents as problems
from wfc.compiler.rules import operations as operation_problems
from wfc.compiler.rules import undeclared as undeclared_problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.slotted import dataclass, replace
from wfc.compiler.types import Record, Type, assignable, show

__all__ = ["SaveReader", "ToolReader"]


SaveReader = Callable[[object, Place, Scope], tuple[Save, ...]]


@dataclass(frozen=True, slots=True)
class ToolReader:
    """Reads the tools of an agent.

    Args:
        scope: What they may mention.
        output: The type of the agent's answer.
        saves: Reads what is saved when a call is done; ``None``: the agent stands in no step.
    """

    declared: Declarations
    reader: ValueReader
    scope: Scope
    output: Type
    saves: SaveReader | None = None

    def uses(self, data: Data, place: Place) -> list[ToolUse]:
        """Return the tools that a model may use, each once."""
        found: dict[str, ToolUse] = {}
        listed = data.get("tools")
        for index, written in enumerate(listed if isinstance(listed, list) else ()):
            at = place / "tools" / index
            entry: Data = written if isinstance(written, Mapping) else {"tool": written}
            named = at / "tool" if isinstance(written, Mapping) else at
            name = entry.get("tool")
            tool, agent = self.find(str(name), named) if isinstance(name, str) else (None, None)
            for each in () if tool is None else self.operations(tool, entry, named):
                if each.name in found:
                    self.declared.report(
                        problems.tool_listed_twice(named, each.name, whole=entry == {"tool": each.name})
                    )
                elif agent is None:
                    self.check(each, named)
                elif (
                    agent.address != place.address
                    and not agent.description
                    and not self.is_description_broken(agent)
                ):
                    at_home = Place(agent.address).key
                    self.declared.report(problems.agent_without_description(named, agent.name, at_home))
                found.setdefault(each.name, self.use(each, agent, entry, at))
            if entry.get("final") is True and data.get("style") == "code":
                why = "the result of a tool is a value in its code"
                self.declared.report(problems.not_in_code((at / "final").key, str(place.address[-1]), why))
        return list(found.values())

    def operations(self, tool: Tool, data: Data, place: Place) -> Sequence[Tool]:
        """Return what a name stands for: a tool, or all operations of a service, a server or a collection."""
        used = self.declared.tools.used
        used.add(tool.group)
        if tool.operations is None:
            return (tool,)
        if {"with", "final", "save"} & data.keys():
            one = operations.one_operation(tool, place, self.declared)
            found: Sequence[Tool] = () if one is None else (one,)
        else:
            found = tool.operations
        used.update(each.name for each in found)
        return found

    def find(self, name: str, place: Place) -> tuple[Tool | None, Agent | None]:
        """Return the tool of a name; for that of an agent what it is as a tool, and the agent."""
        own, agents, tools = normal_form(name), self.declared.agents, self.declared.tools
        agent = agents.nodes.get(own)
        if agent is not None and agent.args is not None:
            agents.used.add(own)
            return as_tool(agent, agent.args), agent
        group = own.partition(".")[0]
        is_tool = bool({own, group} & {*tools.nodes, *tools.broken})
        if own in agents.broken:
            return None, None
        if not is_tool and (group in self.declared.knowledge.nodes or not (tools.unread or agents.unread)):
            return self.collection(own, group, place), None
        if agents.unread and own not in tools.nodes:
            return None, None
        tool = operations.find_tool(name, place, self.declared)
        if tool is not None and tool.workflow is not None:
            tool = called_workflows.as_tool(tool, self.declared)
        return tool, None

    def collection(self, name: str, group: str, place: Place) -> Tool | None:
        """Return a collection as a tool, or one of its operations; ``None`` if it is broken, or with a finding."""
        agents, tools, knowledge = self.declared.agents, self.declared.tools, self.declared.knowledge
        known = {each: None for table in (tools, agents, knowledge) for each in (*table.nodes, *table.broken)}
        found = knowledge.nodes.get(group)
        if found is not None:
            knowledge.used.add(group)
            whole = as_collection_tool(found, self.declared)
            operations = {each.name: each for each in whole.operations or ()}
            if name == group or name in operations:
                return whole if name == group else operations[name]
            known |= dict.fromkeys(operations)
        unread = agents.unread or tools.unread or knowledge.unread  # any name may be one of theirs
        if not unread and group not in knowledge.broken:
            self.declared.report(undeclared_problems.unknown_tool(place, name, tuple(known)))
        return None

    def is_description_broken(self, agent: Agent) -> bool:
        """Return whether what an agent says of itself is wrong, which is told there."""
        broken = self.declared.is_broken
        return broken(agent.address) or broken((*agent.address, "description"))

    def check(self, tool: Tool, place: Place) -> None:
        """Report a tool that no model can call."""
        if self.declared.is_broken((*tool.address, "args")):
            pass  # what it takes could not be read, which is told there
        elif tool.mcp is not None and not tool.declares_args:
            self.declared.report(
                operation_problems.server_not_pinned(place, tool.name, self.declared.project.path)
            )
        elif not tool.declares_args and tool.python is not None:
            declared = Place(tool.address).key
            self.declared.report(problems.tool_without_args(place, tool.name, declared))

    def use(self, tool: Tool, agent: Agent | None, data: Data, place: Place) -> ToolUse:
        """Return a tool as the agent has it."""
        given = data.get("with")
        bound: dict[str, Value] = {}
        if isinstance(given, dict):
            bound = self.reader.given(given, place / "with", tool.args.fields, f"`{tool.name}`", self.scope)
        strange = isinstance(given, dict) and len(bound) < len(given)
        rest = {name: field for name, field in tool.args.fields.items() if name not in bound}
        if strange or self.declared.is_broken((*place.address, "with")):
            # what is wrong there, and told there, may be any of them
            rest = {name: replace(field, has_default=True) for name, field in rest.items()}
        free = Record(tool.args.name, rest, role="namespace", address=tool.args.address)
        final = data.get("final") is True
        several = f"`{tool.name}` ends with one of several events, and "
        if final and tool.ends:
            why = f"{several}an agent's answer is a value"
            self.declared.report(value_problems.wrong_value(place / "final", why))
        elif final and not fits_answer(tool.output, self.output):
            why = f"`{tool.name}` gives {show(tool.output)}, and the agent's answer is {show(self.output)}"
            self.declared.report(value_problems.wrong_value(place / "final", why))
        approve = data.get("approve")
        approval = self.approval(approve, place / "approve", tool) if isinstance(approve, Mapping) else None
        ordered = tuple((name, bound[name]) for name in tool.args.fields if name in bound)
        when = None
        if "when" in data:
            when = self.reader.condition(data["when"], place / "when", self.scope)
        save: tuple[Save, ...] = ()
        if "save" in data and tool.ends:
            why = f"{several}what is saved is worked out of one result"
            hint = "let a step of kind `workflow` run it, or give that workflow one end event"
            self.declared.report(value_problems.wrong_value((place / "save").key, why, hint))
        elif "save" in data:
            save = self.saved(data["save"], place / "save", tool)
        collection = None if agent is not None else collection_of(tool, self.declared)
        return ToolUse(
            tool, ordered, free, final, approval, agent, place.address, when, save, collection=collection
        )

    def saved(self, data: object, place: Place, tool: Tool) -> tuple[Save, ...]:
        """Return what is saved when a call of a tool is done."""
        if self.saves is None:
            self.declared.report(problems.save_outside_step(place.key, tool.name))
            return ()
        called = self.scope.with_name("call", namespace("call", args=tool.args))
        return self.saves(data, place, called.with_name("result", tool.output))

    def approval(self, data: Data, place: Place, tool: Tool) -> Approval:
        """Return how a person allows the calls of a tool."""
        scope = self.scope.with_name("call", namespace("call", args=tool.args))
        when = self.reader.condition(data["when"], place / "when", scope) if "when" in data else None
        if when is not None:
            scope = scope.assuming(when, True)
        assign = data.get("assign")
        return Approval(
            when=when,
            title=self.reader.text(data["title"], place / "title", scope) if "title" in data else None,
            show=read_prompt(data["show"], place / "show", scope, self.declared, self.reader)
            if "show" in data
            else None,
            assign=tuple(
                assigned(each, place / "assign" / index, scope, self.reader)
                for index, each in enumerate(assign if isinstance(assign, list) else ())
            ),
            within=duration(data["within"], place / "within", self.declared.report) or 1.0
            if "within" in data
            else 1.0,
        )


def fits_answer(found: Type, wanted: Type) -> bool:
    """Return whether what a tool gives, as JSON, is an answer; records are, if their fields are."""
    if assignable(found, wanted):
        return True
    if not (isinstance(found, Record) and isinstance(wanted, Record)):
        return False
    mine, theirs = (
        {each.name_outside: each for each in record.fields.values()} for record in (found, wanted)
    )
    return mine.keys() <= theirs.keys() and all(
        fits_answer(mine[name].type, field.type) if name in mine else not field.required
        for name, field in theirs.items()
    )


def as_tool(agent: Agent, args: Record) -> Tool:
    """Return what an agent is where it is a tool of another one."""
    return Tool(
        name=agent.name,
        python=None,
        request=None,
        args=args,
        output=agent.output,
        secrets=(),
        read_only=False,
        description=agent.description,
        address=agent.address,
    )
