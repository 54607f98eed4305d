"""What an editor shows of the thing under the pointer, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.lsp.completion import FAR, data_at
from wfc.compiler.lsp.documents import Documents, OpenDocument
from wfc.compiler.lsp.earlier import earlier
from wfc.compiler.lsp.fitting_filters import TESTS_IN_WORDS, about_filter, signature_of
from wfc.compiler.lsp.folder import at_home
from wfc.compiler.lsp.keys import means, said_of
from wfc.compiler.lsp.names import Mention, names_in
from wfc.compiler.lsp.navigation import name_at, node_at
from wfc.compiler.lsp.scope import fields_behind, loops_around, loops_before, roots_of, shown_type
from wfc.compiler.lsp.types_in_words import (
    field_in_words,
    fields_at,
    places_of_field,
    type_in_words,
    type_name_at,
)
from wfc.compiler.lsp.waits import waits_in_words
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml.truncation import CONDITIONS

__all__ = ["Hover", "hover"]

BOUNDS: Final = {"start": "begins", "end": "ends"}
AFTER_IS: Final = re.compile(r"\bis\s+(?:not\s+)?\Z")
DOTTED: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


@dataclass(frozen=True, slots=True)
class Hover:
    """What is said of a stretch of a text."""

    said: str
    start: int
    end: int


def hover(documents: Documents, document: OpenDocument, offset: int) -> Hover | None:
    """Return what there is to say of a place; ``None`` if nothing.

    While the text cannot be read, it is what was said of the same place when it could be, outside of what was changed.
    """
    if not document.readable:
        return hover_before(documents, document, offset)
    node = node_at(document, offset)
    if node is None:
        return None
    if (named := type_name_at(documents, document, node, offset)) is not None:
        return Hover(type_in_words(documents, document, named.name), named.start, named.end)
    if name := name_at(document, offset):
        return Hover(of_name(documents, document, name), name.start, name.end)
    for field in fields_at(document, offset) if node.is_key else ():
        if said := field_in_words(documents, *at_home(documents, document, field)):
            return Hover(said, field.start, field.end)
    if node.is_key:
        said = said_of(node.path, document.data)
        policy = inline_policy(node.path, document.data) if node.path[-1] == "retry" else None
        said = "\n\n".join(filter(None, (said, waits_in_words(policy) if policy else "")))
        return Hover(f"`{node.path[-1]}`\n\n{said}", node.node.start, node.node.end) if said else None
    return of_expression(documents, document, node.path, offset)


def hover_before(documents: Documents, document: OpenDocument, offset: int) -> Hover | None:
    before = earlier(document)
    place = None if before is None else before.place(offset)
    if before is None or place is None:
        return None
    found = hover(documents, before.document, place)
    return (
        None
        if found is None
        else Hover(found.said, before.place_now(found.start), before.place_now(found.end))
    )


def inline_policy(path: tuple[str, ...], data: Any) -> Mapping[str, Any] | None:
    """Return the retry policy that stands in place at a path."""
    found = data_at(data, path)
    return found if isinstance(found, dict) else None


def of_name(documents: Documents, document: OpenDocument, name: Mention) -> str:
    said = documents.declared(document, name.kind).get(name.name)
    lines = [f"**{name.kind}** `{name.name}`"]
    if name.kind != "event" and isinstance(said, dict) and said.get("description"):
        lines.append(str(said["description"]).strip())
    if name.kind == "event":
        lines += of_event(document, name.name, said)
    elif name.kind == "step" and isinstance(said, dict):
        lines += of_step(document, name.name, said)
    elif name.kind == "workflow":
        lines += of_workflow(documents, document, name.name)
    elif name.kind == "retry" and isinstance(said, dict):
        lines += [words] if (words := waits_in_words(said)) else []
    elif shown := shown_type(said):
        lines.append(f"`{shown}`")
    return "\n\n".join(lines)


def of_workflow(documents: Documents, document: OpenDocument, name: str) -> list[str]:
    """Return what a workflow is for, and with which events it begins and ends."""
    path = documents.workflows(document.path).get(name)
    data = None if path is None else documents.data(path)
    if not isinstance(data, dict):
        return []
    ends = data.get("end")
    listed = ", ".join(f"`{each}`" for each in (ends if isinstance(ends, list) else [ends]) if each)
    bounds = " → ".join(filter(None, (f"`{data['start']}`" if data.get("start") else "", listed)))
    about = str(data.get("description", "")).strip()
    return list(filter(None, (about, bounds)))


def of_event(document: OpenDocument, event: str, said: Any) -> list[str]:
    """Return the fields of an event, and where it comes from and goes."""
    lines = []
    if isinstance(said, dict) and said:
        lines.append("\n".join(f"- `{field}`: {shown_type(each)}" for field, each in said.items()))
    takers: set[str] = set()
    makers: set[str] = set()
    for each in names_in(document.nodes):
        if (each.kind, each.name) == ("event", event) and each.path[:1] == ("steps",) and len(each.path) > 2:
            (takers if is_accepted(each) else makers).add(each.path[1])
    roles = [f"a run {verb} with it" for key, verb in BOUNDS.items() if of(document, key, event)]
    if makers:
        roles.append("from " + ", ".join(f"`{each}`" for each in sorted(makers)))
    if takers:
        roles.append("to " + ", ".join(f"`{each}`" for each in sorted(takers)))
    return [*lines, *(["; ".join(roles)] if roles else [])]


def is_accepted(name: Mention) -> bool:
    return name.path[2:3] == ("accepts",) and "on_timeout" not in name.path


def of(document: OpenDocument, key: str, event: str) -> bool:
    said = document.data.get(key) if isinstance(document.data, dict) else None
    return said == event or (isinstance(said, list) and event in said)


def of_step(document: OpenDocument, step: str, said: Mapping[str, Any]) -> list[str]:
    found = sorted(names_in(document.nodes), key=lambda each: each.start)
    events = [each for each in found if each.path[:2] == ("steps", step) and each.kind == "event"]
    taken = dict.fromkeys(each.name for each in events if is_accepted(each))
    sent = dict.fromkeys(each.name for each in events if not is_accepted(each))
    listed = " → ".join(", ".join(f"`{each}`" for each in group) for group in (taken, sent) if group)
    return [f"kind `{said.get('kind', '?')}`" + (f": {listed}" if listed else "")]


def of_expression(
    documents: Documents, document: OpenDocument, path: tuple[str, ...], offset: int
) -> Hover | None:
    """Return the type of a name within an expression, or what a filter does."""
    text = document.text
    begin, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    line = text[begin : len(text) if end < 0 else end]
    opened = line.rfind("${{", 0, offset - begin + 1)
    inside = opened >= 0 and "}}" not in line[opened : offset - begin]
    if (
        not inside
        and not CONDITIONS & set(path[-1:])
        and not means(path, document.data, "condition", "expression")
    ):
        return None
    for match in DOTTED.finditer(line):
        start = begin + match.start()
        if not start <= offset <= begin + match.end():
            continue
        if line[: match.start()].rstrip().endswith("|") and match.group() in FILTERS:
            found = FILTERS[match.group()]
            shown = (
                f"**filter** `{signature_of(found)}`: {found.takes} → {found.gives}\n\n{about_filter(found)}"
            )
            return Hover(shown, start, begin + match.end())
        if AFTER_IS.search(line[: match.start()]) and match.group() in TESTS_IN_WORDS:
            said = f"**test** `is {match.group()}`\n\n{TESTS_IN_WORDS[match.group()]}"
            return Hover(said, start, begin + match.end())
        loops = {**loops_before(text[max(0, start - FAR) : start]), **loops_around(line, match.start())}
        said = of_field(documents, document, path, match.group(), loops)
        for field in fields_at(document, offset) if said else ():
            if field.end == begin + match.end() and not field.of:
                event, _, name = field.name.partition(".")
                said = "\n\n".join([said, *places_of_field(document, event, name)])
        return Hover(f"`{match.group()}`{said}", start, begin + match.end()) if said else None
    return None


def of_field(
    documents: Documents, document: OpenDocument, path: tuple[str, ...], dotted: str, loops: Mapping[str, str]
) -> str:
    data = documents.meant(document, document.data)
    head, dot, field = dotted.rpartition(".")
    if not dot:
        said = f"An item of `{loops[field]}`." if field in loops else roots_of(data, path).get(field, "")
        return f"\n\n{said}" if said else ""
    each = fields_behind(data, path, head, loops).get(field)
    if each is None:
        return ""
    about = str(each.get("description", "")) if isinstance(each, dict) else ""
    if isinstance(each, dict) and isinstance(each.get("default"), (str, int, float)):
        about = f"{about}\n\nIf nothing else is said: `{each['default']}`".strip()
    return f": {shown_type(each)}" + (f"\n\n{about}" if about else "")
