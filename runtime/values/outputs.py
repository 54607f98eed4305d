"""Validation of values that come from outside against their declared types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError, create_model
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema, to_json

from wfc.runtime.values.outside_names import json_outside, with_outside_names

__all__ = [
    "InvalidOutput",
    "Output",
    "Parsed",
    "Wanted",
    "adapter",
    "form_schema",
    "from_json",
    "from_python",
    "plain",
    "plain_type",
    "problems",
    "said",
]

T = TypeVar("T")

_MOST_PROBLEMS = 8
_LONGEST_VALUE = 80


class InvalidOutput(Exception):  # noqa: N818  not a failure by itself: the caller decides what it means
    """A value is not of the declared type; the message says what is wrong with it.

    Args:
        places: The same for programs: where in the value something is wrong, and what.
    """

    def __init__(self, message: str = "", places: tuple[tuple[tuple[str | int, ...], str], ...] = ()) -> None:
        super().__init__(message)
        self.places = places


@lru_cache(maxsize=512)
def _cached_adapter(type_: Any) -> TypeAdapter[Any]:
    return TypeAdapter(type_)


def adapter(type_: Any) -> TypeAdapter[Any]:
    """Return pydantic's adapter for a type, cached where the type is hashable."""
    try:
        return _cached_adapter(type_)
    except TypeError:  # a type that holds something unhashable
        return TypeAdapter(type_)


class _OwnNames(GenerateJsonSchema):
    """Generates JSON Schema with the names that fields have in the spec, where they have others outside."""

    def model_fields_schema(self, schema: core_schema.ModelFieldsSchema) -> dict[str, Any]:
        fields = {name: _named_as_written(name, field) for name, field in schema["fields"].items()}
        return super().model_fields_schema({**schema, "fields": fields})


def _named_as_written(name: str, field: core_schema.ModelField) -> core_schema.ModelField:
    """Return a field whose name in data read is that in data written, which is its own."""
    return {**field, "validation_alias": field.get("serialization_alias", name)}


def form_schema(form: Any) -> dict[str, Any] | None:
    """Return the JSON Schema of a form, with the names of fields in the spec; ``None`` for no form.

    All questions with this form share the schema, so it must not be modified.
    """
    if form is None:
        return None
    try:
        return _cached_schema(form)
    except TypeError:  # a type that holds something unhashable
        return _schema(form)


def _schema(form: Any) -> dict[str, Any]:
    return adapter(form).json_schema(by_alias=True, schema_generator=_OwnNames)


_cached_schema = lru_cache(maxsize=512)(_schema)


def from_json(type_: Any, text: str | bytes, *, extra_fields: bool = False, outside: bool = False) -> Any:
    """Parse JSON as a value of a type, without coercion.

    Args:
        extra_fields: Whether fields that the type does not declare are ignored rather than an error.
        outside: Whether it comes from outside, where fields have the names that they have there, and no others.

    Raises:
        InvalidOutput: The text is not JSON, or not of that type.
    """
    try:
        return adapter(type_).validate_json(
            text,
            strict=True,
            extra="ignore" if extra_fields else None,
            by_alias=True if outside else None,
            by_name=False if outside else None,
        )
    except ValidationError as error:
        found = error.errors(include_url=False)[:_MOST_PROBLEMS]
        raise InvalidOutput(problems(error), tuple((one["loc"], said(one)) for one in found)) from None


def from_python(type_: Any, value: object) -> Any:
    """Validate a value from Python code outside against a type, through JSON, and return it.

    Raises:
        InvalidOutput: The value cannot be written as JSON, or is not of that type.
    """
    if type_ is Any:
        return plain(value)
    try:
        text = json_outside(value)
    except ValueError as error:  # PydanticSerializationError, circular references
        raise InvalidOutput(f"it cannot be written as JSON: {error}") from None
    return from_json(type_, text, outside=True)


def plain(value: Any) -> Any:
    """Return the value with records as dictionaries, by the names outside, and everything else unchanged."""
    dump = getattr(value, "model_dump", None)
    if dump is not None and not isinstance(value, type):
        return with_outside_names(value, dump(by_alias=True))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def problems(error: ValidationError) -> str:
    """Return pydantic's validation errors in one line, each with its place and what is wrong there."""
    found = error.errors(include_url=False)
    lines = [_problem(one["loc"], said(one), one["input"], one["type"]) for one in found[:_MOST_PROBLEMS]]
    if len(found) > _MOST_PROBLEMS:
        lines.append(f"and {len(found) - _MOST_PROBLEMS} more")
    return "; ".join(lines)


_BOUNDS: dict[str, str] = {
    "greater_than_equal": "at least {ge} wanted",
    "less_than_equal": "at most {le} allowed",
    "string_too_short": "at least {min_length} character{s} wanted",
    "string_too_long": "at most {max_length} character{s} allowed",
    "too_short": "at least {min_length} item{s} wanted",
    "too_long": "at most {max_length} item{s} allowed",
    "string_pattern_mismatch": "not as the pattern `{pattern}` says",
}
"""What is said of a value out of its bounds; the check of a spec says the same of a value in a test."""


def said(problem: Mapping[str, Any]) -> str:
    """Return one problem's message: of bounds in the words of specs, otherwise in pydantic's."""
    words = _BOUNDS.get(problem["type"])
    if words is not None:
        context = problem.get("ctx", {})
        one = 1 in (context.get("min_length"), context.get("max_length"))
        return words.format_map({**context, "s": "" if one else "s"})
    message: str = problem["msg"]
    return f"{message[:1].lower()}{message[1:]}"


def _problem(place: tuple[int | str, ...], message: str, value: object, kind: str) -> str:
    where = ".".join(str(part) for part in place)
    if kind not in {"missing", "json_invalid", "extra_forbidden"}:
        shown = repr(value)
        message += f", not {shown if len(shown) <= _LONGEST_VALUE else shown[:_LONGEST_VALUE] + '…'}"
    return f"`{where}`: {message}" if where else message


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """A value that has been read as its type; it may be ``None``."""

    value: T


@dataclass(frozen=True)  # without slots, with which `Output[T](…)` would be an error in Python 3.11
class Output(Generic[T]):
    """A type that a result must have, for those that ``type[T]`` cannot hold, such as unions.

    The annotation tells a type checker what the argument tells the run::

        MOOD: Output[Literal["good", "bad"]] = Output(Literal["good", "bad"])
    """

    type: Any

    def parse(self, data: object) -> Parsed[T] | None:
        """Return data that a service has sent as this type, without what it has beyond it; ``None`` if it is not so
        made.
        """
        try:
            return Parsed(from_json(self.type, to_json(data), extra_fields=True, outside=True))
        except (InvalidOutput, ValueError):
            return None


def plain_type(output: Any) -> Any:
    """Return the type that an ``Output`` stands for; any other type is returned unchanged."""
    return output.type if isinstance(output, Output) else output


class Wanted:
    """The output type requested of a model: the schema sent to it, and the parser of its answer.

    Models answer with JSON objects, so any other type is wrapped in one.
    """

    def __init__(self, type_: Any) -> None:
        schema = adapter(type_).json_schema(by_alias=True)
        self._type = type_
        self._wrapped = schema.get("type") != "object" or "properties" not in schema
        self.name: str = re.sub(r"\W", "_", str(schema.get("title", "Answer")), flags=re.ASCII)[:64]
        self.schema: dict[str, Any] = _wrap(schema) if self._wrapped else schema

    def read(self, text: str) -> Any:
        """Return the value in a model's answer.

        Raises:
            InvalidOutput: The answer is not JSON, or not of the type.
        """
        fenced = _FENCE.fullmatch(text.strip())
        if fenced:
            text = fenced[1]
        if not self._wrapped:
            return from_json(self._type, text, outside=True)
        return from_json(_wrapper(self._type), text, outside=True).answer

    def wrap(self, data: Any) -> Any:
        """Return the JSON data of a value as a model answers it."""
        return {"answer": data} if self._wrapped else data

    def unwrap(self, data: Any) -> Any:
        """Return the value in the JSON data of an answer that is not complete; ``None`` if there is none yet."""
        if not isinstance(data, dict):
            return None
        return data.get("answer") if self._wrapped else data


_FENCE = re.compile(r"```(?:json)?\s*\n(.*)\n```", re.DOTALL)


def _wrap(schema: dict[str, Any]) -> dict[str, Any]:
    definitions = schema.pop("$defs", None)
    wrapped: dict[str, Any] = {
        "type": "object",
        "title": "Answer",
        "properties": {"answer": schema},
        "required": ["answer"],
        "additionalProperties": False,
    }
    return {**wrapped, "$defs": definitions} if definitions else wrapped


@lru_cache(maxsize=512)
def _wrapper(type_: Any) -> type[Any]:
    return create_model("Answer", __config__=ConfigDict(extra="forbid"), answer=(type_, ...))
