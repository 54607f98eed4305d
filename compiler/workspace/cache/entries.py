"""Serialization of check results as bytes: JSON, preceded by a digest of that JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from wfc.compiler import diagnostics as kinds
from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.slotted import dataclass, field, fields, is_dataclass
from wfc.compiler.workspace.lookups import Lookup

__all__ = ["CheckResult", "decode", "encode"]

DIGEST = 64
KINDS: dict[str, Any] = {
    name: kind for name in kinds.__all__ if isinstance(kind := getattr(kinds, name), type)
}


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of checking one spec.

    Args:
        path: The spec's path, as findings show it.
        text: The spec's text, which positions refer to.
        diagnostics: As the check has sorted them.
        lookups: What it depends on besides the spec's own bytes.
        suppressed: Warnings that a comment in the text asks not to mind.
        texts: The texts of other files that positions refer to, by path.
        modules: What a compile would write, if that was asked for: the parts of each module, as texts.
    """

    path: str
    text: str
    diagnostics: tuple[Diagnostic, ...]
    lookups: tuple[Lookup, ...] = ()
    suppressed: tuple[Diagnostic, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    modules: tuple[tuple[str, ...], ...] = ()


def encode(result: CheckResult, raw: bytes, key: str) -> bytes:
    """Return a result as bytes.

    Args:
        raw: The spec's bytes; a text that is just these is not repeated.
        key: The only key under which it is stored.

    Raises:
        TypeError: There is something in it that JSON and ``decode`` would not bring back.
    """
    text = None if result.text == text_of(raw) else result.text
    shown = {each.path for each in (*result.diagnostics, *result.suppressed)} - {result.path}
    texts = {path: each for path, each in result.texts.items() if path in shown}
    found = [to_json(result.diagnostics), to_json(result.suppressed)]
    content = json.dumps([result.path, text, *found, result.lookups, texts, result.modules]).encode()
    return digest(key, content) + content


def digest(key: str, content: bytes) -> bytes:
    return sha256(key.encode() + content).hexdigest().encode()


def decode(content: bytes, raw: bytes, key: str) -> CheckResult | None:
    """Return the result that bytes encode; ``None`` if they are not exactly what was encoded for this key."""
    if digest(key, content[DIGEST:]) != content[:DIGEST]:
        return None
    try:
        path, text, found, ignored, looked_up, others, written = json.loads(content[DIGEST:])
        diagnostics, suppressed = from_json(found), from_json(ignored)
        lookups = tuple((str(kind), str(about), str(result)) for kind, about, result in looked_up)
        texts = {str(other): str(each) for other, each in others.items()}
        modules = tuple(tuple(str(part) for part in module) for module in written)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None  # well kept, and not by us
    text = text_of(raw) if text is None else text
    if not (isinstance(path, str) and isinstance(text, str)):
        return None
    if not all_diagnostics(diagnostics) or not all_diagnostics(suppressed):
        return None
    return CheckResult(path, text, diagnostics, lookups, suppressed, texts, modules)


def all_diagnostics(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(each, Diagnostic) for each in value)


def text_of(raw: bytes) -> str | None:
    """Return a file's text, decoded as UTF-8, as nearly all are; ``None`` for another encoding."""
    try:
        return raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError:
        return None


def to_json(value: object) -> object:
    """Return a value as JSON: a tuple as a list, an object of `diagnostics` as a map from kind to parts."""
    kind = value.__class__
    if value is None or kind in (str, bool):
        return value
    if kind is int and isinstance(value, int):
        return value
    if kind is tuple and isinstance(value, tuple):
        return [to_json(each) for each in value]
    if KINDS.get(kind.__name__) is not kind:
        raise TypeError(f"a {kind.__name__} cannot be kept")
    if is_dataclass(value):
        return {kind.__name__: [to_json(getattr(value, each.name)) for each in fields(value)]}
    if isinstance(value, tuple):
        return {kind.__name__: [to_json(each) for each in value]}
    if isinstance(value, int):
        return {kind.__name__: [int(value)]}
    if isinstance(value, str):
        return {kind.__name__: [str(value)]}
    raise TypeError(f"a {kind.__name__} cannot be kept")


def from_json(value: Any) -> Any:
    """Return the value that JSON represents.

    Raises:
        TypeError, ValueError, KeyError: It is nothing that ``to_json`` makes.
    """
    if isinstance(value, list):
        return tuple(from_json(each) for each in value)
    if isinstance(value, dict):
        ((kind, parts),) = value.items()
        return KINDS[kind](*from_json(parts))
    return value
