"""The Python names in a generated module, each given once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wfc.compiler.model import Knowledge, Model, Resource, Retry, Step, Tool, Workflow, WorkflowCall
from wfc.compiler.model.kinds import STEP_KINDS, calls_agent
from wfc.compiler.python.literals import Code, class_name, constant_name, method_name, normal_form
from wfc.compiler.python.reserved_names import CLASSES, CONSTANTS, LOCALS
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import BUILT_IN, Enumeration, Record, Type

__all__ = ["ModuleNames", "ScopeNames"]


@dataclass(slots=True)
class ScopeNames:
    """The names of one Python scope.

    Args:
        taken: Its own. A scope does not copy those around it: a long module has as many functions as it has names.
        around: The scope around it, whose names are taken here, too.
    """

    taken: set[str] = field(default_factory=set)
    around: ScopeNames | None = None

    def __contains__(self, name: str) -> bool:
        scope: ScopeNames | None = self
        while scope is not None:
            if name in scope.taken:
                return True
            scope = scope.around
        return False

    def give(self, *wanted: str) -> Code:
        """Return the first of these names that is free; if none is, the first with ``_`` after it."""
        assert all(name.isidentifier() for name in wanted), wanted
        name = next((name for name in wanted if name not in self), wanted[0])
        while name in self:
            name += "_"
        self.taken.add(name)
        return Code(name)

    def inner(self, more: Iterable[str] = ()) -> ScopeNames:
        """Return the names of a scope inside this one."""
        return ScopeNames({*more}, self)


_RESERVED: Final = ScopeNames({*CLASSES, *CONSTANTS, *LOCALS})
"""The names that no module gives to anything else; nothing is added."""


def kinds(workflow: Workflow) -> set[str]:
    """Return the kinds of a workflow's steps; a tool that is a workflow is printed as a step of that kind."""
    found = {"workflow" if isinstance(step.action, WorkflowCall) else step.kind for step in workflow.steps}
    return found | {"agent" for step in workflow.steps if calls_agent(step.action)}


class ModuleNames:
    """The names at a module's top level, and of the methods of its workflow class.

    The author's own classes come first, so that they keep their names; imports have come before all.

    ``imported`` has the names that come from the modules of imported files: which module, and the name there.
    """

    def __init__(self, workflow: Workflow) -> None:
        self.scope = _RESERVED.inner()
        for kind in kinds(workflow):
            self.scope.taken |= STEP_KINDS[kind].reserved_names
        self.classes = {id(each): Code(name) for name, each in BUILT_IN.items()}
        self.enumerations: dict[str, Code] = {}
        self.imported: dict[Code, tuple[str, Code]] = {}
        self.declare_imported(workflow)
        for type_ in (*workflow.types, *(event.record for event in workflow.events), *workflow.outputs):
            self.declare(type_)
        self.workflow = self.scope.give(class_name(workflow.class_name), f"{workflow.class_name}Workflow")
        self.state, self.config = Code("State"), Code("Config")
        self.classes[id(workflow.state)] = self.state
        self.classes[id(workflow.config)] = self.config
        self.bindings: dict[int, Code] = {}
        self.methods: dict[str, Code] = {}
        self.class_scope = ScopeNames()
        for step in workflow.steps:
            self.methods[step.name] = self.class_scope.give(method_name(step.name))

    def declare_imported(self, workflow: Workflow) -> None:
        """Name the types that other modules define; start and end events are classes of this module all the
        same.
        """
        own = {id(event.record) for event in workflow.events if event.role != "message"}
        for each in workflow.imports:
            there = _RESERVED.inner()
            for type_ in each.types:
                assert isinstance(type_, (Record, Enumeration))
                name = there.give(class_name(type_.name))
                if id(type_) not in own:
                    self.declare(type_)
                    self.imported[self.of_type(type_)] = each.module, name

    def of_type(self, type_: Record | Enumeration) -> Code:
        """Return the name of a class or of a named enumeration."""
        return self.of(type_) if isinstance(type_, Record) else self.enumerations[type_.name]

    def declare(self, type_: Type) -> None:
        """Declare the name of a class, or of a named enumeration."""
        if isinstance(type_, Record):
            if id(type_) not in self.classes:
                self.classes[id(type_)] = self.scope.give(class_name(type_.name))
        elif isinstance(type_, Enumeration) and type_.name and type_.name not in self.enumerations:
            self.enumerations[type_.name] = self.scope.give(class_name(type_.name))

    def of(self, record: Record) -> Code:
        """Return the class name of a record."""
        return self.classes[id(record)]

    def constant(self, node: Knowledge | Model | Resource | Retry | Tool, kind: str) -> Code:
        """Return a binding's constant, such as ``FAST``; ``FAST_MODEL`` if that name is taken."""
        if id(node) not in self.bindings:
            own = node.identifier if isinstance(node, Tool) else node.name
            name = constant_name(own)
            if not name.isidentifier():  # some letters have no capital that a name may hold
                name = Code(own)
            self.bindings[id(node)] = self.scope.give(name, f"{name}_{kind}")
        return self.bindings[id(node)]

    def function(self, node: Knowledge | Model | Tool, kind: str) -> Code:
        """Return the function for a binding, such as ``weather``."""
        if id(node) not in self.bindings:
            name = normal_form(node.name)
            self.bindings[id(node)] = self.scope.give(name, f"{name}_{kind}")
        return self.bindings[id(node)]

    def method(self, step: Step) -> Code:
        """Return the method of a step."""
        return self.methods[step.name]
