"""An answer of the cache ↔ bytes: JSON, and before it a digest of that JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from wfc.compiler import diagnostics as kinds
from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.slotted import dataclass, field, fields, is_dataclass

__all__ = ["Answer", "Question", "packed", "unpacked"]

DIGEST = 64
KINDS: dict[str, Any] = {
    name: kind for name in kinds.__all__ if isinstance(kind := getattr(kinds, name), type)
}

Question = tuple[str, str, str]
"""Something that a check has asked of other files: the kind of question, what it is about, and what was answered."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a check of one spec has found.

    Args:
        path: The spec's path, as findings show it.
        text: The spec's text, which positions refer to.
        diagnostics: As the check has sorted them.
        asked: What it depends on besides the spec's own bytes.
        suppressed: Warnings that a comment in the text asks not to mind.
        texts: The texts of other files that positions refer to, by path.
    """

    path: str
    text: str
    diagnostics: tuple[Diagnostic, ...]
    asked: tuple[Question, ...] = ()
    suppressed: tuple[Diagnostic, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)


def packed(answer: Answer, raw: bytes, key: str) -> bytes:
    """An answer as bytes.

    Args:
        raw: The spec's bytes; a text that is just these is not repeated.
        key: What it is kept under, and under nothing else.

    Raises:
        TypeError: There is something in it that JSON and ``unpacked`` would not bring back.
    """
    text = None if answer.text == plain_text(raw) else answer.text
    shown = {each.path for each in (*answer.diagnostics, *answer.suppressed)} - {answer.path}
    texts = {path: each for path, each in answer.texts.items() if path in shown}
    found = [flat(answer.diagnostics), flat(answer.suppressed)]
    content = json.dumps([answer.path, text, *found, answer.asked, texts]).encode()
    return digest(key, content) + content


def digest(key: str, content: bytes) -> bytes:
    return sha256(key.encode() + content).hexdigest().encode()


def unpacked(content: bytes, raw: bytes, key: str) -> Answer | None:
    """The answer that bytes hold; ``None`` if they are not exactly what was packed, for this key."""
    if digest(key, content[DIGEST:]) != content[:DIGEST]:
        return None
    try:
        path, text, found, ignored, asked, others = json.loads(content[DIGEST:])
        diagnostics, suppressed = restored(found), restored(ignored)
        questions = tuple((str(kind), str(about), str(answer)) for kind, about, answer in asked)
        texts = {str(other): str(each) for other, each in others.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None  # well kept, and not by us
    text = plain_text(raw) if text is None else text
    if not (isinstance(path, str) and isinstance(text, str)):
        return None
    if not all_diagnostics(diagnostics) or not all_diagnostics(suppressed):
        return None
    return Answer(path, text, diagnostics, questions, suppressed, texts)


def all_diagnostics(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(each, Diagnostic) for each in value)


def plain_text(raw: bytes) -> str | None:
    """What nearly every file's text is."""
    try:
        return raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError:
        return None


def flat(value: object) -> object:
    """A value as JSON: lists for tuples, and a map from its kind to its parts for what `diagnostics` defines."""
    kind = value.__class__
    if value is None or kind in (str, bool):
        return value
    if kind is int and isinstance(value, int):
        return value
    if kind is tuple and isinstance(value, tuple):
        return [flat(each) for each in value]
    if KINDS.get(kind.__name__) is not kind:
        raise TypeError(f"a {kind.__name__} cannot be kept")
    if is_dataclass(value):
        return {kind.__name__: [flat(getattr(value, each.name)) for each in fields(value)]}
    if isinstance(value, tuple):
        return {kind.__name__: [flat(each) for each in value]}
    if isinstance(value, int):
        return {kind.__name__: [int(value)]}
    if isinstance(value, str):
        return {kind.__name__: [str(value)]}
    raise TypeError(f"a {kind.__name__} cannot be kept")


def restored(value: Any) -> Any:
    """What was made flat.

    Raises:
        TypeError, ValueError, KeyError: It is nothing that ``flat`` makes.
    """
    if isinstance(value, list):
        return tuple(restored(each) for each in value)
    if isinstance(value, dict):
        ((kind, parts),) = value.items()
        return KINDS[kind](*restored(parts))
    return value
