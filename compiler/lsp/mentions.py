"""Every name in a document with its place: also those within expressions, and the fields of events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from wfc.compiler.lsp.names import Mention, PlacedNode, names_in
from wfc.compiler.lsp.scope import accepted, step_at
from wfc.compiler.yaml.source_tree import SourceNode
from wfc.compiler.yaml.truncation import CONDITIONS

__all__ = ["mentions_in"]

HOLE: Final = re.compile(r"\$\{\{((?:(?!\$\{\{).)*?)\}\}|\{%((?:(?!\{%).)*?)%\}", re.DOTALL)
"""None reaches over the beginning of the next, so that a text full of beginnings takes no longer."""
TEXT: Final = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
DOTTED: Final = re.compile(
    r"(?<![\w.])(event|events|inputs|state|config)\.([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))?"
)
TESTED: Final = re.compile(r"\bis\s+(?:not\s+)?([A-Z]\w*)")
NO_FIELDS: Final = frozenset({"description", "extends", "error"})
MAPS: Final = frozenset({"{", "map"})


def mentions_in(text: str, nodes: list[PlacedNode], data: Any) -> Iterator[Mention]:
    """Yield every name in a document, declarations and uses.

    A field of an event is called ``Event.field``.

    Args:
        nodes: Of the text.
        data: What the text says.
    """
    yield from names_in(nodes)
    said = data if isinstance(data, dict) else {}
    for each in nodes:
        if each.is_key and len(each.path) == 3 and each.path[0] == "events":
            yield from field(each.node, each.path[1], each.path, declares=True)
        elif not each.is_key and each.node.style in MAPS:
            yield from filled(each, said)
        elif not each.is_key and not each.node.collects:
            yield from in_text(text, each, said)


def filled(placed: PlacedNode, data: Mapping[str, Any]) -> Iterator[Mention]:
    """Yield the fields that are given values where an event is made: under `with`, and in tests."""
    if placed.path == ("tests", "start"):
        yield from fields(placed.node, str(data.get("start", "")), placed.path)
        return
    values = {key.value: value for key, value in placed.node.parts if key is not None}
    event = values.get("event") or (values.get("end") if placed.path[:1] == ("tests",) else None)
    given = values.get("with")
    if event is not None and given is not None and given.style in MAPS and event.value[:1].isupper():
        yield from fields(given, event.value, placed.path)


def fields(node: SourceNode, event: str, path: tuple[str, ...]) -> Iterator[Mention]:
    for key, _ in node.parts:
        if key is not None:
            yield from field(key, event, path)


def field(key: SourceNode, event: str, path: tuple[str, ...], *, declares: bool = False) -> Iterator[Mention]:
    quoted = key.style in {"'", '"'}
    if event and key.value.isidentifier() and not (declares and key.value in NO_FIELDS):
        name = f"{event}.{key.value}"
        yield Mention("field", name, key.start + quoted, key.end - quoted, path, declares)


def in_text(text: str, placed: PlacedNode, data: Mapping[str, Any]) -> Iterator[Mention]:
    """Yield the names in the expressions of a scalar."""
    node = placed.node
    if node.start == node.end or node.style == "*":
        return
    written = text[node.start : node.end]
    if placed.path[-1:] and placed.path[-1] in CONDITIONS:
        quoted = node.style in {"'", '"'}
        yield from in_expression(
            written[quoted : len(written) - quoted], node.start + quoted, placed.path, data
        )
        return
    for hole in HOLE.finditer(written) if "{" in written else ():
        group = 1 if hole[1] is not None else 2
        yield from in_expression(hole[group], node.start + hole.start(group), placed.path, data)


def in_expression(said: str, start: int, path: tuple[str, ...], data: Mapping[str, Any]) -> Iterator[Mention]:
    bare = TEXT.sub(lambda match: " " * len(match.group()), said)
    for tested in TESTED.finditer(bare):
        yield Mention("event", tested[1], start + tested.start(1), start + tested.end(1), path, False)
    for found in DOTTED.finditer(bare):
        root, name, behind = found.groups()
        begin, end = start + found.start(2), start + found.end(2)
        if root in {"state", "config"}:
            yield Mention(root, name, begin, end, path, False)
        elif root == "events":
            yield Mention("event", name, begin, end, path, False)
            if behind:
                own = f"{name}.{behind}"
                yield Mention("field", own, start + found.start(3), start + found.end(3), path, False)
        else:
            known = accepted(step_at(data, path).get("accepts")) if root == "event" else [data.get("start")]
            for event in dict.fromkeys(known):
                yield Mention("field", f"{event}.{name}", begin, end, path, False)
