"""Serializers of snapshots: JSON, with further classes where a caller allows them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from wfc.runtime.errors import SnapshotError
from wfc.runtime.store.classes import EVENTS
from wfc.runtime.store.values import Values
from wfc.runtime.values.serializers import BaseSerializer

__all__ = ["JsonSerializer", "PickleSerializer"]


class JsonSerializer(BaseSerializer):
    """A serializer for JSON data and events; with ``allowed_types``, also for these pydantic classes.

    Args:
        allowed_types: Further classes that may stand in a snapshot. No class is ever imported by its name.

    Raises:
        TypeError: ``allowed_types`` contains something that is not a class.
    """

    def __init__(self, *, allowed_types: Iterable[type[Any]] | None = None) -> None:
        self.allowed_types = tuple(allowed_types or ())
        for kind in self.allowed_types:
            if not isinstance(kind, type):
                raise TypeError(f"`allowed_types` takes classes, and no names of them such as {kind!r}")

    def serialize(self, value: Any) -> str:
        """Return a value as JSON text.

        Raises:
            ValueError: The value has no JSON form.
        """
        try:
            return json.dumps(self._values().write(value))
        except (TypeError, RecursionError, SnapshotError) as error:
            raise ValueError(f"it cannot be written as JSON: {error}") from None

    def deserialize(self, value: str) -> Any:
        """Return the value of a JSON text.

        Raises:
            ValueError: The text was not written by this serializer.
        """
        try:
            return self._values().read(json.loads(value))
        except (RecursionError, SnapshotError) as error:
            raise ValueError(f"it cannot be read: {error}") from None

    def _values(self) -> Values:
        """Return the object that writes and reads values: events of all classes, and the allowed types."""
        return Values.of_classes((*EVENTS, *self.allowed_types))


class PickleSerializer(JsonSerializer):
    """An unsupported serializer: whoever can change pickled data can run any code in this process.

    Raises:
        TypeError: Always.
    """

    def __init__(self, **_options: Any) -> None:
        raise TypeError(
            "snapshots are never pickled: `JsonSerializer(allowed_types=[…])` writes objects of your own classes"
        )
