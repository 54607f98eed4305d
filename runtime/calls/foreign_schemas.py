"""JSON Schemas that others have written, against which arguments are held before they are sent.

The compiler has cleaned them: references lead nowhere but into the same schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from pydantic_core import to_json, to_jsonable_python

from wfc.runtime.errors import StepError
from wfc.runtime.values.outputs import InvalidOutput, plain

__all__ = ["ForeignSchema"]

LONGEST_SHOWN: Final = 300
MOST_SHOWN: Final = 3
DEEPEST: Final = 30
UNHELD: Final = ("pattern", "patternProperties", "format")
"""Keywords that are left to whoever offers the tool: a pattern of others may take for ever."""


@dataclass(frozen=True)
class ForeignSchema:
    """The JSON Schema of a tool's arguments, as whoever offers the tool has it.

    Args:
        schema: An object's; what it refers to is under its ``$defs``.
    """

    schema: Mapping[str, Any]

    def shown(self, hidden: frozenset[str]) -> dict[str, Any]:
        """Return the schema as a model is told of it, without some of the arguments."""
        found = dict(self.schema)
        for key in ("properties", "required"):
            whole = found.get(key)
            if isinstance(whole, Mapping):
                found[key] = {name: each for name, each in whole.items() if name not in hidden}
            elif isinstance(whole, list):
                found[key] = [name for name in whole if name not in hidden]
        found.setdefault("properties", {})
        return found

    def given(self, args: Mapping[str, object]) -> dict[str, Any]:
        """Return arguments as JSON data, without the nulls of those that were not given.

        Raises:
            StepError: ``tool.arguments``: they do not fit.
        """
        data = to_jsonable_python({name: plain(value) for name, value in args.items()})
        given: dict[str, Any] = self._without_absent(data, self.schema, 0)
        try:
            self.check(given)
        except InvalidOutput as error:
            raise StepError("tool.arguments", f"the arguments do not fit: {error}") from None
        return given

    def check(self, given: object) -> None:
        """Check arguments that are plain JSON data.

        Raises:
            InvalidOutput: They do not fit.
        """
        found = []
        for error in _validator(to_json(self.schema)).iter_errors(given):
            place = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in error.absolute_path)
            found.append(f"{place.lstrip('.') or 'as a whole'}: {error.message[:LONGEST_SHOWN]}")
            if len(found) == MOST_SHOWN:
                break
        if found:
            raise InvalidOutput("; ".join(found))

    def _without_absent(self, value: Any, schema: object, depth: int) -> Any:
        """Return data without the nulls for which a schema has no room and which it does not require."""
        if depth > DEEPEST:
            return value
        parts = list(self._parts(schema, 0))
        if isinstance(value, list):
            item: object = next((each["items"] for each in parts if "items" in each), {})
            return [self._without_absent(each, item, depth + 1) for each in value]
        if not isinstance(value, dict):
            return value
        fields = {name: each for part in parts for name, each in _mapping(part.get("properties")).items()}
        required = {name for part in parts for name in part.get("required", ())}
        return {
            name: self._without_absent(each, fields.get(name), depth + 1)
            for name, each in value.items()
            if each is not None or name in required or self._has_room(fields.get(name))
        }

    def _parts(self, schema: object, depth: int) -> Iterator[Mapping[str, Any]]:
        """Yield a schema and those that it is put together of."""
        if not isinstance(schema, Mapping) or depth > DEEPEST:
            return
        reference = schema.get("$ref")
        if isinstance(reference, str):
            defs = _mapping(self.schema.get("$defs"))
            yield from self._parts(defs.get(reference.removeprefix("#/$defs/")), depth + 1)
            return
        yield schema
        for key in ("allOf", "anyOf", "oneOf"):
            for each in schema.get(key, ()):
                yield from self._parts(each, depth + 1)

    def _has_room(self, schema: object) -> bool:
        """Return whether a schema speaks of null."""
        return any(
            each.get("type") == "null"
            or (isinstance(each.get("type"), list) and "null" in each["type"])
            or None in each.get("enum", ())
            for each in self._parts(schema, 0)
        )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


@lru_cache(maxsize=256)
def _validator(schema: bytes) -> Any:
    """Return what holds data against a schema; it fetches nothing, and tries no patterns."""
    import json

    from jsonschema import Draft202012Validator, validators  # slow, and few workflows need it
    from referencing import Registry

    held = {key: check for key, check in Draft202012Validator.VALIDATORS.items() if key not in UNHELD}
    made = validators.create(Draft202012Validator.META_SCHEMA, held)
    return made(json.loads(schema), registry=Registry())
