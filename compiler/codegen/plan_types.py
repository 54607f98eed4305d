"""The types of a generated module's annotations as plain data, as the runtime's ``store/versions/types`` tells them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.model import Emission, Emit, EmitAll, EmitEach
from wfc.compiler.python.literals import field_name
from wfc.compiler.types import (
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    Constraints,
    Enumeration,
    Field,
    ListOf,
    MapOf,
    OneOf,
    Optional,
    Record,
    Scalar,
    Type,
    members,
    within,
)
from wfc.compiler.types.durations import seconds
from wfc.compiler.types.text_patterns import whole_text

__all__ = ["TypeData"]

_SCALARS: Final[dict[str, Any]] = {
    "string": "str",
    "integer": "int",
    "number": ["with", "float", {"allow_inf_nan": False}],
    "decimal": "Decimal",
    "boolean": "bool",
    "date": "date",
    "datetime": "AwareDatetime",
    "duration": "timedelta",
    "any": "any",
    "unknown": "any",
    "null": "none",
}


class TypeData:
    """The data of types.

    Args:
        names: The names of classes in the module.
    """

    def __init__(self, names: ModuleNames) -> None:
        self.names = names
        self.agents: dict[str, Any] = {}
        self.is_known = True

    def of(self, type_: Type) -> Any:
        """Return a type as data."""
        match type_:
            case Scalar():
                return _SCALARS[type_.name]
            case ListOf():
                return ["list", self.of(type_.item)]
            case MapOf():
                return ["dict", "str", self.of(type_.value)]
            case Optional():
                return self.union([self.of(type_.of), "none"])
            case Enumeration():
                return ["one of", sorted(type_.values, key=repr)]
            case OneOf(types=()):
                return "any"
            case OneOf():
                return self.union(map(self.of, type_.types))
            case Record():
                return self.of_record(type_)

    def of_record(self, record: Record | None) -> Any:
        """Return a record as data."""
        return "none" if record is None else ["class", self.name(record)]

    def name(self, record: Record) -> str:
        """Return the name of a record's class, where it is defined."""
        name = self.names.of(record)
        _, own = self.names.imported.get(name, ("", name))
        return str(own)

    def worked(self, type_: Type) -> Any:
        """Return an agent's answer together with how it came about: a class of the runtime for each type of answers."""
        answer = self.of(type_)
        called = _argument(answer)
        if called is None:
            self.is_known = False
            return "any"
        name = f"Worked[{called}]"
        kept = {"answer": answer, "name": "str", "turns": "int", "tokens": "int", "cost_usd": "float"}
        told = {each: {"type": of, "required": each == "answer", "called": each} for each, of in kept.items()}
        self.agents[name] = {"fields": told, "open": False}
        return ["class", name]

    def union(self, parts: Iterable[Any]) -> Any:
        """Return types of which a value has one."""
        found: list[Any] = []
        for part in parts:
            for one in part[1] if part[0] == "any of" else [part]:
                if one not in found:
                    found.append(one)
        if "any" in found:
            return "any"
        return found[0] if len(found) == 1 else ["any of", sorted(found, key=repr)]

    def emitted(self, emission: Emission) -> Any:
        """Return what is emitted, as the signature has it."""
        match emission:
            case Emit():
                return self.of_record(emission.event.record)
            case EmitEach():
                return ["list", self.of_record(emission.emit.event.record)]
            case EmitAll():
                return ["All", *map(self.emitted, emission.entries)]
        name = type(emission).__name__
        return "none" if name == "Nothing" else name  # `Fail` and `Restart` are called so there too

    def classes(self, roots: Iterable[Type]) -> dict[str, Any] | None:
        """Return the classes of records, and of all that they are made of; ``None``: some names are not known."""
        if not self.is_known:
            return None
        found: dict[str, Record] = {}
        for type_ in within(*roots):
            if not isinstance(type_, Record):
                continue
            if found.setdefault(self.name(type_), type_) is not type_:
                return None
        return {**self.agents, **{name: self._class(record) for name, record in found.items()}}

    def _class(self, record: Record) -> dict[str, Any]:
        fields = {str(field_name(field.name)): self._field(field) for field in record.fields.values()}
        return {"fields": fields, "open": False}

    def _field(self, field: Field) -> dict[str, Any]:
        type_, bounds = field.type, _bounds(field.constraints, field.type)
        if isinstance(type_, Optional) and bounds:
            spelled = self.union([_bounded(self.of(type_.of), bounds), "none"])
        else:
            spelled = _bounded(self.of(type_), bounds)
        is_required = not field.has_default and not isinstance(type_, Optional)
        return {"type": spelled, "required": is_required, "called": field.name}


def _argument(spelled: Any) -> str | None:
    """Return how a type is called as the argument of a class; ``None`` for one that libraries spell each their way."""
    match spelled:
        case "str" | "int" | "bool" | "Decimal" | "date" | "timedelta":
            return str(spelled)
        case ["class", name]:
            return str(name)
        case [("list" | "dict") as of, *parts]:
            found = [_argument(part) for part in parts]
            return None if None in found else f"{of}[{', '.join(map(str, found))}]"
    return None


def _bounded(spelled: Any, bounds: dict[str, Any]) -> Any:
    if not bounds:
        return spelled
    if spelled[0] == "with":
        return ["with", spelled[1], {**spelled[2], **bounds}]
    return ["with", spelled, bounds]


def _bounds(constraints: Constraints, type_: Type) -> dict[str, Any]:
    inner = members(type_)[0]
    found = {
        "ge": None if constraints.min is None else _limit(constraints.min, inner),
        "le": None if constraints.max is None else _limit(constraints.max, inner),
        "min_length": constraints.min_length,
        "max_length": constraints.max_length,
        "pattern": None if constraints.pattern is None else whole_text(constraints.pattern),
    }
    return {name: one for name, one in found.items() if one is not None}


def _limit(value: object, type_: Type) -> object:
    """Return a bound as the runtime tells it: numbers as they are, and anything else as Python shows it."""
    if type_ == DATETIME:
        return str(datetime.fromisoformat(str(value)).astimezone(UTC))
    if type_ == DURATION:
        return str(timedelta(seconds=seconds(str(value)) or 0))
    return str(value) if type_ in (DECIMAL, DATE) else value
