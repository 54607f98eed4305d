"""Every name in a document with its place: also those within expressions, and the fields of events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from wfc.compiler.lsp.keys import means
from wfc.compiler.lsp.names import Mention, PlacedNode, kind_at, names_in
from wfc.compiler.lsp.scope import EXTENDS, accepted, step_at, table
from wfc.compiler.types import BUILT_IN
from wfc.compiler.yaml.source_tree import SourceNode
from wfc.compiler.yaml.truncation import CONDITIONS

__all__ = ["END", "START", "mentions_in", "types_in"]

START: Final = "<start>"
END: Final = "<end>"
"""Stand for the event with which a workflow that is run begins, or ends, whose name is not known where it is run."""

HOLE: Final = re.compile(r"\$\{\{((?:(?!\$\{\{).)*?)\}\}|\{%((?:(?!\{%).)*?)%\}", re.DOTALL)
"""None reaches over the beginning of the next, so that a text full of beginnings takes no longer."""
TEXT: Final = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
DOTTED: Final = re.compile(
    r"(?<![\w.])(event|events|inputs|state|config)\.([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))?"
)
TESTED: Final = re.compile(r"(?:\b(\w+)\s+)?\bis\s+(?:not\s+)?([A-Z]\w*)")
RESULT: Final = re.compile(r"(?<![\w.])result\.([A-Za-z_]\w*)")
BARE: Final = frozenset("from in key per to_key until".split())
"""Keys whose values are expressions without `${{ }}`, unless these are there."""

MOCKS: Final = frozenset({("tests", "mock"), ("tests", "tools")})
"""Where tests say how steps and tools end without having them run."""

TYPES: Final = ("type", "state_field", "form")
"""What the schema calls that in which a type may be said."""
TYPE: Final = re.compile(r"['\"]?(?:(?:list|map)\s+of\s+|optional\s+)*([^\W\d_a-z]\w*)['\"]?")
"""A type that names one that is declared: names of the language's own plain types are small."""

GIVEN: Final = frozenset({("with",), ("do", "with")})
"""Where, in a step, what a workflow is given stands."""

MAPS: Final = frozenset({"{", "map"})


def mentions_in(text: str, nodes: list[PlacedNode], data: Any) -> Iterator[Mention]:
    """Yield every name in a document, declarations and uses.

    A field of an event is called ``Event.field``. What a step says of a workflow that it runs is of that one: events
    with which it ends, ``<start>.field`` for what it is given and ``<end>.field`` for what it gives back.

    Args:
        nodes: Of the text.
        data: What the text says.
    """
    said = data if isinstance(data, dict) else {}
    yield from names_in(nodes)
    for each in nodes:
        if each.path[:2] in MOCKS and each.path[3:] == ("event",) and not each.is_key:
            yield from mocked_end(each, said)
        if each.is_key and len(each.path) == 3 and each.path[0] == "events":
            yield from field(each.node, each.path[1], each.path, declares=True)
        elif each.path[:1] == ("receives",) and each.path[2:] == ("key",) and not each.node.collects:
            if not each.is_key:
                yield from field(each.node, each.path[1], each.path)
        elif not each.is_key and each.node.style in MAPS:
            yield from filled(each, said)
        elif not each.is_key and not each.node.collects:
            yield from in_text(text, each, said)
            yield from types_in(text, each, said)


def types_in(text: str, placed: PlacedNode, data: Mapping[str, Any]) -> Iterator[Mention]:
    """Yield the names of types, and of events that are used as such, in what says a type."""
    node, path = placed.node, placed.path
    if placed.is_key or node.collects or node.style in {"|", ">", "*"} or not path:
        return
    found = TYPE.fullmatch(text, node.start, node.end)
    if found is None or found[1] in BUILT_IN or kind_at(path):
        return
    if means(path, data, *TYPES):
        yield Mention("type", found[1], found.start(1), found.end(1), path, False)


def filled(placed: PlacedNode, data: Mapping[str, Any]) -> Iterator[Mention]:
    """Yield the fields that are given values where an event is made: under `with`, and in tests."""
    if placed.path == ("tests", "start"):
        yield from fields(placed.node, str(data.get("start", "")), placed.path)
        return
    for workflow in called(data, placed.path) if placed.path[2:] in GIVEN else ():
        for key, _ in placed.node.parts:
            if key is not None:
                yield from field(key, START, placed.path, of=workflow)
    values = {key.value: value for key, value in placed.node.parts if key is not None}
    event = values.get("event") or (values.get("end") if placed.path[:1] == ("tests",) else None)
    given = values.get("with")
    if event is not None and given is not None and given.style in MAPS and event.value[:1].isupper():
        for owner in mocked(data, placed.path) if placed.path[:2] in MOCKS else [""]:
            yield from fields(given, event.value, placed.path, of=owner)


def mocked_end(placed: PlacedNode, data: Mapping[str, Any]) -> Iterator[Mention]:
    """Yield the end with which a workflow ends in a test, without running."""
    node = placed.node
    quoted = node.style in {"'", '"'}
    for workflow in called(data, ("steps", placed.path[2])):
        yield Mention(
            "event", node.value, node.start + quoted, node.end - quoted, placed.path, False, workflow
        )


def mocked(data: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    """Return the names of the workflows that a test stands in for: those of a step, or the one that a tool is."""
    if path[1] == "mock":
        return called(data, ("steps", *path[2:3]))
    tool = table(table(data, "tools"), path[2])
    return [tool["workflow"]] if isinstance(tool.get("workflow"), str) else []


def called(data: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    """Return the names of the workflows that the action of a step runs, at a path within the step."""
    step = step_at(data, path)
    action = step.get("do") if step.get("kind") == "map" and path[2:3] == ("do",) else step
    if not isinstance(action, dict):
        return []
    named = action.get("workflow") if action.get("kind") == "workflow" else None
    chosen = named.get("only") if isinstance(named, dict) else [named]
    return [each for each in chosen or () if isinstance(each, str)]


def fields(node: SourceNode, event: str, path: tuple[str, ...], of: str = "") -> Iterator[Mention]:
    for key, _ in node.parts:
        if key is not None:
            yield from field(key, event, path, of=of)


def field(
    key: SourceNode, event: str, path: tuple[str, ...], *, declares: bool = False, of: str = ""
) -> Iterator[Mention]:
    quoted = key.style in {"'", '"'}
    if event and key.value.isidentifier() and not (declares and key.value == EXTENDS):
        name = f"{event}.{key.value}"
        yield Mention("field", name, key.start + quoted, key.end - quoted, path, declares, of)


def in_text(text: str, placed: PlacedNode, data: Mapping[str, Any]) -> Iterator[Mention]:
    """Yield the names in the expressions of a scalar."""
    node = placed.node
    if node.start == node.end or node.style == "*":
        return
    written = text[node.start : node.end]
    if placed.path[-1:] and (
        placed.path[-1] in CONDITIONS or (placed.path[-1] in BARE and "{" not in written)
    ):
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
    yield from of_results(bare, start, path, data)
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
            start_event = data.get("start")
            known = [start_event] if isinstance(start_event, str) else []
            if root == "event":
                known = accepted(step_at(data, path).get("accepts"))
            for event in dict.fromkeys(known):
                yield Mention("field", f"{event}.{name}", begin, end, path, False)


def of_results(bare: str, start: int, path: tuple[str, ...], data: Mapping[str, Any]) -> Iterator[Mention]:
    """Yield the events that are asked for by `is`, and the fields of results that are events."""
    runs = called(data, path) if path[:1] == ("steps",) else []
    step = step_at(data, path)
    came = accepted(step.get("event")) if step.get("kind") == "wait" else []
    for tested in TESTED.finditer(bare):
        place = start + tested.start(2), start + tested.end(2)
        for workflow in runs if tested[1] == "result" and runs else [""]:
            yield Mention("event", tested[2], *place, path, False, workflow)
    for given in RESULT.finditer(bare) if runs or came else ():
        place = start + given.start(1), start + given.end(1)
        for workflow in runs:
            yield Mention("field", f"{END}.{given[1]}", *place, path, False, workflow)
        for event in came:
            yield Mention("field", f"{event}.{given[1]}", *place, path, False)
