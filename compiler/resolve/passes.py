"""The passes of the resolution, in order."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from wfc.compiler.diagnostics import Origin, Place, Report
from wfc.compiler.model import Import, MapItems, Step, TestCase, ToolCall, Workflow
from wfc.compiler.resolve.agents import declare_agents
from wfc.compiler.resolve.bindings import declare_models, declare_tools
from wfc.compiler.resolve.calls import report_recursion, report_unknown_tools
from wfc.compiler.resolve.cases import resolve_tests
from wfc.compiler.resolve.declarations import declare
from wfc.compiler.resolve.declared import Declared, Table, entries
from wfc.compiler.resolve.defaults import declare_defaults
from wfc.compiler.resolve.durations import duration
from wfc.compiler.resolve.frames import with_forks
from wfc.compiler.resolve.imports import declare_imports, report_unused_imports
from wfc.compiler.resolve.knowledge import declare_knowledge
from wfc.compiler.resolve.messages import declare_messages, report_received
from wfc.compiler.resolve.names import check_style, normal, pascal_case
from wfc.compiler.resolve.parts import check_contracts, declare_parts
from wfc.compiler.resolve.prompts import declare_prompts
from wfc.compiler.resolve.resources import declare_resources, note_used_resources, report_unused_resources
from wfc.compiler.resolve.retries import declare_retries
from wfc.compiler.resolve.runs import resolve_whole
from wfc.compiler.resolve.steps import resolve_steps
from wfc.compiler.resolve.surroundings import ALONE, Surroundings
from wfc.compiler.rules import WARNINGS
from wfc.compiler.rules.files import workflow_name_twice
from wfc.compiler.rules.names import unused_declaration
from wfc.compiler.slotted import dataclass, field, replace
from wfc.compiler.types import Enumeration, Record, Type, parts

if TYPE_CHECKING:
    from wfc.compiler.schema import Spec

__all__ = ["declarations", "resolve", "shared_modules"]


@dataclass(slots=True)
class Used:
    """The records and enumerations that something is made of, in the order in which they are met."""

    records: dict[Record, None] = field(default_factory=dict)
    enumerations: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, declared: Declared, steps: Iterable[Step]) -> Used:
        """All that events, config, state, bindings and results are made of."""
        used = cls()
        for name, event in declared.events.nodes.items():
            if declared.counts("events", name, declared.events):
                used.add(event.record)
        used.add(declared.config)
        used.add(declared.state)
        for name, tool in declared.tools.nodes.items():
            if declared.counts("tools", name, declared.tools):
                used.add(tool.args)
                used.add(tool.output)
        for step in steps:
            call = step.action.do if isinstance(step.action, MapItems) else step.action
            if isinstance(call, ToolCall):
                used.add(call.tool.args)
                used.add(call.tool.output)
            if isinstance(step.action, MapItems) and step.action.result is not None:
                used.add(step.action.result)
            if step.result is not None:
                used.add(step.result)
        return used

    def add(self, type: Type) -> None:
        """A type and all its parts. Without recursion: records may be made of themselves."""
        stack = [type]
        while stack:
            current = stack.pop()
            if isinstance(current, Record):
                if current in self.records:
                    continue
                self.records[current] = None
            elif isinstance(current, Enumeration):
                self.enumerations.add(current.name)
            stack.extend(reversed(parts(current)))


def report_unused(data: Mapping[str, object], declared: Declared, used: Used) -> None:
    """Warn of what nothing uses; not where a name is unknown, for that may be the one that was meant."""
    report, codes = declared.report, set(declared.codes)
    tables: tuple[tuple[str, str, Table[Any]], ...] = (
        ("prompts", "prompt", declared.prompts),
        ("models", "model", declared.models),
        ("tools", "tool", declared.tools),
        ("agents", "agent", declared.agents),
        ("knowledge", "collection", declared.knowledge),
        ("retries", "retry policy", declared.retries),
    )
    for section, what, table in tables:
        if table.unknown.__name__.replace("_", "-") in codes:
            continue
        for name, _content, address in entries(data.get(section), (section,)):
            if name in table.nodes and name not in table.used:
                report(unused_declaration(Place(address).key, what, name))
    if "unknown-secret" not in codes:
        for index, name in enumerate(declared.secrets.nodes):
            if normal(name) not in declared.secrets.used:
                report(unused_declaration(Place(("secrets", index)), "secret", name))
    # what uses a type is seen in steps, of which little may be left where something is wrong with them
    if codes <= WARNINGS:
        for name, _content, address in entries(data.get("types"), ("types",)):
            declaration = declared.types.get(name)
            if declaration is not None and is_own(declaration) and not used_type(declaration, used):
                report(unused_declaration(Place(address).key, "type", name))
        report_unused_imports(data, declared, {record.name for record in used.records} | used.enumerations)


def used_type(type: Type, used: Used) -> bool:
    if isinstance(type, Enumeration):
        return type.name in used.enumerations
    return type in used.records


def resolve(spec: Spec, report: Report, around: Surroundings = ALONE) -> Workflow | None:
    """A spec's workflow, all names looked up.

    Args:
        spec: What is well-shaped of the document.
        report: Takes what is wrong.
        around: The files that it may mention.

    Returns:
        The workflow without what could not be understood; it may be checked further, but code is to be made
        of it only if no error was reported. ``None`` if there is not even a start.
    """
    data = spec.data
    declared = declarations(spec, report, around)
    parts = declare_parts(data, declared)
    steps = resolve_steps(data, declared, parts)
    report_received(declared, steps)
    if declared.start is None:
        return None
    steps = with_forks(
        steps,
        declared.start.name,
        declared.report,
        whole=declared.flow_whole,
        outside=declared.receives,
    )
    if "each-outside-batch" in declared.codes:
        declared.flow_whole = False
    check_contracts(parts, steps, declared)
    run = resolve_whole(data, steps, declared)
    tests = resolve_tests(data, steps, declared)
    if declared.called:
        report_recursion(str(data.get("workflow")), declared)
    report_unknown_tools(declared)
    used = Used.of(declared, steps)
    note_used_resources(steps, declared)
    if not spec.broken:
        report_unused(data, declared, used)
        report_unused_resources(declared)
    return replace(workflow(data, declared, steps, tests, used), run=run)


def declarations(spec: Spec, report: Report, around: Surroundings = ALONE) -> Declared:
    """All that a spec, or a file of declarations, declares but its steps."""
    data = spec.data
    declared = Declared(report, data, spec.broken, around=around)
    declare_imports(data, declared)
    declare(data, declared)
    declare_messages(data, declared)
    declare_retries(data, declared)
    declare_prompts(declared)
    declare_models(data, declared)
    declare_resources(declared)
    declare_tools(data, declared)
    declare_defaults(data.get("defaults"), declared)
    declare_agents(declared)
    declare_knowledge(declared)
    return declared


def workflow(
    data: Mapping[str, object],
    declared: Declared,
    steps: tuple[Step, ...],
    tests: tuple[TestCase, ...],
    used: Used,
) -> Workflow:
    assert declared.start is not None
    name = workflow_name(data, declared)
    labels = data.get("labels")
    types = tuple(
        each
        for name, each in declared.types.items()
        if is_own(each) and ("types", name) not in declared.imported
    )
    for each in types:
        used.add(each)
    imports = imported_modules(declared)
    theirs = {each for module in imports for each in module.types if isinstance(each, Record)}
    outputs = tuple(record for record in used.records if record.role == "output" and record not in theirs)
    name_outputs(outputs, declared)
    deadline = None
    if "deadline" in data:
        deadline = duration(data["deadline"], Place(("deadline",)), declared.report)
        declared.flow_whole &= deadline is not None
    return Workflow(
        name=name,
        class_name=class_name(name, declared),
        version=str(data.get("version", "")),
        description=str(data.get("description", "")),
        labels={str(key): str(value) for key, value in labels.items()} if isinstance(labels, Mapping) else {},
        start=declared.start,
        end=declared.end,
        config=declared.config,
        secrets=tuple(declared.secrets.nodes),
        deadline=deadline,
        types=types,
        outputs=outputs,
        events=tuple(
            event
            for event in declared.events.nodes.values()
            if declared.counts("events", event.name, declared.events)
        ),
        state=declared.state,
        models=tuple(declared.models.nodes.values()),
        tools=tuple(declared.tools.nodes.values()),
        retries=tuple(declared.retries.nodes.values()),
        steps=steps,
        tests=tests,
        resources=tuple(declared.resources.nodes.values()),
        imports=imports,
        whole=declared.flow_whole,
        broken_calls=tuple(name for name, found in declared.called.items() if found is None),
        receives=tuple(declared.receives.values()),
        key=declared.key,
    )


def imported_modules(declared: Declared) -> tuple[Import, ...]:
    """What comes from the modules of imported files: all their types and events, by file."""
    found: list[Import] = []
    taken: set[Record] = set()
    for around in declared.imports.values():
        mine = {
            name
            for (section, name), (place, _) in declared.imported.items()
            if place.origin == around.path and section == "types"
        }
        found.append(shared_module(around.path, declared, mine, taken))
    return tuple(each for each in found if each.types)


def shared_modules(path: str, declared: Declared) -> tuple[Import, tuple[Import, ...]]:
    """What a file of declarations gives to others itself, and what comes from those that it imports."""
    imports = imported_modules(declared)
    taken = {each for module in imports for each in module.types if isinstance(each, Record)}
    own = {name for name in declared.types if ("types", name) not in declared.imported}
    return shared_module(path, declared, own, taken), imports


def shared_module(path: str, declared: Declared, names: Container[str], taken: set[Record]) -> Import:
    """What a file of declarations gives to those that import it.

    Args:
        names: Of the types and events that are its own.
        taken: Records that other modules have; its own are added.
    """
    own = [
        each
        for name, each in declared.types.items()
        if name in names and (is_own(each) or (isinstance(each, Record) and each.role == "event"))
    ]
    used = Used()
    for each in own:
        used.add(each)
    inside = [each for each in used.records if each.role == "output" and each not in taken]
    taken.update(inside)
    return Import(path, (*own, *inside))


def workflow_name(data: Mapping[str, object], declared: Declared) -> str:
    name = data.get("workflow")
    if not isinstance(name, str):
        return "workflow"
    check_style(normal(name), Place(("workflow",)), "workflow", declared.report)
    twin = declared.around.twin(normal(name))
    if twin is not None:
        first = Place((Origin(twin), "workflow"))
        declared.report(workflow_name_twice(Place(("workflow",)), normal(name), first))
    return normal(name)


def class_name(name: str, declared: Declared) -> str:
    """``SupportTriage`` for ``support_triage``; ``OrderWorkflow`` for ``order`` where ``Order`` is taken."""
    made = pascal_case(name)
    taken = set(declared.types)
    while made in taken:
        made = f"{made}Workflow"
    return made


def is_own(type: Type) -> bool:
    """Whether a type under `types` is one that gets a name in Python: a record or an enumeration."""
    return (isinstance(type, Record) and type.role == "type") or (
        isinstance(type, Enumeration) and bool(type.name)
    )


def name_outputs(outputs: Iterable[Record], declared: Declared) -> None:
    """Give records written in place names that nothing else has."""
    taken = set(declared.types)
    for record in outputs:
        made, count = record.name, 2
        while record.name in taken:
            record.name, count = f"{made}{count}", count + 1
        taken.add(record.name)
