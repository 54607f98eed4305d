"""Bodies and parameters held against what an endpoint takes, before the endpoint sees them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from wfc.runtime.server.calls import FieldProblem, Problem, pointer
from wfc.runtime.values.strict_json import parsed

__all__ = ["fitting_body", "fitting_query"]

_KINDS: Final[Mapping[str, type]] = {
    "string": str,
    "object": dict,
    "integer": int,
    "array": list,
    "boolean": bool,
}
_WORDS: Final = {
    "string": "a text",
    "object": "an object",
    "integer": "a whole number",
    "array": "a list",
    "boolean": "yes or no, `true` or `false`",
}
_SHOWN: Final = 100


def fitting_body(body: bytes, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the body of a request, a JSON object that fits the schema of an endpoint; an empty one is an empty object.

    Raises:
        Problem: It is none, or does not fit.
    """
    try:
        data = parsed(body) if body.strip() else {}
    except ValueError as error:
        raise Problem(400, "body.json", f"the body is not JSON that can be taken: {error}") from None
    if not isinstance(data, dict):
        raise Problem(400, "body.json", "the body is not a JSON object")
    if schema is None:
        return {}
    if errors := list(_misfits_in(data, schema)):
        raise Problem(422, "body.members", "the body does not fit", errors=tuple(errors[:20]))
    return data


def _misfits_in(data: Mapping[str, Any], schema: Mapping[str, Any], *above: object) -> Iterator[FieldProblem]:
    """Yield what is wrong with the members of an object."""
    if "properties" not in schema:  # it may have any
        return
    members: Mapping[str, Mapping[str, Any]] = schema["properties"]
    known = ", ".join(members) or "none"
    for name in data:
        if name not in members:
            told = f"there is no such member; there are: {known}"
            yield FieldProblem(pointer(*above, name[:_SHOWN]), told)
    for name in schema.get("required", ()):
        if name not in data:
            yield FieldProblem(pointer(*above, name), "it is needed")
    for name, value in data.items():
        if name in members:
            yield from _misfits_of(value, members[name], *above, name)


def _misfits_of(value: object, schema: Mapping[str, Any], *above: object) -> Iterator[FieldProblem]:
    if wrong := _misfit(value, schema):
        yield FieldProblem(pointer(*above), wrong)
    elif isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from _misfits_of(item, schema["items"], *above, number)
    elif isinstance(value, dict):
        yield from _misfits_in(value, schema, *above)


def fitting_query(
    items: Iterable[tuple[str, str]], schemas: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """Return the parameters behind a path, which an endpoint takes, each once.

    Raises:
        Problem: One is there twice, does not fit, or there is none of that name.
    """
    found: dict[str, str] = {}
    for name, value in items:
        if name in found:
            raise Problem(400, "query", f"the parameter `{name}` is there twice")
        if name not in schemas:
            known = ", ".join(schemas) or "none"
            raise Problem(400, "query", f"there is no parameter of this name; there are: {known}")
        is_number = value.isascii() and value.isdigit() and len(value) <= 18
        wanted = schemas[name]
        read: object = int(value) if is_number and wanted.get("type") == "integer" else value
        if wrong := _misfit(read, wanted):
            raise Problem(400, "query", f"`{name}` does not fit: {wrong}")
        found[name] = value
    return found


def _misfit(value: object, schema: Mapping[str, Any]) -> str:
    """Return what is wrong with a value; empty: nothing."""
    kind = schema.get("type")
    if kind is None:
        return ""
    is_flag = isinstance(value, bool)  # which Python takes for a number
    if is_flag != (kind == "boolean") or not isinstance(value, _KINDS[kind]):
        return f"{_bounded(schema)} is wanted"
    if kind == "integer" and not schema["minimum"] <= value <= schema["maximum"]:
        return f"{_bounded(schema)} is wanted"
    if isinstance(value, list) and not schema["minItems"] <= len(value) <= schema["maxItems"]:
        return f"a list of {schema['minItems']} to {schema['maxItems']} is wanted"
    if isinstance(value, str):
        if value not in schema.get("enum", (value,)):
            return "it is one of " + ", ".join(f"`{one}`" for one in schema["enum"] if one)
        if "\0" in value:  # which PostgreSQL has in no text
            return "a text without the character NUL is wanted"
    return ""


def _bounded(schema: Mapping[str, Any]) -> str:
    words = _WORDS[schema["type"]]
    return f"{words} from {schema['minimum']} to {schema['maximum']}" if "minimum" in schema else words
