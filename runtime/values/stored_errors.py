"""Storing exceptions as data, by class name and text, and restoring them as far as that is safe."""

from __future__ import annotations

import builtins
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator

from wfc.runtime.errors import WorkflowError

__all__ = ["StorableError", "UnreconstructedException", "read_stored", "stored"]


class UnreconstructedException(WorkflowError):  # noqa: N818 - the name is llama-index-workflows'
    """A substitute for a stored exception, with its text, and the name of its class in ``original_type``.

    Stored data never causes an import, so only Python's built-in exceptions get their own class back.
    """

    def __init__(self, message: str, *, original_type: str | None = None) -> None:
        super().__init__(message)
        self.original_type = original_type


def stored(error: BaseException) -> dict[str, str]:
    """Return an exception as data: the name of its class and its text."""
    kind = type(error)
    name = getattr(error, "original_type", None) or f"{kind.__module__}.{kind.__qualname__}"
    return {"exception_type": str(name), "exception_message": str(error)}


def read_stored(data: Any) -> Exception:
    """Return the stored exception if it is a built-in one, else an ``UnreconstructedException``.

    Raises:
        ValueError: The data is not a stored exception.
    """
    if isinstance(data, Exception):
        return data
    if not (isinstance(data, dict) and data.keys() >= {"exception_type", "exception_message"}):
        raise ValueError("it is no exception, nor what is stored of one")
    name, message = str(data["exception_type"]), str(data["exception_message"])
    module, _, last = name.rpartition(".")
    kind = getattr(builtins, last, None) if module == "builtins" else None
    if isinstance(kind, type) and issubclass(kind, Exception):
        if kind is KeyError and repr(message[1:-1]) == message:
            message = message[1:-1]  # its text quotes what it is about
        try:
            return kind(message)
        except TypeError:  # its class takes other arguments
            pass
    return UnreconstructedException(message, original_type=name)


StorableError = Annotated[
    Exception,
    PlainSerializer(stored, return_type=dict[str, str]),
    PlainValidator(read_stored),
]
"""A field that holds an exception, and is written as its class's name and its text."""
