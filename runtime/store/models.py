"""The writing and reading of models, by the declared types of their fields where these are sufficient."""

from __future__ import annotations

import typing
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from inspect import isabstract
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import to_json

from wfc.runtime.events import Event, StopEvent
from wfc.runtime.store.blobs import Body

__all__ = ["ModelCodec", "PlainWriter", "codec_of"]

PlainWriter = Callable[[Any, Any, Any, bytes], Body | None]
"""What writes a model in one call, with two numbers or texts before it and a text behind it; ``None``: it cannot."""


class ModelCodec:
    """The plan for writing and reading the models of a class.

    ``loose`` are the fields whose declared types do not say what is in them: ``Any``, events of classes that others
    are derived from, exceptions. They are written by what they hold.
    """

    def __init__(self, kind: type[BaseModel]) -> None:
        self._kind = kind
        self.fields = frozenset(kind.model_fields)
        self.private = frozenset(kind.__private_attributes__)
        own = kind.__pydantic_decorators__
        self._is_end = _is_plain_end(kind)
        # written in a way of its own, and read by its fields: which is not possible where one's class is abstract
        self._is_whole = (
            bool(own.model_serializers)
            and not self._is_end
            and not any(map(_is_open, kind.model_fields.values()))
        )
        said = {name for one in own.field_serializers.values() for name in one.info.fields}
        loose = {
            name
            for name, field in kind.model_fields.items()
            if _is_open(field) or (name not in said and _is_loose(field))
        }
        left_out = {
            name for name, field in kind.model_fields.items() if field.exclude and not field.is_required()
        }
        self.loose = frozenset() if self._is_whole else frozenset(loose - left_out)
        self._typed = self.fields - self.loose - left_out
        self._adapters: dict[str, TypeAdapter[Any]] = {}
        self.is_plain = (
            self._typed == self.fields
            and not self._is_whole
            and (not own.model_serializers or self._is_end)
            and not own.field_serializers
            and not own.computed_fields
            and all(map(_is_plain, kind.model_fields.values()))
        )

    def plain_writer(self, before: bytes, name: bytes, after: bytes) -> PlainWriter | None:
        """Return a function that writes a model as JSON text, with two parts put in before it and a text behind it.

        It returns ``None`` if the fields hold more than texts, integers and lists. There is none for classes that are
        not plain: a number that is none has no form in JSON, and only ``dump`` finds it, so there must be no such
        fields.

        Args:
            before: What comes before the model, with two places.
            name: The class's name as JSON text.
            after: What comes behind the model, with one place.
        """
        if not self.is_plain:
            return None
        model = b"[" + name.replace(b"%", b"%%") + (b',%b,{},{"_result":%b}]' if self._is_end else b",%b]")
        parts = bytearray(before + model + after)
        found, to_json, missing = _scalars_of(self._kind), self._kind.__pydantic_serializer__.to_json, self
        if not self._is_end and _holds_integers_alone(self._kind):
            start = before + b"[" + name.replace(b"%", b"%%")
            return _writer_of_integers(start, list(self._kind.model_fields), b"]" + after)
        scalars, is_empty = found or (), not self.fields
        # once the classes of all values are known there is nothing to warn of, which takes a third of the time
        fields = partial(to_json, by_alias=False, warnings="error") if found is None else to_json

        def write(first: Any, second: Any, value: Any, last: bytes) -> Body | None:
            if value.__pydantic_extra__ or value.__pydantic_private__:
                return None
            held = value.__dict__
            for field, kinds in scalars:
                if type(held.get(field, missing)) not in kinds:
                    return None
            try:
                return parts % (first, second, fields(value), last)
            except ValueError:  # what is in a field is not what its type says, or no Unicode
                return None

        def write_end(first: Any, second: Any, value: Any, last: bytes) -> Body | None:
            private, held = value.__pydantic_private__, value.__dict__
            if value.__pydantic_extra__ or not private:
                return None
            result = private["_result"]
            if result is not None and not (is_empty and type(result) in _RESULTS):
                return None  # its class writes the result among the fields
            if any(type(held.get(field, missing)) not in kinds for field, kinds in scalars):
                return None
            try:
                data = fields(value) if result is None else b"{}"
                return parts % (first, second, data, _text(result), last)
            except ValueError:
                return None

        return write_end if self._is_end else write

    def dump(self, value: BaseModel) -> dict[str, Any]:
        """Return the fields that are written by their declared types.

        Raises:
            ValueError: A field cannot be written as JSON.
        """
        if self._is_whole:
            return {"": self._kind.__pydantic_serializer__.to_python(value, mode="json")}
        return self._dump(value, self._typed) if self._typed else {}

    def _dump(self, value: BaseModel, names: frozenset[str]) -> dict[str, Any]:
        include = None if names == self.fields else set(names)
        data: dict[str, Any] = self._kind.__pydantic_serializer__.to_python(
            value, mode="json", by_alias=False, include=include
        )
        return {name: one for name, one in data.items() if name in names}

    def dump_apart(self, value: BaseModel) -> tuple[dict[str, Any], dict[str, ValueError]]:
        """Return the same fields, written one by one, and the errors of those that cannot be written."""
        if self._is_whole:
            return {}, dict.fromkeys(self._typed, ValueError("its class writes it in a way that fails"))
        fields: dict[str, Any] = {}
        errors: dict[str, ValueError] = {}
        for name in sorted(self._typed):
            try:
                fields |= self._dump(value, frozenset({name}))
            except ValueError as error:
                errors[name] = error
        return fields, errors

    def load(self, data: dict[str, Any], loose: dict[str, Any]) -> Any:
        """Return a model from such fields and from those that have been read already.

        Raises:
            ValueError: The fields do not fit the model.
        """
        if not data.keys() <= self.fields and (unknown := data.keys() - self.fields - {""}):
            raise ValueError(f"it has no field `{min(unknown, key=str)}`")
        validator = self._kind.__pydantic_validator__
        if "" in data:
            return validator.validate_json(to_json(data[""], inf_nan_mode="constants"))
        if not loose:
            return validator.validate_json(
                to_json(data, inf_nan_mode="constants"), by_name=True, by_alias=False
            )
        typed = {name: self._adapter(name).validate_json(_text(one)) for name, one in data.items()}
        return validator.validate_python({**typed, **loose}, by_name=True, by_alias=False)

    def _adapter(self, name: str) -> TypeAdapter[Any]:
        found = self._adapters.get(name)
        if found is None:
            field = self._kind.model_fields[name]
            marked: Any = field.annotation
            for mark in field.metadata:
                marked = Annotated[marked, mark]
            found = self._adapters[name] = TypeAdapter(marked)
        return found


def _holds_integers_alone(kind: type[BaseModel]) -> bool:
    """Return whether a class has fields, all of them integers, which pydantic itself writes as nothing else.

    Its core schema tells, since there are more ways to have a value written otherwise than declarations show.
    """
    model: Any = kind.__pydantic_core_schema__
    if model["type"] != "model" or "serialization" in model or model["schema"]["type"] != "model-fields":
        return False
    fields = model["schema"]["fields"].values()
    return bool(fields) and all(map(_is_written_as_integer, fields))


def _is_written_as_integer(field: dict[str, Any]) -> bool:
    parts = [field, field["schema"]]
    while parts[-1]["type"] == "default":
        parts.append(parts[-1]["schema"])
    return parts[-1]["type"] == "int" and not any(
        key.startswith("serialization") for one in parts for key in one
    )


def _writer_of_integers(before: bytes, names: Sequence[str], after: bytes) -> PlainWriter:
    """Return what ``ModelCodec.plain_writer`` does, where all fields are integers: one formatting for all of them."""
    fields = b",".join(_text(name).replace(b"%", b"%%") + b":%d" for name in names)
    parts = bytearray(before + b",{" + fields + b"}" + after)

    def write(first: Any, second: Any, value: Any, last: bytes) -> Body | None:
        if value.__pydantic_extra__ or value.__pydantic_private__:
            return None
        held, given = value.__dict__, [first, second]
        for name in names:
            number = held.get(name)
            if type(number) is not int:
                return None
            given.append(number)
        given.append(last)
        try:
            return parts % tuple(given)
        except ValueError:  # a number has more digits than Python writes
            return None

    return write


_RESULTS: Final = frozenset({str, int, bool})
"""The classes of results that an end event without fields is soon written with."""


def _text(value: Any) -> bytes:
    return to_json(value, inf_nan_mode="constants")


@lru_cache(maxsize=4096)
def codec_of(kind: type[BaseModel]) -> ModelCodec:
    """Return the codec of a class, which is created once."""
    return ModelCodec(kind)


def _is_plain_end(kind: type[BaseModel]) -> bool:
    """Return whether a class is of end events with plain fields, which are written and read as `StopEvent` does it."""
    return (
        issubclass(kind, StopEvent)
        and list(kind.__pydantic_decorators__.model_serializers) == ["_serialize_with_result"]
        and kind._serialize_with_result is StopEvent._serialize_with_result
        and kind.__init__ is StopEvent.__init__
        and kind.model_post_init.__module__ == StopEvent.model_post_init.__module__  # pydantic's own
        and kind.__private_attributes__.keys() == {"_result"}
        and all(_is_plain(one) and one.alias is None for one in kind.model_fields.values())
    )


def _is_open(field: FieldInfo) -> bool:
    """Return whether a field holds instances of derived classes, which its declared class cannot read."""
    if any(type(mark).__name__ == "SerializeAsAny" for mark in field.metadata):
        return True
    todo: list[Any] = [field.annotation]
    while todo:
        one = todo.pop()
        if isabstract(one) and issubclass(one, BaseModel):
            return True
        todo.extend(typing.get_args(one))
    return False


def _is_plain(field: FieldInfo) -> bool:
    """Return whether a field holds texts, integers, truth values and lists of these, written in no way of its own."""
    todo: list[Any] = [field.annotation]
    while todo:
        one = todo.pop()
        origin = typing.get_origin(one)
        if origin in (list, typing.Union, UnionType):
            todo.extend(typing.get_args(one))
        elif one not in (str, int, bool, None, NoneType):
            return False
    return not field.metadata and not field.exclude


def _scalars_of(kind: type[BaseModel]) -> tuple[tuple[str, frozenset[type[Any]]], ...] | None:
    """Return the classes that the values of each plain field have; ``None``: some are lists, or have other names."""
    found = []
    for name, field in kind.model_fields.items():
        kinds = typing.get_args(field.annotation) or (field.annotation,)
        if field.alias is not None or field.serialization_alias is not None:
            return None
        if any(typing.get_args(one) for one in kinds) or typing.get_origin(field.annotation) is list:
            return None
        found.append((name, frozenset(NoneType if one is None else one for one in kinds)))
    return tuple(found)


def _is_loose(field: FieldInfo) -> bool:
    todo: list[Any] = [field.annotation]
    while todo:
        one = todo.pop()
        if one in (Any, object, BaseModel, dict, list, tuple, set) or isinstance(one, TypeVar):
            return True
        if isinstance(one, type) and issubclass(one, Exception | Event):
            return True
        if type(one).__name__ == "TypeAliasType":
            todo.append(one.__value__)
        todo.extend(typing.get_args(one))
    return False
