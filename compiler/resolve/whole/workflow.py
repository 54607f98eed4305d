"""The resolved workflow, put together, and what its module shares with those of other files."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from wfc.compiler.diagnostics import Origin, Place
from wfc.compiler.expressions import Expression
from wfc.compiler.model import Import, Step, TestCase, Whole, Workflow
from wfc.compiler.model.kinds import agent_tools, given_args
from wfc.compiler.python.literals import normal_form, pascal_case
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values import bounds
from wfc.compiler.resolve.whole.unused import UsedTypes, has_python_name
from wfc.compiler.rules import files as file_problems
from wfc.compiler.types import Record

__all__ = ["build_workflow", "shared_modules"]


def build_workflow(
    data: Data,
    declared: Declarations,
    steps: tuple[Step, ...],
    tests: tuple[TestCase, ...],
    run: Whole,
    used: UsedTypes,
) -> Workflow:
    """Put a workflow together.

    Args:
        used: The types that steps and declarations mention; those under `types` are added.
    """
    assert declared.start is not None
    name = workflow_name(data, declared)
    labels = data.get("labels")
    types = tuple(
        each
        for name, each in declared.types.items()
        if has_python_name(each) and ("types", name) not in declared.imported
    )
    for each in types:
        used.add(each)
    imports = imported_modules(declared)
    outputs = own_outputs(imports, steps, used)
    name_outputs(outputs, declared)
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
        deadline=read_deadline(data, declared),
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
        knowledge=tuple(declared.knowledge.nodes.values()),
        imports=imports,
        whole=declared.flow_whole,
        broken_calls=tuple(name for name, found in declared.called.items() if found is None),
        receives=tuple(declared.receives.values()),
        key=declared.key,
        run=run,
    )


def own_outputs(imports: Iterable[Import], steps: Iterable[Step], used: UsedTypes) -> tuple[Record, ...]:
    """Return the records that the module has classes for: outputs, and what an agent gives to its tools."""
    theirs = {each for module in imports for each in module.types if isinstance(each, Record)}
    args = {tool.args for step in steps for tool in agent_tools(step.action)}
    args |= {record for step in steps for record in given_args(step.action)}
    return tuple(
        record
        for record in used.records
        if (record.role == "output" or record in args) and record not in theirs
    )


def read_deadline(data: Data, declared: Declarations) -> float | Expression | None:
    """The seconds that a whole run may take; ``None`` for no bound, or with a finding."""
    if "deadline" not in data:
        return None
    found = bounds.length(data["deadline"], Place(("deadline",)), declared)
    declared.flow_whole &= found is not None
    return found


def imported_modules(declared: Declarations) -> tuple[Import, ...]:
    """What comes from the modules of imported files: all their types and events, by file."""
    found: list[Import] = []
    taken: set[Record] = set()
    for other in declared.imports.values():
        mine = {
            name
            for (section, name), (place, _) in declared.imported.items()
            if place.origin == other.path and section == "types"
        }
        found.append(shared_module(other.path, declared, mine, taken))
    return tuple(each for each in found if each.types)


def shared_modules(path: str, declared: Declarations) -> tuple[Import, tuple[Import, ...]]:
    """What a file of declarations gives to others itself, and what comes from those that it imports."""
    imports = imported_modules(declared)
    taken = {each for module in imports for each in module.types if isinstance(each, Record)}
    own = {name for name in declared.types if ("types", name) not in declared.imported}
    return shared_module(path, declared, own, taken), imports


def shared_module(path: str, declared: Declarations, names: Container[str], taken: set[Record]) -> Import:
    """What a file of declarations gives to those that import it.

    Args:
        names: Of the types and events that are its own.
        taken: Records that other modules have; its own are added.
    """
    own = [
        each
        for name, each in declared.types.items()
        if name in names and (has_python_name(each) or (isinstance(each, Record) and each.role == "event"))
    ]
    used = UsedTypes()
    for each in own:
        used.add(each)
    inside = [each for each in used.records if each.role == "output" and each not in taken]
    taken.update(inside)
    return Import(path, (*own, *inside))


def workflow_name(data: Data, declared: Declarations) -> str:
    name = data.get("workflow")
    if not isinstance(name, str):
        return "workflow"
    check_style(normal_form(name), Place(("workflow",)), "workflow", declared.report)
    twin = declared.project.twin(normal_form(name))
    if twin is not None:
        first = Place((Origin(twin), "workflow"))
        declared.report(file_problems.workflow_name_twice(Place(("workflow",)), normal_form(name), first))
    return normal_form(name)


def class_name(name: str, declared: Declarations) -> str:
    """``SupportTriage`` for ``support_triage``; ``OrderWorkflow`` for ``order`` where ``Order`` is taken."""
    made = pascal_case(name)
    taken = set(declared.types)
    while made in taken:
        made = f"{made}Workflow"
    return made


def name_outputs(outputs: Iterable[Record], declared: Declarations) -> None:
    """Give records written in place names that nothing else has."""
    taken = set(declared.types)
    for record in outputs:
        made, count = record.name, 2
        while record.name in taken:
            record.name, count = f"{made}{count}", count + 1
        taken.add(record.name)
