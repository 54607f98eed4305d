"""What is told of types and of the fields of events: what they are, where they are filled, read and used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from wfc.compiler.lsp.documents import Documents, OpenDocument
from wfc.compiler.lsp.mentions import mentions_in, types_in
from wfc.compiler.lsp.names import EXITS, EXITS_OF_RUN, Mention, PlacedNode
from wfc.compiler.lsp.scope import EXTENDS, accepted, event_fields, shown_type, table
from wfc.compiler.slotted import dataclass
from wfc.compiler.types.parse import is_long_form

__all__ = ["TypeName", "field_in_words", "fields_at", "places_of_field", "type_in_words", "type_name_at"]

MOST_NODES: Final = 1_000
"""In so many places a field's name may stand, for all of them to be looked at."""

WORD: Final = re.compile(r"[^\W\d]\w*")
LISTED: Final = 12


@dataclass(frozen=True, slots=True)
class TypeName:
    """The name of a type, or of an event that is used as one, where it stands."""

    name: str
    start: int
    end: int


def type_name_at(
    documents: Documents, document: OpenDocument, node: PlacedNode, offset: int
) -> TypeName | None:
    """Return the declared type whose name a place is in."""
    said = node.node
    if node.is_key:
        is_declared = node.path[:1] == ("types",) and len(node.path) == 2
        return TypeName(said.value, said.start, said.end) if is_declared else None
    declared = {**documents.declared(document, "type"), **documents.declared(document, "event")}
    for word in types_in(document.text, node, document.data):
        if word.start <= offset <= word.end and word.name in declared:
            return TypeName(word.name, word.start, word.end)
    return None


def type_in_words(documents: Documents, document: OpenDocument, name: str) -> str:
    """Return what a type is, and in which fields it is used."""
    types, events = (documents.declared(document, kind) for kind in ("type", "event"))
    said = types.get(name, events.get(name))
    lines = [f"**{'type' if name in types else 'event'}** `{name}`"]
    is_record = isinstance(said, dict) and (name not in types or not is_long_form(said))
    if isinstance(said, dict) and isinstance(said.get("description"), str) and not is_record:
        lines.append(said["description"].strip())
    fields = event_fields({"events": {**types, **events}}, name) if is_record else {}
    lines.append("\n".join(fields_in_words(fields)) if fields else f"`{shown_type(said)}`")
    used = [*users(types, name), *users(events, name, are_events=True)]
    steps = [
        f"`{step}`"
        for step, content in table(document.data, "steps").items()
        if isinstance(content, dict)
        and any(mentions_type(content.get(key), name) for key in ("output", "form"))
    ]
    for words, found in (("used by", used), ("what comes of", steps)):
        if found:
            lines.append(f"{words} {listed(found)}")
    return "\n\n".join(lines)


def fields_in_words(fields: Mapping[str, Any]) -> Iterator[str]:
    for field, each in fields.items():
        about = str(each.get("description", "")).strip() if isinstance(each, dict) else ""
        yield f"- `{field}`: {shown_type(each)}" + (f": {about}" if about else "")


def users(declared: Mapping[str, Any], name: str, *, are_events: bool = False) -> Iterator[str]:
    """Yield the fields of records that are of a type, or made of it, and the types that are no records and are so."""
    for owner, said in declared.items():
        if isinstance(said, dict) and (are_events or not is_long_form(said)):
            for field, each in said.items():
                if mentions_type(each, name) and not (are_events and field == EXTENDS):
                    yield f"`{owner}.{field}`"
        elif mentions_type(said, name):
            yield f"`{owner}`"


def mentions_type(said: Any, name: str) -> bool:
    if isinstance(said, str):
        return name in WORD.findall(said)
    if isinstance(said, dict):
        parts = [said.get("type"), said.get("one_of")] if is_long_form(said) else said.values()
        return any(mentions_type(each, name) for each in parts)
    return isinstance(said, list) and any(mentions_type(each, name) for each in said)


def fields_at(document: OpenDocument, offset: int) -> list[Mention]:
    """Return the field whose name a place is in, of each event that may be meant."""
    near = [each for each in document.nodes if each.node.start <= offset <= each.node.end]
    found = mentions_in(document.text, near, document.data)
    return [each for each in found if each.kind == "field" and each.start <= offset <= each.end]


def field_in_words(documents: Documents, document: OpenDocument, name: Mention) -> str:
    """Return what a field of an event is, and where it is filled and read; empty if it is not declared here."""
    event, _, field = name.name.partition(".")
    said = event_fields({"events": documents.declared(document, "event")}, event).get(field)
    if said is None or name.of:
        return ""
    lines = [f"**field** `{event}.{field}`: {shown_type(said)}"]
    if isinstance(said, dict):
        lines += [str(said["description"]).strip()] if said.get("description") else []
        if isinstance(said.get("default"), (str, int, float)):
            lines.append(f"If nothing else is said: `{said['default']}`")
    return "\n\n".join([*lines, *places_of_field(document, event, field)])


def places_of_field(document: OpenDocument, event: str, field: str) -> list[str]:
    """Return in which steps a field is filled and read, in words; nothing where its name stands too often."""
    text = document.text
    scalars = [
        each
        for each in document.nodes
        if not each.node.collects and field in text[each.node.start : each.node.end]
    ]
    if len(scalars) > MOST_NODES:
        return []
    near = [*scalars, *(each for each in document.nodes if each.node.collects)]
    keys = {each.node.start for each in document.nodes if each.is_key}
    filled, read = dict[str, None](), dict[str, None]()
    for each in sorted(mentions_in(text, near, document.data), key=lambda each: each.start):
        if (each.kind, each.name) != ("field", f"{event}.{field}") or each.of:
            continue
        if each.path[0] in {"steps", *EXITS_OF_RUN}:
            is_key = each.start in keys or each.start - 1 in keys  # in quotes
            (filled if is_key else read)[f"`{each.path[each.path[0] == 'steps']}`"] = None
    by_name = dict.fromkeys(
        f"`{step}`" for step in emitting(document.data, event) if f"`{step}`" not in filled
    )
    found = (("filled in", filled), ("filled by its name or its default in", by_name), ("read in", read))
    said = "; ".join(f"{words} {listed([*names])}" for words, names in found if names)
    return [f"`{event}.{field}`: {said}"] if said else []


def emitting(data: Mapping[str, Any], event: str) -> Iterator[str]:
    """Yield the steps that make an event, and the exits of the run that do."""
    for name, step in table(data, "steps").items():
        if isinstance(step, dict):
            made = [*(step.get(key) for key in EXITS), table(step, "accepts").get("on_timeout")]
            if any(event in accepted(each) for each in made):
                yield name
    yield from (key for key in EXITS_OF_RUN if event in accepted(data.get(key)))


def listed(names: list[str]) -> str:
    return ", ".join(names[:LISTED]) + (", …" if len(names) > LISTED else "")
