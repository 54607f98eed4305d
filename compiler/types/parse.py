"""Type expressions of a spec → types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.python.literals import is_name, normal_form, pascal_case, snake_case
from wfc.compiler.rules import names as names_problems
from wfc.compiler.rules import outside_names as outside_problems
from wfc.compiler.rules import pauses as pause_problems
from wfc.compiler.rules import type_keys as type_keys_problems
from wfc.compiler.rules import types as problems
from wfc.compiler.slotted import dataclass, replace
from wfc.compiler.types.built_in import BUILT_IN
from wfc.compiler.types.constraints import parse_constraints
from wfc.compiler.types.long_form import (
    CHOICES,
    LONG_KEYS,
    check_plain,
    is_long_form,
    mended,
)
from wfc.compiler.types.outside_names import check_outside_names, field_with_own_name, read_outside_name
from wfc.compiler.types.shapes import (
    ANY,
    BOOLEAN,
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    INTEGER,
    NO_CONSTRAINTS,
    NUMBER,
    STRING,
    UNKNOWN,
    Enumeration,
    Field,
    ListOf,
    MapOf,
    OneOf,
    Optional,
    Record,
    Scalar,
    Type,
)
from wfc.compiler.types.values import fits

__all__ = ["SCALARS", "is_long_form", "parse_field", "parse_fields", "parse_type"]

SCALARS: Final[Mapping[str, Scalar]] = {
    scalar.name: scalar
    for scalar in (STRING, INTEGER, NUMBER, DECIMAL, BOOLEAN, DATE, DATETIME, DURATION, ANY)
}
ONLY_ENUM: Final = {"enum"}
MAX_NESTING: Final = 20  # types in types; the reader lets a hundred through, people follow five
WORD: Final = r"\S+"


@dataclass(frozen=True, slots=True)
class Declared:
    """The names that a type may mention, and the receiver of findings."""

    names: Mapping[str, Type]
    report: Report


def parse_type(data: object, place: Place, declared: Mapping[str, Type], report: Report, name: str) -> Type:
    """Return the type that an author has written, in its short or its long form.

    Args:
        data: ``list of string``, ``{type: …}``, ``{enum: […]}``, ``{one_of: […]}`` or ``{field: type}``.
        place: Where it stands.
        declared: The spec's own types and events, by name. ``UNKNOWN`` for those that are broken.
        report: Takes what is wrong; what is wrong has the type ``UNKNOWN``.
        name: The class name for a record that is written in place here.
    """
    return parsed(data, place, Declared(declared, report), name, 0)


def parse_fields(
    data: object, place: Place, declared: Mapping[str, Type], report: Report, into: Record, depth: int = 0
) -> None:
    """Fill a record with the fields that are written at a place."""
    if not isinstance(data, dict):
        report(problems.not_a_type(place, data))
        return
    foreign = bool(into.fields) and any(each.foreign for each in into.fields.values())
    for key, value in data.items():
        at = place / key
        if not isinstance(key, str):
            report(names_problems.bad_name(at.key, str(key), "a name is a text"))
            continue
        name = normal_form(key)
        if not fine_name(name, at, report, into, data):
            continue
        if name in into.fields:
            first = Place(into.fields[name].address, "key")
            report(names_problems.name_declared_twice(at.key, name, first, "a field of the same record"))
            continue
        if isinstance(value, str) and value in SCALARS and name == key:  # as most are
            into.fields[name] = Field(name, SCALARS[value], address=at.address)
            continue
        inner = f"{into.name}{pascal_case(name)}" if isinstance(value, dict) else ""
        field = parse_field(name, value, at, declared, report, inner, depth)
        if name != key and not field.foreign and into.role not in ("state", "config"):
            field = replace(field, foreign=key)  # data has the name as it is written, not in normal form
        into.fields[name] = field
        foreign = foreign or bool(field.foreign)
        if field.foreign and into.role in ("state", "config"):
            report(outside_problems.as_not_here(at / "as", f"the {into.role} stays inside"))
    if foreign:
        check_outside_names(into.fields.values(), (), report)


def fine_name(name: str, at: Place, report: Report, record: Record, data: Mapping[str, object]) -> bool:
    """Return whether a name can be that of a record's field.

    Capitals may be anywhere in the fields of types and outputs, for a service names its own data.

    Args:
        data: The fields as they are written.
    """
    style = record.role not in ("type", "output")
    if not is_name(name):
        why = "it begins with `_`" if name.startswith("_") else "letters, digits and `_` only, a letter first"
        fix = None
        if record.role not in ("state", "config"):
            written = at.address[-1]
            fix = field_with_own_name(str(written), data.get(str(written)), at, data, small=style)
        report(names_problems.bad_name(at.key, name, why, fix=fix))
        return False
    if style and not name.islower() and any(map(str.isupper, name)) and snake_case(name) != name:
        report(names_problems.not_snake_case(at.key, name, "field", snake_case(name)))
    return True


def parse_field(
    name: str,
    data: object,
    place: Place,
    declared: Mapping[str, Type],
    report: Report,
    inner: str,
    depth: int = 0,
) -> Field:
    """One field of a record, an event, `state`, `config` or `args`.

    Args:
        name: Of the field, in normal form.
        inner: The class name for a record that is written in place as its type.
    """
    world = Declared(declared, report)
    if not isinstance(data, dict):
        return Field(name, parsed(data, place, world, inner, depth), address=place.address)
    if data.keys() == ONLY_ENUM:  # as most that are more than a word
        check_plain(data["enum"], place / "enum", "enum", report)
        type = parse_enum(data["enum"], place / "enum", world, inner, depth)
        return Field(name, type, address=place.address)
    data = mended(data, place, report)
    if not is_long_form(data):
        return Field(name, of_map(data, place, world, inner, depth), address=place.address)
    foreign = read_outside_name(data, place, report)
    type = of_map({key: each for key, each in data.items() if key != "as"}, place, world, inner, depth)
    constraints = parse_constraints(data, type, place, report)
    description = data.get("description")
    default = data.get("default")
    if "default" in data and (misfit := fits(default, type, constraints or NO_CONSTRAINTS)):
        at = misfit.at(place / "default")
        report(
            type_keys_problems.default_does_not_fit(at, misfit.reason, misfit.name, misfit.known, misfit.hint)
        )
    return Field(
        name,
        type,
        has_default="default" in data,
        default=default,
        description=description if isinstance(description, str) else "",
        constraints=constraints or NO_CONSTRAINTS,
        address=place.address,
        foreign=foreign if foreign != name else "",
    )


def parsed(data: object, place: Place, world: Declared, name: str, depth: int) -> Type:
    if isinstance(data, dict):
        return of_map(mended(data, place, world.report), place, world, name, depth)
    if depth > MAX_NESTING:
        world.report(problems.type_too_deep(place, MAX_NESTING))
        return UNKNOWN
    if not isinstance(data, str):
        world.report(problems.not_a_type(place, data))
        return UNKNOWN
    return SCALARS[data] if data in SCALARS else parse_words(data, place, world)


def of_map(data: dict[str, object], place: Place, world: Declared, name: str, depth: int) -> Type:
    """Return the type that a mapping describes: the long form, or the fields of a record."""
    if depth > MAX_NESTING:
        world.report(problems.type_too_deep(place, MAX_NESTING))
        return UNKNOWN
    if not is_long_form(data):
        record = Record(name, role="output", address=place.address)
        parse_fields(data, place, world.names, world.report, record, depth + 1)
        return record
    return parse_long(data, place, world, name, depth)


def parse_long(data: Mapping[str, object], place: Place, world: Declared, name: str, depth: int) -> Type:
    given = [key for key in ("type", "enum", "one_of") if key in data]
    for key in ("default", "description", "enum"):
        if key in data:
            check_plain(data[key], place / key, key, world.report)
    if "as" in data:
        world.report(outside_problems.as_not_here(place / "as", "here is no field"))
    if len(given) > 1:
        at = (place / given[1]).key
        world.report(problems.two_types_at_once(at, given[0], given[1], str(data.get("type", ""))))
        return UNKNOWN
    if CHOICES in data:  # a form's own fields come without it
        world.report(pause_problems.choices_elsewhere((place / CHOICES).key))
    if unknown := [key for key in data if key not in LONG_KEYS and key != CHOICES]:
        for key in unknown:
            world.report(
                type_keys_problems.unknown_type_key(
                    (place / key).key, str(key), sorted(LONG_KEYS - {"merge"})
                )
            )
        return UNKNOWN
    if given == ["type"]:
        return parsed(data["type"], place / "type", world, name, depth + 1)
    inner = parse_enum if given == ["enum"] else parse_one_of
    return inner(data[given[0]], place / given[0], world, name, depth)


def parse_enum(data: object, place: Place, world: Declared, name: str, depth: int) -> Type:
    if not isinstance(data, list) or not data:
        world.report(type_keys_problems.empty_enum(place))
        return UNKNOWN
    if set(map(type, data)) == {str} and len(set(data)) == len(data):  # as most are
        return Enumeration(tuple(data))
    values: dict[tuple[type, object], str | int | bool] = {}
    is_whole = True
    for index, value in enumerate(data):
        if not isinstance(value, (str, int)):
            world.report(type_keys_problems.bad_enum_value(place / index, value))
            is_whole = False
        elif (value.__class__, value) in values:
            world.report(type_keys_problems.enum_value_twice(place / index, value))
        else:
            values[value.__class__, value] = value
    return Enumeration(tuple(values.values())) if is_whole else UNKNOWN  # nobody knows what else was meant


def parse_one_of(data: object, place: Place, world: Declared, name: str, depth: int) -> Type:
    if not isinstance(data, list) or len(data) < 2:
        world.report(type_keys_problems.too_few_alternatives(place))
        return UNKNOWN
    known = {*world.names, *SCALARS, *BUILT_IN}
    if all(isinstance(each, str) and each not in known for each in data):
        from wfc.compiler.types.notations import SYNONYMS, values_for_types  # a good spec never needs it

        if hint := values_for_types(data, {*known, *SYNONYMS}):
            world.report(replace(problems.unknown_type(place / 0, data[0], ()), hint=hint, fix=None))
            return UNKNOWN
    found: dict[Type, None] = {}
    optional = False
    for index, each in enumerate(data):
        type = parsed(each, place / index, world, f"{name}{index + 1}", depth + 1)
        if isinstance(type, Optional):
            optional, type = True, type.of
        for member in type.types if isinstance(type, OneOf) else (type,):
            if member in found and member != UNKNOWN:
                world.report(type_keys_problems.alternative_twice(place / index, each))
            else:
                found[member] = None
    if UNKNOWN in found:
        return UNKNOWN
    one_of = OneOf(tuple(found)) if len(found) > 1 else next(iter(found))
    return Optional(one_of) if optional else one_of


@dataclass(slots=True)
class Words:
    """The words of a type in its short form, each with its stretch, and how far they are read."""

    found: list[re.Match[str]]
    place: Place
    next: int = 0

    def take(self) -> re.Match[str] | None:
        if self.next >= len(self.found):
            return None
        self.next += 1
        return self.found[self.next - 1]

    def rest(self) -> Place:
        return self.place.stretch(self.found[self.next].start(), self.found[-1].end())


def parse_words(text: str, place: Place, world: Declared) -> Type:
    """``optional list of Order``: the words before the last each wrap what follows."""
    words = Words(list(re.finditer(WORD, text)), place)
    if not words.found:
        world.report(problems.not_a_type(place, text))
        return UNKNOWN
    if len(words.found) > 2 * MAX_NESTING:
        world.report(problems.type_too_deep(place, MAX_NESTING))
        return UNKNOWN
    wrappers: list[str] = []
    while True:
        word = words.take()
        if word is None:
            last = words.found[-1]
            world.report(problems.type_unfinished(place.stretch(last.start(), last.end()), last.group()))
            return UNKNOWN
        at = place.stretch(word.start(), word.end())
        if word.group() in {"list", "map"} and words.next < len(words.found):
            of = words.take()
            if of is None or of.group() != "of":
                if not elsewhere(text, place, world):
                    world.report(problems.of_is_missing(at, word.group()))
                return UNKNOWN
            wrappers.append(word.group())
        elif word.group() == "optional":
            if wrappers[-1:] == ["optional"]:
                world.report(problems.optional_twice(at))
                return UNKNOWN
            wrappers.append("optional")
        else:
            break
    if words.next < len(words.found):
        known = word.group() in {*world.names, *SCALARS, *BUILT_IN}
        if words.found[words.next].group() == "of" and not known:
            if not elsewhere(text, place, world):
                world.report(problems.unknown_type(at, word.group(), ["list", "map"]))
            return UNKNOWN
        if not elsewhere(text, place, world):
            world.report(problems.words_after_type(words.rest(), word.group(), text.strip()))
        return UNKNOWN
    if not word.group().isidentifier() and elsewhere(text, place, world):
        return UNKNOWN
    return wrapped(named(word.group(), at, world), wrappers)


def elsewhere(text: str, place: Place, world: Declared) -> bool:
    """Report a type in the notation of another language with its equivalent; return whether it is one."""
    from wfc.compiler.types.notations import other_notation  # a good spec never needs it

    written = text.strip()
    meant = other_notation(written)
    inner = written.removesuffix("?")
    if (
        inner != written
        and meant == f"optional {inner}"
        and not {inner} & {*world.names, *SCALARS, *BUILT_IN}
    ):
        meant = ""  # a question, or a type that there is not, rather than one that may be missing
    if meant:
        start = text.index(written)
        at = place.stretch(start, start + len(written))
        world.report(problems.unknown_type(at, written, (), meant))
    return bool(meant)


def wrapped(type: Type, wrappers: list[str]) -> Type:
    if type == UNKNOWN:
        return UNKNOWN
    for wrapper in reversed(wrappers):
        if wrapper == "list":
            type = ListOf(type)
        elif wrapper == "map":
            type = MapOf(type)
        elif not isinstance(type, Optional):
            type = Optional(type)
    return type


def named(word: str, at: Place, world: Declared) -> Type:
    name = normal_form(word)
    if name in SCALARS:
        return SCALARS[name]
    if name in world.names:
        return world.names[name]
    if name in BUILT_IN:
        return BUILT_IN[name]
    built_in = [*SCALARS, *BUILT_IN]
    from wfc.compiler.types.notations import SYNONYMS  # a good spec never needs it

    meant = SYNONYMS.get(word.lower(), "")
    if name.endswith("?") and name[:-1] in {*built_in, *world.names}:
        meant = f"optional {name[:-1]}"
    world.report(problems.unknown_type(at, word, world.names, meant, built_in))
    return UNKNOWN
