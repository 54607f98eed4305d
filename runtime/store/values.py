"""Values in snapshots: plain data unchanged, models by the names of their classes, and few other types."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from wfc.runtime.errors import SnapshotError
from wfc.runtime.events import Event
from wfc.runtime.plan.pauses import SKIP
from wfc.runtime.store.classes import Classes
from wfc.runtime.store.exceptions import read_exception, write_exception
from wfc.runtime.store.json_text import as_json_text, is_read_back
from wfc.runtime.store.models import ModelCodec, PlainWriter, codec_of
from wfc.runtime.values.outputs import problems

if TYPE_CHECKING:
    from wfc.runtime.values.serializers import BaseSerializer

__all__ = ["DEEPEST", "Values"]

M = TypeVar("M", bound=BaseModel)

DEEPEST = 100
"""The maximum nesting depth of values."""

_PLAIN = frozenset({type(None), bool, int, float, str})

_TEXTS: dict[type[Any], tuple[str, Callable[[Any], str], Callable[[str], Any]]] = {
    datetime: ("datetime", datetime.isoformat, datetime.fromisoformat),
    date: ("date", date.isoformat, date.fromisoformat),
    time: ("time", time.isoformat, time.fromisoformat),
    Decimal: ("decimal", str, Decimal),
    UUID: ("uuid", str, UUID),
    bytes: (
        "bytes",
        lambda value: base64.b64encode(value).decode(),
        lambda text: base64.b64decode(text, validate=True),
    ),
}
_FROM_TEXT = {tag: read for tag, _, read in _TEXTS.values()}

_LISTS: dict[type[Any], str] = {tuple: "tuple", set: "set", frozenset: "frozenset"}
_FROM_LIST: dict[str, Callable[[list[Any]], Any]] = {"tuple": tuple, "set": set, "frozenset": frozenset}


_ADVICE = {
    True: "give `to_dict`, and later `from_dict`, `JsonSerializer(allowed_types=[{}])`",
    False: "keep plain data or a pydantic class instead, make it a `Resource`, or give `to_dict` and `from_dict` "
    "a `BaseSerializer` of your own that writes it",
}


def _nothing(*_: object) -> None:
    """Return nothing: a model of such a class is not soon written."""


class Values:
    """The writing of values as JSON data, and their reading.

    Args:
        classes: The classes that snapshots may name.
        serializer: The serializer for all other values; ``None``: there is none.
    """

    def __init__(self, classes: Classes, serializer: BaseSerializer | None = None) -> None:
        self.classes = classes
        self._serializer = serializer
        self.completions = classes.completions
        self._texts = classes.texts

    @classmethod
    def of_classes(cls, kinds: Iterable[type[Any]]) -> Values:
        """Return an instance for these classes only, without a serializer."""
        return cls(Classes(kinds))

    # --- writing

    def write(self, value: Any, depth: int = 0) -> Any:
        """Return a value as JSON data.

        Raises:
            SnapshotError: It has no such form.
        """
        kind = type(value)
        if kind in _PLAIN:
            return value
        if depth > DEEPEST:
            raise SnapshotError(f"a value is nested deeper than {DEEPEST} levels")
        depth += 1
        if kind is list:
            return [self.write(one, depth) for one in value]
        if kind is dict:
            if all(type(key) is str for key in value) and "$" not in value:
                return {key: self.write(one, depth) for key, one in value.items()}
            pairs = [[self.write(key, depth), self.write(one, depth)] for key, one in value.items()]
            return {"$": "dict", "of": pairs}
        if isinstance(value, BaseModel) and self.classes.name_of(kind) is not None:
            return {"$": "model", "of": self.write_model(value, depth)}
        if kind in _LISTS:
            return {"$": _LISTS[kind], "of": [self.write(one, depth) for one in value]}
        return self._write_rest(value, depth)

    def _write_rest(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind in _TEXTS:
            tag, as_text, _ = _TEXTS[kind]
            return {"$": tag, "of": as_text(value)}
        if kind is timedelta:
            return {"$": "timedelta", "of": [value.days, value.seconds, value.microseconds]}
        if value is SKIP:
            return {"$": "skip"}
        if isinstance(value, Enum) and (name := self.classes.name_of(kind)) is not None:
            return {"$": "enum", "name": name, "of": value.name}
        if isinstance(value, Exception):
            return {"$": "error", "of": write_exception(value, self.write, depth)}
        if self._serializer is not None:
            return {"$": "custom", "of": self._serializer.serialize(value)}
        raise SnapshotError(
            f"a value of type {kind.__name__} cannot be in a snapshot: the workflow declares no such class; "
            + _ADVICE[isinstance(value, BaseModel)].format(kind.__name__)
        )

    def plain_writer(self, before: bytes, kind: type[Any], after: bytes) -> PlainWriter:
        """Return what writes a model of a class as ``write_model`` does, and nothing where that is not soon done.

        Args:
            before: What comes before the model, with places for two parts.
            after: What comes behind it, with a place for a text.
        """
        if not issubclass(kind, BaseModel) or (name := self.classes.name_of(kind)) is None:
            return _nothing
        return codec_of(kind).plain_writer(before, to_json(name), after) or _nothing

    def text(self, value: Any) -> bytes:
        """Return a value as JSON text, with what ``write`` gives.

        Raises:
            SnapshotError: It has no such form.
        """
        if isinstance(value, BaseModel) and self.classes.name_of(type(value)) is not None:
            return b'{"$":"model","of":%b}' % self.model_text(value, 1)
        return as_json_text(self.write(value))

    def model_text(self, value: BaseModel, depth: int = 0) -> bytes:
        """Return a model as JSON text, with what ``write_model`` gives.

        Raises:
            SnapshotError: Something in it has no such form.
        """
        kind = type(value)
        write = self._texts.get(kind)
        if write is None:
            write = self._texts[kind] = self.plain_writer(b"%b%b", kind, b"%b")
        text = write(b"", b"", value, b"")
        if text is None or not is_read_back(text):
            return as_json_text(self.write_model(value, depth))
        return bytes(text)

    def write_model(self, value: BaseModel, depth: int = 0) -> list[Any]:
        """Return a model as its class's name, its fields, and any undeclared fields and private attributes.

        Raises:
            SnapshotError: Something in it has no such form.
        """
        kind = type(value)
        name = self.classes.name(kind)
        codec = codec_of(kind)
        held: list[str] = []
        try:
            fields = codec.dump(value)
        except ValueError:  # pydantic's, about what JSON cannot hold or what a serializer of the class does
            fields, held = self._hold(value, codec, depth)
        loose = {field: one for field, one in value.__dict__.items() if field in codec.loose}
        fields |= self._write_each(loose, kind, depth)
        extra, private = value.__pydantic_extra__, value.__pydantic_private__
        if not extra and not private and not held:
            return [name, fields]
        written = [self._write_each(one or {}, kind, depth) for one in (extra, private)]
        return [name, fields, *written, held] if held else [name, fields, *written]

    def _hold(self, value: BaseModel, codec: ModelCodec, depth: int) -> tuple[dict[str, Any], list[str]]:
        """Write the fields that cannot be written by their declared types according to their values.

        Returns:
            All fields that are not loose, and the names of the fields written by their values.
        """
        fields, errors = codec.dump_apart(value)
        for field, error in errors.items():
            try:
                fields[field] = self.write(value.__dict__[field], depth)
            except SnapshotError as found:
                raise SnapshotError(
                    f"`{field}` of {type(value).__name__} cannot be written as JSON: {error}; {found}"
                ) from None
        return fields, list(errors)

    def _write_each(self, entries: dict[str, Any], kind: type[BaseModel], depth: int) -> dict[str, Any]:
        """Return a model's entries as JSON data; an error says which of them has no such form."""
        written = {}
        for key, one in entries.items():
            try:
                written[key] = self.write(one, depth)
            except SnapshotError as error:
                raise SnapshotError(f"`{key}` of {kind.__name__}: {error}") from None
        return written

    # --- reading

    def read(self, data: Any, depth: int = 0) -> Any:
        """Return the value of JSON data.

        Raises:
            SnapshotError: It is not as it was written.
        """
        kind = type(data)
        if kind in _PLAIN:
            return data
        if depth > DEEPEST:
            raise SnapshotError(f"a value is nested deeper than {DEEPEST} levels")
        depth += 1
        if kind is list:
            return [self.read(one, depth) for one in data]
        if kind is not dict:
            raise SnapshotError(f"a snapshot holds JSON data, and no {kind.__name__}")
        tag = data.get("$")
        if tag is None:
            return {str(key): self.read(one, depth) for key, one in data.items()}
        return self._read_tagged(tag, data, depth)

    def _read_tagged(self, tag: Any, data: dict[str, Any], depth: int) -> Any:
        of = data.get("of")
        if tag == "model":
            return self.read_model(of, BaseModel, depth)
        if tag in _FROM_TEXT and isinstance(of, str):
            return _FROM_TEXT[tag](of)
        if tag in _FROM_LIST and isinstance(of, list):
            return _FROM_LIST[tag]([self.read(one, depth) for one in of])
        if tag == "dict" and isinstance(of, list):
            return {self.read(key, depth): self.read(one, depth) for key, one in of}
        if tag == "timedelta" and isinstance(of, list):
            days, seconds, microseconds = of
            return timedelta(days, seconds, microseconds)
        if tag == "skip":
            return SKIP
        if tag == "error":
            return read_exception(of, self.read, depth)
        if tag == "enum" and issubclass(found := self.classes.named(data.get("name")), Enum):
            return found[str(of)]
        if tag == "custom" and self._serializer is not None and isinstance(of, str):
            return self._serializer.deserialize(of)
        raise SnapshotError(f"the snapshot holds a value that nobody here reads: {str(tag)[:40]!r}")

    def read_model(self, data: Any, kind: type[M], depth: int = 0) -> M:
        """Return a model of a class, or of a class derived from it.

        Raises:
            SnapshotError: It is not as it was written.
        """
        if not isinstance(data, list) or len(data) not in (2, 4, 5) or not isinstance(data[1], dict):
            raise SnapshotError("where an event or record is to be, the snapshot has something else")
        found = self.classes.named(data[0])
        if not issubclass(found, kind):
            raise SnapshotError(f"where a {kind.__name__} is to be, the snapshot has a {found.__name__}")
        codec = codec_of(found)
        fields = data[1]
        held = codec.loose if len(data) < 5 else codec.loose | codec.fields.intersection(data[4])
        loose: dict[str, Any] = {}
        if held:
            loose = {name: self.read(fields[name], depth) for name in held if name in fields}
            fields = {name: one for name, one in fields.items() if name not in held}
        try:
            made: M = codec.load(fields, loose)
        except ValueError as error:
            told = problems(error) if isinstance(error, ValidationError) else str(error)
            raise SnapshotError(f"{found.__name__} in the snapshot does not fit its class: {told}") from None
        if len(data) > 2:
            self._fill(made, codec, data[2], data[3], depth)
        return made

    def _fill(self, made: BaseModel, codec: ModelCodec, extra: Any, private: Any, depth: int) -> None:
        kind = type(made).__name__
        if extra:
            if made.__pydantic_extra__ is None:
                raise SnapshotError(f"{kind} in the snapshot has fields that its class does not take")
            for name, one in extra.items():
                if name in codec.fields:
                    raise SnapshotError(f"{kind} in the snapshot has `{name}` twice")
                made.__pydantic_extra__[str(name)] = self.read(one, depth)
        for name, one in private.items():
            if name not in codec.private or made.__pydantic_private__ is None:
                raise SnapshotError(f"{kind} in the snapshot has `{name}`, which its class does not have")
            made.__pydantic_private__[name] = self.read(one, depth)

    def read_event(self, data: Any) -> Event:
        """Return an event from JSON data.

        Raises:
            SnapshotError: It is not as it was written.
        """
        return self.read_model(data, Event)
