"""JSON Schemas that others have written, of OpenAPI descriptions and MCP servers, as types and as schemas of ours.

Nothing in them is believed: references lead nowhere but into the same document, and what is too deep, too large or not
understood becomes `any`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote

from wfc.compiler.diagnostics import Address
from wfc.compiler.python.literals import is_name, normal_form, pascal_case
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import (
    ANY,
    BOOLEAN,
    DATE,
    DATETIME,
    INTEGER,
    NUMBER,
    STRING,
    Enumeration,
    Field,
    ListOf,
    MapOf,
    Optional,
    Record,
    Type,
)

__all__ = ["ForeignSchemas", "own_name"]

DEEPEST: Final = 30
MOST_NODES: Final = 5_000
"""How many schemas, those within each other counted, one operation may have."""
MOST_FIELDS: Final = 200
MOST_VALUES: Final = 200
LONGEST_TEXT: Final = 2_000
LONGEST_NAME: Final = 200

SCALARS: Final[Mapping[str, Type]] = {
    "string": STRING,
    "integer": INTEGER,
    "number": NUMBER,
    "boolean": BOOLEAN,
}
FORMATS: Final[Mapping[str, Type]] = {"date": DATE, "date-time": DATETIME}
NUMBERS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
COUNTS: Final = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
TEXTS: Final = ("description", "format", "pattern")
LISTS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
TYPES: Final = frozenset({"string", "integer", "number", "boolean", "object", "array", "null"})


@dataclass(slots=True)
class ForeignSchemas:
    """The schemas of one document.

    Args:
        root: The document, into which references lead.
        prefix: What the names of records begin with.
        address: Where the spec mentions the document.
        records: Those made so far, by reference.
        left: How many schemas may still be looked at for the operation under way.
    """

    root: Mapping[str, object]
    prefix: str
    address: Address
    records: dict[str, Record] = field(default_factory=dict)
    left: int = MOST_NODES

    def begin(self) -> None:
        """Begin with another operation, which is bounded for itself."""
        self.left = MOST_NODES

    def find(self, data: object) -> Mapping[str, object]:
        """Return what stands at the end of references; an empty mapping if that is nowhere in this document."""
        seen: set[str] = set()
        while isinstance(data, Mapping) and isinstance(data.get("$ref"), str):
            name = str(data["$ref"])
            if name in seen:
                return {}
            seen.add(name)
            data = self.target(name)
        return data if isinstance(data, Mapping) else {}

    def target(self, name: str) -> object:
        """Return what one reference leads to; ``None`` outside this document."""
        if not name.startswith("#/"):
            return None
        place: object = self.root
        for step in unquote(name[2:]).split("/"):
            key = step.replace("~1", "/").replace("~0", "~")
            place = place.get(key) if isinstance(place, Mapping) else None
        return place

    # --- types
    def type(self, data: object, name: str, depth: int = 0) -> Type:
        """Return a schema as a type; `any` for what the language has no type for.

        Args:
            name: What a record would be called that stands here.
        """
        self.left -= 1
        if depth > DEEPEST or self.left < 0 or not isinstance(data, Mapping):
            return ANY
        reference = data.get("$ref")
        if isinstance(reference, str):
            name = f"{self.prefix}{pascal_case(own_name(reference.rpartition('/')[2], 'record'))}"
            if reference in self.records:
                return self.records[reference]
        found = self.find(data)
        is_null, schema = without_null(found)
        made = self.plain(self.find(schema), name, depth, reference if isinstance(reference, str) else "")
        return Optional(made) if is_null and made is not ANY and not isinstance(made, Optional) else made

    def plain(self, data: Mapping[str, object], name: str, depth: int, reference: str) -> Type:
        """Return a schema that allows no null as a type."""
        values = data.get("enum", [data["const"]] if "const" in data else None)
        if isinstance(values, list):
            return enumeration(values)
        kind = data.get("type")
        if isinstance(kind, str) and kind in SCALARS:
            written = data.get("format")
            return FORMATS.get(str(written), STRING) if kind == "string" else SCALARS[kind]
        if kind == "array":
            return ListOf(self.type(data.get("items"), f"{name}Item", depth + 1))
        fields, required = self.fields(data, depth)
        if fields is not None:
            return self.record(fields, required, name, depth, reference)
        inside = data.get("additionalProperties")
        if kind == "object" and isinstance(inside, Mapping):
            return MapOf(self.type(inside, f"{name}Value", depth + 1))
        return ANY

    def fields(self, data: Mapping[str, object], depth: int) -> tuple[dict[str, object] | None, set[str]]:
        """Return the properties of an object, and which of them it must have; ``None`` for what is no such object."""
        found: dict[str, object] = {}
        required: set[str] = set()
        parts = data.get("allOf")
        for part in parts if isinstance(parts, list) and depth <= DEEPEST else ():
            self.left -= 1
            inner, more = self.fields(self.find(part), depth + 1) if self.left > 0 else (None, set())
            if inner is None:
                return None, set()
            found |= inner
            required |= more
        own = data.get("properties")
        if any(key in data for key in ("anyOf", "oneOf")) or not (isinstance(own, Mapping) or found):
            return None, set()
        found |= {str(name): each for name, each in own.items()} if isinstance(own, Mapping) else {}
        listed = data.get("required")
        required |= {str(each) for each in listed} if isinstance(listed, list) else set()
        return (found, required) if 0 < len(found) <= MOST_FIELDS else (None, set())

    def record(
        self, fields: Mapping[str, object], required: set[str], name: str, depth: int, reference: str
    ) -> Record:
        """Return an object as a record, which may mention itself."""
        made = Record(name, role="output", address=self.address)
        if reference:
            made.called = reference.rpartition("/")[2]
            self.records[reference] = made
        self.fill(made, fields, required, depth)
        return made

    def fill(self, record: Record, fields: Mapping[str, object], required: set[str], depth: int = 0) -> None:
        """Give a record its fields, with names that fields may have."""
        for number, (outside, data) in enumerate(fields.items(), 1):
            if not outside.isprintable() or not 0 < len(outside) <= LONGEST_NAME:
                continue
            name = own_name(outside, f"field_{number}")
            while name in record.fields:
                name += "_"
            type_ = self.type(data, f"{record.name}{pascal_case(name)}", depth + 1)
            if outside not in required and type_ is not ANY and not isinstance(type_, Optional):
                type_ = Optional(type_)
            said = self.find(data).get("description")
            record.fields[name] = Field(
                name,
                type_,
                has_default=type_ is ANY and outside not in required,
                description=said[:LONGEST_TEXT] if isinstance(said, str) else "",
                address=self.address,
                foreign=outside if outside != name else "",
            )

    # --- schemas
    def schema(self, data: object) -> dict[str, Any]:
        """Return a schema that stands alone: with the keywords that are understood, and what it refers to inside it."""
        defs: dict[str, Any] = {}
        names: dict[str, str] = {}
        made = self.cleaned(data, names, defs, 0)
        return {**made, "$defs": defs} if defs else made

    def cleaned(
        self, data: object, names: dict[str, str], defs: dict[str, Any], depth: int
    ) -> dict[str, Any]:
        self.left -= 1
        if not isinstance(data, Mapping) or depth > DEEPEST or self.left < 0:
            return {}
        if isinstance(data.get("$ref"), str):
            return self.referred(str(data["$ref"]), names, defs)
        found = plain_keywords(data)
        for key in LISTS:
            if isinstance(data.get(key), list) and data[key]:
                found[key] = [self.cleaned(each, names, defs, depth + 1) for each in listed(data[key])]
        if isinstance(data.get("properties"), Mapping):
            found["properties"] = {
                str(name): self.cleaned(each, names, defs, depth + 1)
                for name, each in mapped(data["properties"])
            }
        for key in ("items", "additionalProperties"):
            if isinstance(data.get(key), bool):
                found[key] = data[key]
            elif isinstance(data.get(key), Mapping):
                found[key] = self.cleaned(data[key], names, defs, depth + 1)
        if data.get("nullable") is True:  # as OpenAPI 3.0 has it
            found = {"anyOf": [found, {"type": "null"}]}
        return found

    def referred(self, reference: str, names: dict[str, str], defs: dict[str, Any]) -> dict[str, Any]:
        """Return a reference to what is kept beside the schema."""
        target = self.target(reference)
        if not isinstance(target, Mapping):
            return {}
        if reference not in names:
            base = own_name(reference.rpartition("/")[2], "record")
            taken = set(names.values())
            names[reference] = next(
                each
                for each in (base, *(f"{base}_{number}" for number in range(2, 10_000)))
                if each not in taken
            )
            defs[names[reference]] = {}  # it may refer to itself
            defs[names[reference]] = self.cleaned(target, names, defs, 1)
        return {"$ref": f"#/$defs/{names[reference]}"}


def own_name(outside: str, otherwise: str) -> str:
    """Return what a field or an operation is called here that others call something else."""
    name = normal_form(outside)
    if not is_name(name):
        name = re.sub(r"\W+", "_", name).strip("_")
    return name if is_name(name) else otherwise


def without_null(data: Mapping[str, object]) -> tuple[bool, Mapping[str, object]]:
    """Return whether a schema allows null, and what it says of other values."""
    kinds = data.get("type")
    if isinstance(kinds, list):
        others = [each for each in kinds if each != "null"]
        kept = {key: each for key, each in data.items() if key != "type"}
        return len(others) < len(kinds), {**kept, "type": others[0]} if len(others) == 1 else kept
    for key in ("anyOf", "oneOf"):
        choices = data.get(key)
        if isinstance(choices, list):
            others = [
                each for each in choices if not (isinstance(each, Mapping) and each.get("type") == "null")
            ]
            if len(others) == 1 and isinstance(others[0], Mapping):
                return len(choices) > 1, others[0]
    return data.get("nullable") is True, data


def enumeration(values: list[object]) -> Type:
    """Return the type of one of some values; the plain type of those that our choices cannot be."""
    given = [each for each in values if each is not None]
    texts = [each for each in given if isinstance(each, str) and each.isprintable() and each]
    if not given or len(texts) != len(given) or len(set(texts)) != len(texts) or len(texts) > MOST_VALUES:
        return STRING if given and all(isinstance(each, str) for each in given) else ANY
    made: Type = Enumeration(tuple(texts))
    return made if len(given) == len(values) else Optional(made)


def plain_keywords(data: Mapping[str, object]) -> dict[str, Any]:
    """Return those keywords of a schema that hold no other schemas, as far as they are what they should be."""
    found: dict[str, Any] = {}
    kind = data.get("type")
    kinds = [each for each in kind if each in TYPES] if isinstance(kind, list) else [kind]
    if kinds and all(isinstance(each, str) and each in TYPES for each in kinds):
        found["type"] = kinds if isinstance(kind, list) else kind
    for key in NUMBERS:
        number = data.get(key)
        if isinstance(number, int | float) and is_number(number) and (key != "multipleOf" or number > 0):
            found[key] = number
    for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if data.get(flag) is True and bound in found:  # as OpenAPI 3.0 has it
            found[flag] = found.pop(bound)
    for key in COUNTS:
        value = data.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            found[key] = value
    for key in TEXTS:
        if isinstance(data.get(key), str):
            found[key] = str(data[key])[:LONGEST_TEXT]
    required = data.get("required")
    if isinstance(required, list) and all(isinstance(each, str) for each in required):
        found["required"] = list(dict.fromkeys(required))
    values = data.get("enum", [data["const"]] if "const" in data else None)
    if isinstance(values, list) and 0 < len(values) <= MOST_VALUES and all(map(is_scalar, values)):
        found["enum"] = values
    return found


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_scalar(value: object) -> bool:
    return value is None or isinstance(value, str | bool) or is_number(value)


def listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def mapped(value: object) -> Iterator[tuple[object, object]]:
    yield from value.items() if isinstance(value, Mapping) else ()
