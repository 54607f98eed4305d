"""Edits of a state by people: values at paths, held against the types of its fields before anything changes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model
from pydantic_core import to_json

from wfc.runtime.errors import InvalidValueError
from wfc.runtime.values.outputs import problems
from wfc.runtime.values.outside_names import own_name

__all__ = ["edited", "read_path"]

_PART: Final = re.compile(r"\.?([^.\[\]]+)|\[(\d{1,9})\]")


def read_path(path: str) -> list[str | int]:
    """Return the parts of a path such as ``order.lines[2].price``; a leading ``state.`` says nothing.

    Raises:
        InvalidValueError: It is no path.
    """
    text = path.removeprefix("state.")
    parts: list[str | int] = []
    at = 0
    while at < len(text):
        match = _PART.match(text, at)
        if match is None or (at == 0) == text.startswith((".", "["), at):
            break
        parts.append(match[1] if match[2] is None else int(match[2]))
        at = match.end()
    if not parts or at < len(text):
        raise InvalidValueError(
            f"`{path}` is no path to a value of the state, such as `order.lines[2].price`"
        )
    return parts


def edited(state: BaseModel, changes: Mapping[str, Any], *, is_declared: bool) -> dict[str, Any]:
    """Return the new values of a state's fields, by attribute, with the values at some paths replaced.

    Args:
        changes: Values as JSON data, by path.
        is_declared: Whether all fields of the state are declared, as a spec does; else its class says whether there
            may be others.

    Raises:
        InvalidValueError: There is no such place, or a value does not fit its type.
    """
    kind = type(state)
    attributes = {own_name(name, field): name for name, field in kind.model_fields.items()}
    given: dict[str, Any] = {}
    for path, value in changes.items():
        first, *rest = read_path(path)
        name = attributes.get(str(first))
        if name is None and (is_declared or kind.model_config.get("extra") != "allow"):
            has = ", ".join(f"`{one}`" for one in attributes)
            told = f"; its fields: {has}" if has else ": the workflow declares none"
            raise InvalidValueError(f"the state has no field `{first}`{told}")
        if rest and str(first) not in given:
            given[str(first)] = _data_of(state, name or str(first))
        given[str(first)] = _with_value(given.get(str(first)), rest, value, path)
    return {
        attributes.get(first, first): _read(kind, first, attributes[first], data)
        if first in attributes
        else data
        for first, data in given.items()
    }


def _data_of(state: BaseModel, name: str) -> Any:
    """Return the value of a field as JSON data; ``None`` for one that is not there."""
    try:
        return json.loads(to_json(getattr(state, name, None), by_alias=True))
    except ValueError as error:
        raise InvalidValueError(f"the state's `{name}` has no form in JSON: {error}") from None


def _with_value(data: Any, path: Sequence[str | int], value: Any, whole: str) -> Any:
    """Return data with the value at a path replaced; a key that is new is added."""
    if not path:
        return value
    first, *rest = path
    if isinstance(data, list) and isinstance(first, int) and first < len(data):
        return [*data[:first], _with_value(data[first], rest, value, whole), *data[first + 1 :]]
    if isinstance(data, dict) and isinstance(first, str) and (first in data or not rest):
        return {**data, first: _with_value(data.get(first), rest, value, whole)}
    raise InvalidValueError(f"`{whole}` cannot be set: there is no `{first}` in {_shown(data)}")


def _shown(data: Any) -> str:
    if isinstance(data, list):
        return f"a list of {len(data)}"
    return "an object" if isinstance(data, dict) else "a value without parts"


def _read(kind: type[BaseModel], name: str, attribute: str, data: Any) -> Any:
    try:
        text = json.dumps({name: data}, allow_nan=False)
        found = _alone(kind, attribute).validate_json(text, strict=True, by_alias=True, by_name=True)
    except ValidationError as error:
        raise InvalidValueError(f"the state cannot be changed: {problems(error)}") from None
    except ValueError as error:
        raise InvalidValueError(
            f"the state cannot be changed: `{name}` has no form in JSON: {error}"
        ) from None
    return getattr(found, attribute)


@lru_cache(maxsize=256)
def _alone(kind: type[BaseModel], attribute: str) -> TypeAdapter[Any]:
    """Return the validator of one field of a class, so that the others need not be read again."""
    field = kind.model_fields[attribute]
    config = ConfigDict(**{**kind.model_config, "defer_build": False, "extra": "forbid"})
    fields: dict[str, Any] = {attribute: (field.annotation, field)}
    return TypeAdapter(create_model(kind.__name__, __config__=config, **fields))
