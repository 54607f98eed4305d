"""The base class of what writes those values of a snapshot that are no plain data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

__all__ = ["BaseSerializer"]


class BaseSerializer(ABC):
    """Writes values as text, and reads them again.

    A snapshot writes by itself plain data, times, enumerations, and records and events of the workflow's own classes.
    A subclass of this is asked for everything else.
    """

    allowed_types: tuple[type[Any], ...] = ()
    """Further pydantic classes that may stand in a snapshot."""

    @abstractmethod
    def serialize(self, value: Any) -> str:
        """A value as text."""

    @abstractmethod
    def deserialize(self, value: str) -> Any:
        """The value of a text. The text may come from anybody."""
