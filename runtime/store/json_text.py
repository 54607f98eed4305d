"""JSON as the store keeps it: without spaces and not bound to ASCII; numbers that are none have no form in it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from wfc.runtime.errors import SnapshotError

__all__ = ["ENCODER", "SHORT", "as_json_text", "is_read_back", "refusing"]

ENCODER: Final = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":"))

SHORT: Final = sys.int_info.default_max_str_digits
"""The characters up to which a text holds no integer that Python does not read."""


def as_json_text(data: Any) -> bytes:
    """Return JSON data as text.

    Raises:
        SnapshotError: Something in it has no form in JSON.
    """
    with refusing():
        return ENCODER.encode(data).encode()


@contextmanager
def refusing() -> Iterator[None]:
    """Raise ``SnapshotError`` in place of what is raised of values that have no form in JSON."""
    try:
        yield
    except SnapshotError:
        raise
    except RecursionError:
        raise SnapshotError("a value is nested too deep") from None
    except ValueError as error:  # also of texts that are none in Unicode, and by serializers of others
        raise SnapshotError(f"a value has no form in JSON: {error}") from None


def is_read_back(text: bytes | bytearray) -> bool:
    """Return whether JSON text that pydantic has written can be read, which an integer of many digits cannot be."""
    if len(text) <= SHORT:
        return True
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
