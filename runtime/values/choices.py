"""Choices for fields of a form, which are worked out when a question is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from pydantic import BaseModel
from pydantic_core import to_json

from wfc.runtime.values.outputs import form_schema

__all__ = ["field_without_choices", "not_chosen", "schema_with_choices"]

Choices = Mapping[str, Sequence[object]]
"""The values from which an answer's fields are chosen, by the fields' names in the spec."""

_MOST_SHOWN: Final = 8
_LONGEST_VALUE: Final = 80


def schema_with_choices(
    form: Any, choices: Choices, shape: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """Return the JSON Schema of a form, in which the choices of each field are its `enum`; or ``shape``.

    It must not be modified, as all questions with the same form share it where there are no choices.
    """
    schema = form_schema(form) if shape is None else dict(shape)
    if schema is None or not choices:
        return schema
    fields = dict(schema["properties"])
    for name, values in choices.items():
        nothing = [None] if _may_be_null(form, name) else []
        distinct = {text: json.loads(text) for text in map(_text, [*values, *nothing])}
        fields[name] = {**fields[name], "enum": list(distinct.values())}
    return {**schema, "properties": fields}


def field_without_choices(form: Any, choices: Choices) -> str | None:
    """Return the first field to which no answer could be given, since it has no choices; ``None`` for none.

    Raises:
        KeyError: The form has no such field.
    """
    return next(
        (name for name, values in choices.items() if not _may_be_null(form, name) and not values), None
    )


def not_chosen(choices: Choices, answer: Any) -> str:
    """Return a sentence about each field of an answer that is none of its choices; empty if there is none."""
    found = []
    for name, values in choices.items():
        value = getattr(answer, _attributes(type(answer))[name])
        if not any(_is_same(value, each) for each in values) and not (
            value is None and _may_be_null(type(answer), name)
        ):
            found.append(f"`{name}`: {_wanted(values)}, not {_shown(value)}")
    return "; ".join(found)


def _may_be_null(form: Any, name: str) -> bool:
    return type(None) in get_args(form.model_fields[_attributes(form)[name]].annotation)


def _attributes(form: Any) -> dict[str, str]:
    """Return the names of a form's attributes in Python, by those of the fields in the spec."""
    return {field.serialization_alias or name: name for name, field in form.model_fields.items()}


def _is_same(value: object, choice: object) -> bool:
    """Return whether two values are equal; `true` is not 1, and records of different classes may be equal."""
    if isinstance(value, BaseModel | list | dict):
        return value == choice or _text(value) == _text(choice)
    return isinstance(value, bool) is isinstance(choice, bool) and value == choice


def _wanted(values: Sequence[object]) -> str:
    if not values:
        return "there is nothing to choose from"
    shown = ", ".join(map(_shown, values[:_MOST_SHOWN]))
    more = len(values) - _MOST_SHOWN
    return f"one of {shown}{f' and {more} more' if more > 0 else ''} wanted"


def _shown(value: object) -> str:
    text = _text(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _text(value: object) -> str:
    return to_json(value, by_alias=True).decode()
