"""Warnings about declarations that nothing uses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Exit, MapItems, Step, Tool, ToolCall
from wfc.compiler.model.kinds import agent_tools, agents_of, given_args
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.declarations import imports
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data, entries
from wfc.compiler.rules import WARNINGS
from wfc.compiler.rules import names as name_problems
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import Enumeration, Record, Scalar, Type, parts

__all__ = ["UsedTypes", "has_python_name", "note_used_resources", "report_unused", "report_unused_resources"]


@dataclass(slots=True)
class UsedTypes:
    """The records and enumerations that some types consist of, in the order in which they are found."""

    records: dict[Record, None] = field(default_factory=dict)
    enumerations: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, declared: Declarations, steps: Iterable[Step]) -> UsedTypes:
        """Collect the types that events, config, state, bindings and results consist of."""
        used = cls()
        for name, event in declared.events.nodes.items():
            if declared.counts("events", name, declared.events):
                used.add(event.record)
        used.add(declared.config)
        used.add(declared.state)
        for name, tool in declared.tools.nodes.items():
            if tool.operations is not None or (tool.group and name not in declared.tools.used):
                continue  # it has no types of its own, or nobody calls it
            if declared.counts("tools", name, declared.tools):
                used.add(tool.args)
                used.add(tool.output)
        for type in declared.types_in_expressions:
            used.add(type)
        for step in steps:
            call = step.action.do if isinstance(step.action, MapItems) else step.action
            for tool in agent_tools(step.action):
                used.add(tool.args)
            for agent in agents_of(step.action):
                used.add(agent.output)
                for use in agent.tools:
                    if use.save:
                        used.add(use.tool.output)
            for record in given_args(step.action):
                used.add(record)
            if isinstance(call, ToolCall):
                used.add(call.tool.args)
                used.add(call.tool.output)
            if isinstance(step.action, MapItems):
                used.add(step.action.result)
            if step.result is not None:
                used.add(step.result)
            if step.on_error is not None:
                used.add_bodies(step.on_error)
        return used

    def add_bodies(self, exit_: Exit) -> None:
        """Add the types of the bodies of replies that an exit asks for."""
        for entry in exit_.entries:
            if entry.body is not None:
                self.add(entry.body)

    def add(self, type: Type) -> None:
        """Add a type and all its parts, without recursion: a record may contain itself."""
        stack = [type]
        while stack:
            current = stack.pop()
            if isinstance(current, Record):
                if current in self.records:
                    continue
                self.records[current] = None
            elif isinstance(current, Scalar):
                continue
            elif isinstance(current, Enumeration):
                self.enumerations.add(current.name)
                continue
            stack.extend(reversed(parts(current)))


UNREADABLE: Final = {"unexpected-token", "unfinished-expression", "unclosed-bracket", "unclosed-braces"}


def report_unused(data: Data, declared: Declarations, used: UsedTypes) -> None:
    """Warn about unused declarations, unless a name is unknown, since it may be a misspelling of one of them."""
    report, codes = declared.report, set(declared.codes)
    for section in ("texts", "models", "tools", "agents", "knowledge", "threads", "retries"):
        table = declared.tables[section]
        if section == "texts" and UNREADABLE & codes:
            continue  # a statement that cannot be read may use it
        if codes and table.unknown().__name__.replace("_", "-") in codes:
            continue
        if section == "agents" and "unknown-tool" in codes:
            continue  # an agent may be a tool
        for name, _content, address in entries(data.get(section), (section,)):
            if name in table.nodes and name not in table.used:
                report(
                    name_problems.unused_declaration(Place(address).key, table.what.partition(" ")[2], name)
                )
    if not codes & {"unknown-secret", "secret-as-data"}:
        for index, name in enumerate(declared.secrets.nodes):
            if normal_form(name) not in declared.secrets.used:
                report(name_problems.unused_declaration(Place(("secrets", index)), "secret", name))
    # what uses a type is seen in steps, of which little may be left where something is wrong with them
    if codes <= WARNINGS:
        for name, _content, address in entries(data.get("types"), ("types",)):
            declaration = declared.types.get(name)
            if declaration is not None and has_python_name(declaration) and not is_used(declaration, used):
                report(name_problems.unused_declaration(Place(address).key, "type", name))
        if "imports" in data:
            imports.report_unused_imports(
                data, declared, {record.name for record in used.records} | used.enumerations
            )


def is_used(type: Type, used: UsedTypes) -> bool:
    if isinstance(type, Enumeration):
        return type.name in used.enumerations
    return type in used.records


def has_python_name(type: Type) -> bool:
    """Return whether a type under `types` gets a name in Python: a record or an enumeration."""
    return (isinstance(type, Record) and type.role == "type") or (
        isinstance(type, Enumeration) and bool(type.name)
    )


def note_used_resources(steps: Iterable[Step], declared: Declarations) -> None:
    """Mark as used every resource that a Python tool can ask for: all but the names of its own arguments.

    What parameters a Python function has is not known here.
    """
    tools = (*declared.tools.nodes.values(), *written_in_steps(steps))
    python = [tool for tool in tools if tool.python is not None]
    for name in declared.resources.nodes:
        if any(name not in tool.args.fields for tool in python):
            declared.resources.used.add(name)


def report_unused_resources(declared: Declarations) -> None:
    """Warn about the spec's own resources that no Python tool can ask for."""
    unsure = {"unknown-tool", "bad-python-tool"} & set(declared.codes)
    if unsure or declared.tools.broken or declared.tools.unread:
        return
    for name, resource in declared.resources.nodes.items():
        if ("resources", name) not in declared.imported and name not in declared.resources.used:
            declared.report(name_problems.unused_declaration(Place(resource.address).key, "resource", name))


def written_in_steps(steps: Iterable[Step]) -> list[Tool]:
    actions = (step.action.do if isinstance(step.action, MapItems) else step.action for step in steps)
    return [action.tool for action in actions if isinstance(action, ToolCall)]
