"""The base class of serializers, for the values in a snapshot that are not plain data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

__all__ = ["BaseSerializer"]


class BaseSerializer(ABC):
    """Base class of objects that write values as text and read them back.

    A snapshot by itself writes plain data, times, enumerations, and records and events of the workflow's own
    classes. For every other value it calls a subclass of this class.
    """

    allowed_types: tuple[type[Any], ...] = ()
    """Further pydantic classes that may stand in a snapshot."""

    @abstractmethod
    def serialize(self, value: Any) -> str:
        """Return a value as text."""

    @abstractmethod
    def deserialize(self, value: str) -> Any:
        """Return the value that a text represents. The text may come from an untrusted source."""
