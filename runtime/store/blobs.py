"""Large values apart: texts and lists over 16 KiB are kept once each, by digest, and bodies mention them.

A body with mentions begins with ``b``, so that one without, which is nearly every one, is taken as it is. In a body
with mentions ``{"$b": digest}`` stands for a value, and ``{"$b": [object]}`` for an object that has that key itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from wfc.runtime.store.json_text import ENCODER

__all__ = ["LARGE", "Body", "Divided", "divide", "unite"]

Body = bytes | bytearray
"""A tick or a snapshot as JSON text, as it is written.

Most are a ``bytearray``: Python's module for SQLite takes that as it is, and looks in vain for a way to adapt each
``bytes``.
"""

LARGE: Final = 16_384
"""The bytes from which on a value is kept apart."""

_MARK: Final = b"b"
_KEY: Final = "$b"


class Divided(NamedTuple):
    """A body, and the large values that it mentions, by digest."""

    body: Body
    blobs: dict[str, bytes]


def divide(body: Body) -> Divided:
    """Return a JSON text with its large values apart."""
    if len(body) < LARGE:
        return Divided(body, {})
    blobs: dict[str, bytes] = {}
    found, _ = _divide(json.loads(body), blobs)
    return Divided(_MARK + ENCODER.encode(found).encode(), blobs)


def _divide(value: Any, blobs: dict[str, bytes]) -> tuple[Any, int]:
    """Return a value that mentions its large parts, and about how many bytes it takes without them."""
    if isinstance(value, str):
        return (
            (_apart(value, blobs), 80)
            if len(value) * 4 >= LARGE and _is_large(value)
            else (value, len(value))
        )
    if isinstance(value, list):
        size, parts = 2, []
        for one in value:
            part, length = _divide(one, blobs)
            parts.append(part)
            size += length + 1
        return (_apart(parts, blobs), 80) if size >= LARGE else (parts, size)
    if isinstance(value, dict):
        size, entries = 2, {}
        for key, one in value.items():
            entries[key], length = _divide(one, blobs)
            size += len(key) + length + 4
        return ({_KEY: [entries]} if _KEY in value else entries), size
    return value, 8


def _is_large(text: str) -> bool:
    return len(text) >= LARGE or len(text.encode()) >= LARGE


def _apart(value: Any, blobs: dict[str, bytes]) -> dict[str, str]:
    text = ENCODER.encode(value).encode()
    digest = hashlib.sha256(text).hexdigest()
    blobs[digest] = text
    return {_KEY: digest}


def unite(body: bytes, blob: Callable[[str], bytes]) -> bytes:
    """Return the JSON text that was divided.

    Args:
        blob: Returns the blob of a digest.

    Raises:
        ValueError: The body is damaged.
        KeyError: A blob is missing.
    """
    if not body.startswith(_MARK):
        return body
    return ENCODER.encode(_unite(json.loads(body[1:]), blob)).encode()


def _unite(value: Any, blob: Callable[[str], bytes]) -> Any:
    if isinstance(value, list):
        return [_unite(one, blob) for one in value]
    if not isinstance(value, dict):
        return value
    if _KEY not in value:
        return {key: _unite(one, blob) for key, one in value.items()}
    held = value[_KEY]
    if isinstance(held, str):
        return _unite(json.loads(blob(held)), blob)
    return {key: _unite(one, blob) for key, one in held[0].items()}
