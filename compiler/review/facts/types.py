"""Types and fields as facts, and whether each value of one type is a value of another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from wfc.compiler.review.facts.places import Fact, Places
from wfc.compiler.types import (
    NO_CONSTRAINTS,
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
    show,
)

__all__ = ["fields", "fits", "shape", "within"]

_CONSTRAINTS: Final = ("format", "min", "max", "min_length", "max_length", "pattern")
_WIDER: Final = {("integer", "number"), ("integer", "decimal")}
_DEEPEST: Final = 12
"""How deep records are written out; what lies deeper, as in a record that holds itself, is known by its name."""


def fields(places: Places, record: Record) -> dict[str, Fact]:
    """Return the fields of a record, by name."""
    return {name: _field(places, each, ()) for name, each in record.fields.items()}


def _field(places: Places, given: Field, around: tuple[int, ...]) -> Fact:
    found: Fact = {
        "at": places.at(given.address),
        "type": shape(given.type, around),
        "text": show(given.type),
        "required": given.required,
    }
    if given.has_default:
        found["default"] = given.default
    if given.foreign:
        found["called"] = given.foreign
    if given.constraints is not NO_CONSTRAINTS:
        found["bounds"] = _said(given.constraints)
    return found


def _said(given: Constraints) -> Fact:
    said = {name: getattr(given, name) for name in _CONSTRAINTS}
    return {name: each for name, each in said.items() if each is not None}


def shape(given: Type, around: tuple[int, ...] = ()) -> object:
    """Return a type as data: a name, or a list of a word and what belongs to it.

    A record is written out with its fields, so that its name does not matter.
    """
    match given:
        case Scalar():
            return given.name
        case ListOf():
            return ["list", shape(given.item, around)]
        case MapOf():
            return ["map", shape(given.value, around)]
        case Optional():
            return ["optional", shape(given.of, around)]
        case Enumeration():
            return ["enum", list(given.values)]
        case OneOf():
            return ["one of", [shape(each, around) for each in given.types]]
        case Record():
            return _record(given, around)


def _record(given: Record, around: tuple[int, ...]) -> object:
    if given.role == "built in" or id(given) in around or len(around) > _DEEPEST:
        return ["record", given.name]
    inside = (*around, id(given))
    found: dict[str, object] = {}
    for name, each in given.fields.items():
        found[name] = [
            shape(each.type, inside),
            "required" if each.required else "optional",
            _said(each.constraints),
        ]
    return ["record", found]


def fits(given: Any, wanted: Any) -> bool:
    """Return whether each value of one type is a value of another; where that is not sure, it is not."""
    if wanted in ("any", given):
        return True
    if _word(given) == "optional":
        return _word(wanted) == "optional" and fits(given[1], wanted[1])
    if _word(wanted) == "optional":
        return given == "null" or fits(given, wanted[1])
    if _word(given) == "one of":
        return all(fits(each, wanted) for each in given[1])
    if _word(wanted) == "one of":
        return any(fits(given, each) for each in wanted[1])
    if _word(given) == "enum":
        return _enum_fits(given[1], wanted)
    if _word(given) == "record":
        return _record_fits(given, wanted)
    if _word(given) and _word(given) == _word(wanted):
        return fits(given[1], wanted[1])
    return isinstance(given, str) and isinstance(wanted, str) and (given, wanted) in _WIDER


def _enum_fits(values: list[object], wanted: Any) -> bool:
    if _word(wanted) == "enum":
        known = [(type(each), each) for each in wanted[1]]
        return all((type(each), each) in known for each in values)
    names = {str: "string", int: "integer", bool: "boolean"}
    return all(names.get(type(each)) == wanted for each in values)


def _record_fits(given: Any, wanted: Any) -> bool:
    if _word(wanted) != "record":
        return False
    here, there = given[1], wanted[1]
    if isinstance(here, str) or isinstance(there, str):
        return bool(here == there)
    if any(name not in there for name in here):
        return False  # what a reader does not know it may refuse
    return all(_field_fits(here.get(name), wanted_field) for name, wanted_field in there.items())


def _field_fits(given: Any, wanted: Any) -> bool:
    type_, presence, bounds = wanted
    if given is None:
        return bool(presence != "required")
    if presence == "required" and given[1] != "required":
        return False
    return fits(given[0], type_) and within(given[2], bounds)


def within(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether bounds let pass all that other bounds let pass, which are given first."""
    return all(_is_looser(name, given.get(name), each) for name, each in wanted.items())


def _is_looser(name: str, given: Any, wanted: Any) -> bool:
    if given == wanted:
        return True
    if isinstance(given, int | float) and isinstance(wanted, int | float):
        return wanted <= given if name.startswith("min") else name.startswith("max") and wanted >= given
    return False


def _word(type_: Any) -> str:
    return type_[0] if isinstance(type_, list) else ""
