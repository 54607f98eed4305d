"""Forms at the terminal: descriptions from a form's JSON Schema, and typed text parsed into values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from wfc.runtime.values.strict_json import NotPlainError, parsed

__all__ = ["FormField", "fields_of"]

Schema = Mapping[str, Any]

MOST_SHOWN: Final = 20
"""How many choices are listed."""

YES: Final = frozenset({"y", "yes", "true", "1"})
NO: Final = frozenset({"n", "no", "false", "0"})

WORDS: Final = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "yes or no",
    "array": 'a list, as JSON such as ["a", "b"]',
    "object": "a record, as JSON",
}
FORMATS: Final = {
    "date": "a day, such as 2026-01-31",
    "date-time": "a moment, such as 2026-01-31T10:00:00Z",
    "duration": "a length of time, such as PT90M",
}


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of a form.

    Args:
        name: As it is in the answer.
        schema: That of its value; if it may be null, that of its other values.
        required: Whether an answer must have it.
        optional: Whether it may be null.
    """

    name: str
    schema: Schema
    required: bool
    optional: bool

    @property
    def words(self) -> str:
        """A description of what may be typed."""
        schema = self.schema
        if "enum" in schema or "const" in schema:
            said = listed(self.choices) or "there is nothing to choose from"
        elif schema.get("format") in FORMATS:
            said = FORMATS[schema["format"]]
        elif is_decimal(schema):
            said = "an exact number"
        else:
            said = WORDS.get(str(schema.get("type")), "JSON")
        return said if self.required and not self.optional else f"{said}; nothing to leave it out"

    @property
    def choices(self) -> list[Any]:
        """The possible values, if they are listed."""
        return list(self.schema.get("enum", [self.schema["const"]] if "const" in self.schema else []))

    def parse(self, text: str) -> Any:
        """Parse typed text as a value of JSON.

        Raises:
            ValueError: It does not fit this field; the message is for the person.
        """
        if "enum" in self.schema or "const" in self.schema:
            found = [each for each in self.choices if spelled(each) == text]
            found += [each for each in self.choices if spelled(each).casefold() == text.casefold()]
            if not found:
                raise ValueError(f"it must be {listed(self.choices) or 'left out'}")
            return found[0]
        kind = self.schema.get("type")
        if kind == "string" or is_decimal(self.schema):
            return text
        if kind == "boolean":
            if text.casefold() in YES | NO:
                return text.casefold() in YES
            raise ValueError("it must be yes or no")
        try:
            return parsed(text)
        except ValueError as error:
            plain = not isinstance(error, NotPlainError)
            if kind is None and plain:
                return text
            wanted = f"it must be {WORDS.get(str(kind), 'JSON')}"
            raise ValueError(wanted if plain else f"{wanted}; {error}") from None


def fields_of(form: Schema | None) -> list[FormField]:
    """Return the fields of a form, in its order; none if there is no form."""
    if form is None:
        return []
    required = set(form.get("required", ()))
    found = []
    for name, schema in form.get("properties", {}).items():
        inner, optional = without_null(resolved(schema, form))
        inner = resolved(inner, form)
        if "enum" in schema:  # the choices of this question, whatever the type is
            inner = {**inner, "enum": [each for each in schema["enum"] if each is not None]}
        found.append(FormField(name, inner, name in required, optional))
    return found


def listed(choices: Sequence[Any]) -> str:
    """Return choices as a person is shown them, of many only the first."""
    shown = " or ".join(map(spelled, choices[:MOST_SHOWN]))
    more = len(choices) - MOST_SHOWN
    return f"{shown} or one of {more} more" if more > 0 else shown


def spelled(choice: object) -> str:
    """Return a choice as it is typed: a text as it is, a list or a record as JSON."""
    return json.dumps(choice, ensure_ascii=False) if isinstance(choice, (dict, list)) else str(choice)


def resolved(schema: Schema, form: Schema) -> Schema:
    """Return the definition that a reference to one of the form's definitions stands for."""
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return form.get("$defs", {}).get(name, schema) if name else schema


def without_null(schema: Schema) -> tuple[Schema, bool]:
    choices = schema.get("anyOf", ())
    others = [each for each in choices if each.get("type") != "null"]
    if len(others) == len(choices):
        return schema, False
    return (others[0] if len(others) == 1 else {"anyOf": others}), True


def is_decimal(schema: Schema) -> bool:
    return {each.get("type") for each in schema.get("anyOf", ())} == {"number", "string"}
