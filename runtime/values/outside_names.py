"""The names of fields in data outside: in requests and replies, for models and tools, in inputs and results.

A field whose name there differs has it as its ``validation_alias``: pydantic reads data by that name where it
is told to read by alias only, and writes data by the field's own name. So only what goes out is renamed here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import to_json, to_jsonable_python

__all__ = ["json_outside", "jsonable_outside", "outside_name", "own_name", "with_outside_names"]


def own_name(attribute: str, info: FieldInfo) -> str:
    """Return a field's name in the spec, and in the data of the workflow itself."""
    return info.serialization_alias or info.alias or attribute


def outside_name(attribute: str, info: FieldInfo) -> str:
    """Return a field's name in data that goes out or comes in."""
    alias = info.validation_alias
    if isinstance(alias, AliasChoices):
        alias = alias.choices[0]
    return alias if isinstance(alias, str) else own_name(attribute, info)


def jsonable_outside(value: object) -> Any:
    """Return a value as JSON data with the names that fields have outside."""
    return with_outside_names(value, to_jsonable_python(value, by_alias=True))


def json_outside(value: object) -> bytes:
    """Return a value as JSON with the names that fields have outside.

    Raises:
        PydanticSerializationError: It cannot be written as JSON.
    """
    return to_json(jsonable_outside(value) if _has_outside_names(value) else value, by_alias=True)


def with_outside_names(value: object, data: Any) -> Any:
    """Return the data that a value was written as, with the names that fields have outside.


    Args:
        value: Records, lists and dictionaries of records, or anything else.
        data: The same, written by pydantic with its own names.
    """
    return _renamed(value, data) if _has_outside_names(value) else data


def _renamed(value: object, data: Any) -> Any:
    if isinstance(value, BaseModel) and isinstance(data, dict):
        names = _names(type(value))
        held = {own: getattr(value, attribute) for attribute, own, _ in names}
        outside = {own: name for _, own, name in names}
        return {
            outside.get(key, key): _renamed(held[key], each) if key in held else each
            for key, each in data.items()
        }
    if isinstance(value, dict) and isinstance(data, dict):
        pairs = zip(value.values(), data.items(), strict=True)
        return {key: _renamed(one, each) for one, (key, each) in pairs}
    if isinstance(value, list | tuple) and isinstance(data, list | tuple):
        return [_renamed(one, each) for one, each in zip(value, data, strict=True)]
    return data


def _has_outside_names(value: object) -> bool:
    """Return whether a value holds a record with a field whose name outside is another one."""
    if isinstance(value, BaseModel):
        names = _names(type(value))
        return any(own != outside for _, own, outside in names) or any(
            _has_outside_names(getattr(value, attribute)) for attribute, _, _ in names
        )
    if isinstance(value, dict):
        return any(map(_has_outside_names, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_outside_names, value))


@lru_cache(maxsize=1024)
def _names(kind: type[BaseModel]) -> tuple[tuple[str, str, str], ...]:
    """Return attribute, own name and name outside of each field of a class."""
    fields = kind.model_fields.items()
    return tuple((name, own_name(name, info), outside_name(name, info)) for name, info in fields)
