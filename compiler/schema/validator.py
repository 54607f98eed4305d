"""Functions that check data against a JSON Schema, each built from its part of the schema at first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from wfc.compiler.schema.keywords import ANNOTATIONS, KEYWORDS, NOT_YET, is_same, type_check

__all__ = ["OF_MAPS", "Check", "Validator"]

Check = Callable[[Any], bool]
Schema = Mapping[str, Any]

OF_MAPS: Final = frozenset(
    {"required", "minProperties", "propertyNames", "properties", "additionalProperties"}
)


class Validator:
    """A schema of the keywords in `KEYWORDS`, ready to check data.

    Parts marked `NOT_YET` fit nothing, and a whole number written as `3.0` is no integer; otherwise a value fits
    exactly if the standard says so.

    Args:
        schema: Not to be changed afterwards.
    """

    def __init__(self, schema: Schema) -> None:
        self.definitions: Mapping[str, Schema] = schema.get("$defs", {})
        self.schema = schema
        self.checks: dict[int, Check] = {}
        self.fits = self.check(schema)

    def definition(self, name: str) -> Check:
        """Return the check of a named definition."""
        return self.check(self.definitions[name])

    def check(self, schema: Schema | bool) -> Check:
        """Return the function that says whether a value fits a part of the schema.

        Raises:
            NotImplementedError: The part has a keyword that is not in `KEYWORDS`, or refers to what is no definition.
                Of the parts within it this is raised at the latest when data first comes to them.
        """
        if isinstance(schema, bool):
            return anything if schema else nothing
        place = id(schema)
        if place not in self.checks:
            self.checks[place] = self.later(place)  # for a definition that mentions itself
            self.checks[place] = self.build(schema)
        return self.checks[place]

    def later(self, place: int) -> Check:
        def check(value: Any) -> bool:
            return self.checks[place](value)

        return check

    def build(self, schema: Schema) -> Check:
        if unknown := schema.keys() - KEYWORDS - ANNOTATIONS:
            raise NotImplementedError(str(sorted(unknown)))
        if schema.get("$comment") == NOT_YET:
            return nothing
        checks = [
            *of_scalars(schema),
            *self.of_lists(schema),
            *self.of_maps(schema),
            *self.of_choices(schema),
        ]
        return every(checks)

    def of_lists(self, schema: Schema) -> Iterator[Check]:
        least, items = schema.get("minItems", 0), schema.get("items", True)
        if not least and items is True:
            return
        each = self.check(items)

        yield lambda value: not isinstance(value, list) or (len(value) >= least and all(map(each, value)))

    def of_maps(self, schema: Schema) -> Iterator[Check]:
        required, least = frozenset(schema.get("required", ())), schema.get("minProperties", 0)
        if required:
            yield lambda value: not isinstance(value, dict) or required <= value.keys()
        if least:
            yield lambda value: not isinstance(value, dict) or len(value) >= least
        if "propertyNames" in schema:
            name = self.check(schema["propertyNames"])
            yield lambda value: not isinstance(value, dict) or all(map(name, value))
        if "properties" in schema or "additionalProperties" in schema:
            yield self.of_entries(
                schema.get("properties", {}), self.check(schema.get("additionalProperties", True))
            )

    def of_entries(self, properties: Mapping[str, Schema], others: Check) -> Check:
        known: dict[str, Check] = {}

        def check(value: Any) -> bool:
            if not isinstance(value, dict):
                return True
            for key, entry in value.items():
                fits = known.get(key)
                if fits is None:
                    if key not in properties:
                        fits = others
                    else:
                        fits = known[key] = self.check(properties[key])
                if fits is not anything and not fits(entry):
                    return False
            return True

        return check

    def of_choices(self, schema: Schema) -> Iterator[Check]:
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            if name not in self.definitions:
                raise NotImplementedError(schema["$ref"])
            yield self.definition(name)
        if "anyOf" in schema:
            yield some([self.check(each) for each in schema["anyOf"]])
        if "allOf" in schema:
            yield self.by_key(schema["allOf"]) or every([self.check(each) for each in schema["allOf"]])
        if "if" in schema:
            yield self.branches(schema["if"], schema.get("then", True), schema.get("else", True))

    def branches(self, condition: Schema | bool, then: Schema | bool, otherwise: Schema | bool) -> Check:
        holds = self.check(condition)
        built: dict[bool, Check] = {}

        def check(value: Any) -> bool:
            held = holds(value)
            if held not in built:
                built[held] = self.check(then if held else otherwise)
            return built[held](value)

        return check

    def by_key(self, choices: Sequence[Schema | bool]) -> Check | None:
        """Return one look-up for an `allOf` that has an `if` and `then` for each text at one key, else ``None``."""
        found = [chosen(each) for each in choices]
        table = {text: then for _, text, then in filter(None, found)}
        keys = {each and each[0] for each in found}
        if None in keys or len(keys) != 1 or len(table) != len(found):
            return None
        (key,) = keys

        def check(value: Any) -> bool:
            text = value.get(key) if isinstance(value, dict) else None
            return not isinstance(text, str) or text not in table or self.check(table[text])(value)

        return check


def chosen(choice: Schema | bool) -> tuple[str, str, Schema | bool] | None:
    """Return key, text and `then` of a choice that says `if: {required: [key], properties: {key: {const: text}}}`."""
    match choice:
        case {"if": {"required": [str(key)], "properties": properties, **more}, "then": then, **rest}:
            text = properties.get(key, {}).get("const")
            plain = not rest and more in ({}, {"type": "object"}) and properties == {key: {"const": text}}
            return (key, text, then) if plain and isinstance(text, str) else None
    return None


def of_scalars(schema: Schema) -> Iterator[Check]:
    """Yield the checks of the keywords that look at a value without its parts."""
    if "type" in schema:
        types = schema["type"]
        yield type_check(*((types,) if isinstance(types, str) else types))
    if "const" in schema:
        yield one_of([schema["const"]])
    if "enum" in schema:
        yield one_of(schema["enum"])
    least, most, is_number = schema.get("minimum"), schema.get("maximum"), type_check("number")
    if least is not None:
        yield lambda value: not is_number(value) or value >= least
    if most is not None:
        yield lambda value: not is_number(value) or value <= most


def one_of(constants: Sequence[Any]) -> Check:
    """Return the check for a few constants.

    Raises:
        NotImplementedError: One of them is a list or a map, or has a fraction.
    """
    if unknown := [each for each in constants if isinstance(each, (list, dict, float))]:
        raise NotImplementedError(f"the constant {unknown[0]!r}")
    if all(isinstance(each, str) for each in constants):
        texts = frozenset(constants)
        return lambda value: isinstance(value, str) and value in texts
    return lambda value: any(is_same(value, each) for each in constants)


def every(checks: Sequence[Check]) -> Check:
    """Return one check that requires several to pass; calls cost less than a generator over them."""
    if len(checks) < 2:
        return checks[0] if checks else anything
    first, second, others = checks[0], checks[1], checks[2:]
    if not others:
        return lambda value: first(value) and second(value)
    third = every(others)
    return lambda value: first(value) and second(value) and third(value)


def some(checks: Sequence[Check]) -> Check:
    """Return one check that requires any of several to pass."""
    if len(checks) < 2:
        return checks[0] if checks else nothing
    first, others = checks[0], some(checks[1:])
    return lambda value: first(value) or others(value)


def anything(_value: Any) -> bool:
    return True


def nothing(_value: Any) -> bool:
    return False
