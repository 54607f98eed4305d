"""What writes the values in a snapshot that are no plain data, for those who have such values."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from wfc.runtime.errors import SnapshotError

__all__ = ["BaseSerializer", "JsonSerializer", "PickleSerializer"]


class BaseSerializer(ABC):
    """Writes values as text, and reads them again.

    A snapshot writes by itself plain data, times, enumerations, and records and events of the workflow's own classes.
    A subclass of this is asked for everything else.
    """

    @abstractmethod
    def serialize(self, value: Any) -> str:
        """A value as text."""

    @abstractmethod
    def deserialize(self, value: str) -> Any:
        """The value of a text. The text may come from anybody."""


class JsonSerializer(BaseSerializer):
    """Writes JSON; with ``allowed_types``, objects of these pydantic classes too.

    Args:
        allowed_types: Further classes that may stand in a snapshot. No class is ever imported by its name.

    Raises:
        TypeError: ``allowed_types`` has something that is no class.
    """

    def __init__(self, *, allowed_types: Iterable[type[Any]] | None = None) -> None:
        self.allowed_types: tuple[type[Any], ...] = tuple(allowed_types or ())
        for kind in self.allowed_types:
            if not isinstance(kind, type):
                raise TypeError(f"`allowed_types` takes classes, and no names of them such as {kind!r}")

    def serialize(self, value: Any) -> str:
        """A value as JSON.

        Raises:
            ValueError: It has no JSON form.
        """
        from wfc.runtime.store.values import Values

        try:
            return json.dumps(Values.of_classes(self.allowed_types).write(value))
        except (TypeError, RecursionError, SnapshotError) as error:
            raise ValueError(f"it cannot be written as JSON: {error}") from None

    def deserialize(self, value: str) -> Any:
        """The value of a JSON text.

        Raises:
            ValueError: It is none that was written so.
        """
        from wfc.runtime.store.values import Values

        try:
            return Values.of_classes(self.allowed_types).read(json.loads(value))
        except (RecursionError, SnapshotError) as error:
            raise ValueError(f"it cannot be read: {error}") from None


class PickleSerializer(JsonSerializer):
    """Is not to be had: whoever can change a pickled text can run any code here.

    Raises:
        TypeError: Always.
    """

    def __init__(self, **_options: Any) -> None:
        raise TypeError(
            "snapshots are never pickled: `JsonSerializer(allowed_types=[…])` writes objects of your own classes"
        )
