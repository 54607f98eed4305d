"""The names that an expression may mention, for each place in a step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.expressions import Expression, Scope, TextSource, TypeSource
from wfc.compiler.model import AnyOf, Join, joined_events
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.values import texts
from wfc.compiler.slotted import dataclass, field, replace
from wfc.compiler.types import (
    ANY,
    DATETIME,
    INTEGER,
    NUMBER,
    STRING,
    UNKNOWN,
    Field,
    ListOf,
    MapOf,
    OneOf,
    Optional,
    Record,
    Type,
    parse_type,
)

__all__ = [
    "AGENT",
    "ERROR",
    "ERROR_OF_RUN",
    "RESERVED",
    "RESPONSE",
    "RUN",
    "StepScopes",
    "binding_scope",
    "bounds_scope",
    "inputs",
    "namespace",
    "one_of",
    "texts_of",
    "types_of",
]


def namespace(title: str, /, **types: Type) -> Record:
    return Record(title, {each: Field(each, of) for each, of in types.items()}, role="namespace")


RUN: Final = namespace("run", id=STRING, attempt=INTEGER, round=INTEGER, now=DATETIME)
ERROR: Final = namespace("error", name=STRING, message=STRING, status=Optional(INTEGER), body=ANY)
ERROR_OF_RUN: Final = namespace(
    "error", name=STRING, message=STRING, status=Optional(INTEGER), body=ANY, step=Optional(STRING)
)
"""What the run's own `on_error` sees: `step` is null for a bound of the run, which no step has reached by itself."""
RESPONSE: Final = namespace("response", status=INTEGER, headers=MapOf(STRING))
AGENT: Final = namespace("agent", name=STRING, turns=INTEGER, tokens=INTEGER, cost_usd=NUMBER)
RESERVED: Final = frozenset(
    {
        "agent",
        "args",
        "config",
        "error",
        "event",
        "events",
        "inputs",
        "response",
        "result",
        "run",
        "state",
        "secrets",
    }
)
"""Names that mean something in expressions, so that no item may hide them."""


def binding_scope(declared: Declarations, args: Record | None = None) -> Scope:
    """Return the scope of a binding: `config`, and `args` in a tool's own request."""
    names: dict[str, Type] = {"config": declared.record("config")}
    if args is not None:
        names["args"] = args
    return Scope(
        names=names,
        classes=declared.classes,
        texts=texts_of(declared),
        types=types_of(declared),
        secrets=declared.secrets.nodes,
    )


def texts_of(declared: Declarations) -> TextSource:
    """Return where texts that others use are found."""
    return lambda name, place: texts.text_named(name, place, declared)


def types_of(declared: Declarations) -> TypeSource:
    """Return what reads the types that expressions mention, and notes them as used."""

    def read(text: str, place: Place, report: Report) -> Type:
        found = parse_type(text, place, declared.types, report, "")
        declared.types_in_expressions.append(found)
        return found

    return read


def bounds_scope(declared: Declarations) -> Scope:
    """Return the scope of bounds that are worked out at the start: what does not change within a run."""
    return Scope(
        names={"inputs": inputs(declared), "config": declared.record("config")},
        classes=declared.classes,
        types=types_of(declared),
    )


def inputs(declared: Declarations) -> Type:
    return declared.start.record if declared.start is not None else UNKNOWN


@dataclass(slots=True)
class StepScopes:
    """The scopes of one step's places.

    Args:
        accepts: ``None`` where it could not be read: then nothing is known of `event` and `events`.
        result: The action's type, or ``None`` without an action.
        http: Whether there is a `response`: whether the action sends a request.
        by_agent: Whether there is an `agent`, which has given the result.
        known: What `require` has made sure of.
    """

    declared: Declarations
    accepts: AnyOf | Join | None
    result: Type | None = None
    http: bool = False
    by_agent: bool = False
    known: tuple[Expression, ...] = ()
    shared: dict[str, Type] = field(init=False)
    texts: TextSource = field(init=False)
    types: TypeSource = field(init=False)

    def __post_init__(self) -> None:
        self.shared = {
            "inputs": inputs(self.declared),
            "state": self.declared.record("state"),
            "config": self.declared.record("config"),
            "run": RUN,
            **accepted(self.accepts),
        }
        self.texts, self.types = texts_of(self.declared), types_of(self.declared)

    def action(self) -> Scope:
        """Return the scope of the action, of `on_limit`, and of what is streamed before the action."""
        return self.scope({})

    def outcome(self) -> Scope:
        """Return the scope of `require`, which looks at the result alone, before anything is known beside it."""
        return self.after({})

    def tail(self) -> Scope:
        """Return the scope of `save`, `emit` and what is streamed afterwards, where the result is known."""
        return self.after({"agent": AGENT} if self.by_agent else {})

    def after(self, beside: Mapping[str, Type]) -> Scope:
        """Return the scope of what follows the action, with what stands beside its result."""
        more = dict(beside)
        if self.result is not None:
            more["result"] = self.result
        if self.http:
            more["response"] = RESPONSE
        scope = self.scope(more)
        for each in self.known:
            scope = scope.assuming(each, True)
        if self.known:  # what the step saves changes the state
            facts = {path: type for path, type in scope.facts.items() if path[0] != "state"}
            scope = replace(scope, facts=facts)
        return scope

    def failed(self) -> Scope:
        """Return the scope of `on_error`."""
        return self.scope({"error": ERROR})

    def timed_out(self) -> Scope:
        """Return the scope of `on_timeout`, where any of the events may be missing."""
        if isinstance(self.accepts, Join):
            return self.scope(accepted(self.accepts, timed_out=True))
        return self.scope({})

    def scope(self, more: Mapping[str, Type]) -> Scope:
        declared = self.declared
        return Scope(
            {**self.shared, **more},
            declared.classes,
            cache=declared.expression_cache,
            texts=self.texts,
            types=self.types,
            secrets=declared.secrets.nodes,
        )


def accepted(accepts: AnyOf | Join | None, *, timed_out: bool = False) -> dict[str, Type]:
    """Return `event` or `events`, whichever the form of `accepts` provides."""
    if accepts is None:
        return {"event": UNKNOWN, "events": UNKNOWN}
    if isinstance(accepts, AnyOf):
        return {"event": one_of(event.record for event in accepts.events)}
    if accepts.form == "each":
        return {"events": ListOf(one_of(event.record for event in accepts.events))}
    if timed_out:
        return {"events": joined_events(accepts.events)}
    return {"events": joined_events(accepts.events, accepts.certain, accepts.choices)}


def one_of(records: Iterable[Record]) -> Type:
    found = tuple(dict.fromkeys(records))
    if not found:
        return UNKNOWN
    return found[0] if len(found) == 1 else OneOf(found)
