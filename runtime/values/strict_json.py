"""JSON from outside, read strictly and without loss: what other parsers would read differently is refused."""

from __future__ import annotations

import json
import math
from typing import Any, Final

__all__ = ["NotPlainError", "parsed"]

DEEPEST: Final = 100


class NotPlainError(ValueError):
    """The error for JSON that other parsers read differently or not at all; the message gives the reason."""


def parsed(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        NotPlainError: It gives a name twice, is nested more than a hundred deep, or has numbers or characters that
            do not exist.
        ValueError: It is not JSON.
    """
    given = text if isinstance(text, str) else _text_of(text)
    try:
        value = _DECODER.decode(given)
    except RecursionError:
        raise NotPlainError(f"it is nested more than {DEEPEST} deep") from None
    if given.count("{") + given.count("[") > DEEPEST:  # else it cannot be so deep
        refuse_deep(value)
    if "\\u" in given or not given.isascii():  # else there are whole characters alone
        _refuse_halves(value)
    return value


def _refuse_halves(value: Any) -> None:
    try:
        _ENCODER.encode(value).encode()
    except UnicodeEncodeError as error:
        half = ord(error.object[error.start])
        raise NotPlainError(f"it has half a character, `\\u{half:04x}`") from None


def _text_of(raw: bytes) -> str:
    return raw.decode(json.detect_encoding(raw), "surrogatepass")


def record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotPlainError(f"it has `{twice}` twice")
    return found


def no_number(name: str) -> float:
    raise NotPlainError(f"`{name}` is no number of JSON")


def number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise NotPlainError(f"`{text[:40]}` is too large for a number")
    return value


def refuse_deep(value: Any) -> None:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return
    raise NotPlainError(f"it is nested more than {DEEPEST} deep")


# made once, where `json.loads` and `json.dumps` make one for each text
_DECODER: Final = json.JSONDecoder(object_pairs_hook=record, parse_constant=no_number, parse_float=number)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)
