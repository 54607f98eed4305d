"""A function while it is being written: its parameters, the names it mentions, and its own names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wfc.compiler.codegen.names import ModuleNames, ScopeNames
from wfc.compiler.expressions import Expression, Template, generate_expression, generate_text
from wfc.compiler.expressions.python.annotations import annotation, union
from wfc.compiler.model import AnyOf, Event, Join, MapItems, Step, Workflow
from wfc.compiler.model.kinds import is_request, tells_of_agent
from wfc.compiler.python.literals import Code, field_name, literal, local_name, snake_case
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import Type

__all__ = ["FunctionBuilder", "FunctionParameter", "Path", "result_parameters", "step_parameters"]

Path = tuple[str, ...]


ORDER = (
    "event",
    "events",
    "inputs",
    "state",
    "config",
    "run",
    "result",
    "agent",
    "response",
    "error",
    "args",
    "call",
)


@dataclass(frozen=True, slots=True)
class FunctionParameter:
    """A parameter that a function may have.

    Args:
        root: The name in expressions that it stands for: ``state``, or ``events`` for each event of a join.
        event: The event's name, for those of a join.
        absent: Whether it may be ``None`` because its event did not arrive.
        fields: Fields that expressions may mention as if they were those of ``events``.
        kind: The event's class, if another event may come in its place and the parameter holds either.
        value: How expressions spell what they mention, where that is not the parameter itself.
    """

    root: str
    name: Code
    annotation: Code
    event: str = ""
    absent: bool = False
    fields: tuple[str, ...] = ()
    kind: Code | None = None
    value: Code | None = None

    @property
    def code(self) -> Code:
        """The parameter as written in the function's head."""
        return Code(f"{self.name}: {self.annotation}")


@dataclass(slots=True)
class FunctionBuilder:
    """A function, and those of the available parameters that it uses.

    Args:
        names: Those that are taken, the module's included.
        at_hand: Parameters that it may have.
        known: How expressions spell paths, where it is not the path itself.
        lead: Statements that come first, made on the way.
    """

    names: ScopeNames
    at_hand: tuple[FunctionParameter, ...]
    known: dict[Path, Code] = field(default_factory=dict)
    used: dict[Code, FunctionParameter] = field(default_factory=dict)
    lead: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names = self.names.inner(parameter.name for parameter in self.at_hand)
        for parameter in self.at_hand:
            if parameter.event and parameter.kind is None:
                self.known["events", parameter.event] = parameter.name
                if not parameter.absent:
                    for name in parameter.fields:
                        self.known["events", name] = Code(f"{parameter.name}.{field_name(name)}")
            elif not parameter.event and (parameter.value or parameter.name) != parameter.root:
                self.known[parameter.root,] = parameter.value or parameter.name

    def use_all(self, root: str) -> None:
        """Use every parameter of a kind, mentioned or not."""
        for parameter in self.at_hand:
            if parameter.root == root:
                self.used[parameter.name] = parameter

    def note(self, uses: Iterable[Path]) -> None:
        """Use the parameters that these paths begin with."""
        for path in sorted(uses):
            for parameter in self.at_hand:
                if parameter.root != path[0]:
                    continue
                if not parameter.event or len(path) == 1 or path[1] == parameter.event:
                    self.used[parameter.name] = parameter
                    self.tell_apart(parameter)
                elif path[1] in parameter.fields:
                    self.used[parameter.name] = parameter
                    self.fetch(parameter, path[1])

    def fetch(self, parameter: FunctionParameter, name: str) -> None:
        """Assign a field of an event that may be absent to a local variable, which conditions can narrow."""
        if not (parameter.absent or parameter.kind) or ("events", name) in self.known:
            return
        local = self.names.give(local_name(name))
        here = f"{parameter.name} is not None"
        if parameter.kind is not None:
            here = f"isinstance({parameter.name}, {parameter.kind})"
        value = f"{parameter.name}.{field_name(name)} if {here} else None"
        self.lead.append(f"{local} = {value}")
        self.known["events", name] = local

    def tell_apart(self, parameter: FunctionParameter) -> None:
        """Assign an event that another may stand for to a local variable, which is ``None`` in that case."""
        if parameter.kind is None or ("events", parameter.event) in self.known:
            return
        local = self.names.give(local_name(snake_case(parameter.event)))
        self.lead.append(
            f"{local} = {parameter.name} if isinstance({parameter.name}, {parameter.kind}) else None"
        )
        self.known["events", parameter.event] = local

    def expression(
        self, expression: Expression, known: Mapping[Path, Code] | None = None, *, into: Type | None = None
    ) -> Code:
        """Return an expression as Python, for a value of the type ``into``; use its parameters."""
        self.note(expression.uses)
        return generate_expression(expression, {**self.known, **(known or {})}, target=into)

    def bound(self, bound: int | Expression) -> Code:
        """Return a bound that is written out, or worked out from inputs and config."""
        return self.expression(bound) if isinstance(bound, Expression) else literal(bound)

    def template(self, template: Template, known: Mapping[Path, Code] | None = None) -> Code:
        """Return a text without statements as Python; use its parameters."""
        self.note(template.uses)
        return generate_text(template, {**self.known, **(known or {})})

    @property
    def parameters(self) -> list[Code]:
        """The parameters that are used, in their usual order."""
        return [parameter.code for parameter in self.taken]

    @property
    def taken(self) -> list[FunctionParameter]:
        """Those used, in their usual order."""
        found = {parameter.name: parameter for parameter in self.at_hand if parameter.name in self.used}
        return list(found.values())


def step_parameters(
    workflow: Workflow,
    step: Step,
    names: ModuleNames,
    *,
    more: Iterable[FunctionParameter] = (),
    timed_out: bool = False,
) -> tuple[FunctionParameter, ...]:
    """Return the parameters available in a step's functions, in the order in which they are written."""
    found = [
        *_accepted(step, names, timed_out),
        FunctionParameter("inputs", Code("inputs"), Code(f"Inputs[{names.of(workflow.start.record)}]")),
        FunctionParameter("state", Code("state"), names.state),
        FunctionParameter("config", Code("config"), names.config),
        FunctionParameter("run", Code("run"), Code("RunInfo")),
        *more,
    ]
    return tuple(sorted(found, key=_rank))


def _rank(parameter: FunctionParameter) -> int:
    """Return the position of a parameter; an item comes after the events."""
    return ORDER.index(parameter.root) if parameter.root in ORDER else ORDER.index("inputs") - 1


def _accepted(step: Step, names: ModuleNames, timed_out: bool) -> list[FunctionParameter]:
    accepts = step.accepts
    classes = union(names.of(event.record) for event in accepts.events)
    if isinstance(accepts, AnyOf):
        return [FunctionParameter("event", Code("event"), classes)]
    if accepts.form == "each":
        return [FunctionParameter("events", Code("events"), Code(f"list[{classes}]"))]
    absent = timed_out or not accepts.complete
    inner = names.scope.inner()
    found: list[FunctionParameter] = []
    for slot in accepts.slots:
        name = inner.give(local_name("_or_".join(snake_case(event.name) for event in slot)))
        kinds = [names.of(event.record) for event in slot]
        held = union([*kinds, *([Code("None")] if absent else [])])
        for event, kind in zip(slot, kinds, strict=True):
            own = _own_fields(event, accepts)
            apart = kind if len(slot) > 1 else None
            found.append(FunctionParameter("events", name, held, event.name, absent, own, apart))
    return found


def _own_fields(event: Event, accepts: Join) -> tuple[str, ...]:
    """Return the fields that only this event declares among those of a join."""
    others = {name for other in accepts.events if other is not event for name in other.record.fields}
    events = {other.name for other in accepts.events}
    return tuple(name for name in event.record.fields if name not in others | events)


def result_parameters(step: Step, names: ModuleNames) -> list[FunctionParameter]:
    """Return the additional parameters of the tail: the action's result, and what came with it."""
    found: list[FunctionParameter] = []
    if step.result is not None and step.acts:
        result = Code("result")
        given = annotation(step.result, names)
        if tells_of_agent(step.action):
            worked = Code(f"Worked[{given}]")
            found.append(FunctionParameter("result", result, worked, value=Code("result.answer")))
            found.append(FunctionParameter("agent", result, worked))
        else:
            found.append(FunctionParameter("result", result, given))
    if not isinstance(step.action, MapItems) and is_request(step.action):
        found.append(FunctionParameter("response", Code("response"), Code("HttpResponse")))
    return found
