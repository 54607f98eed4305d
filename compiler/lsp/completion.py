"""What may be written where the cursor stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal

from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.lsp.cursor import DOTTED, Cursor, cursor_at, without_line
from wfc.compiler.lsp.documents import LARGE, Documents, OpenDocument, data_of
from wfc.compiler.lsp.fitting_filters import TESTS_IN_WORDS, about_filter, filters_for, signature_of
from wfc.compiler.lsp.in_tests import error_names, keys_in_tests, values_in_tests
from wfc.compiler.lsp.keys import beginning_at, choices_at, keys_at, kind_in_words, means, needed_at
from wfc.compiler.lsp.names import SECTIONS, kind_at
from wfc.compiler.lsp.nearby import entry_at, keys_after, merged
from wfc.compiler.lsp.scope import (
    common_fields,
    fields_behind,
    fields_of,
    loops_around,
    loops_before,
    roots_of,
    shown_type,
    table,
)
from wfc.compiler.lsp.whole_entries import NEW_WORKFLOW, PLAIN, new_entry, new_steps
from wfc.compiler.resolve.declarations.model_settings import FAMILIES
from wfc.compiler.slotted import dataclass, replace
from wfc.compiler.types import BUILT_IN
from wfc.compiler.types.parse import is_long_form

__all__ = ["Proposal", "proposals"]

What = Literal["key", "choice", "name", "field", "filter"]
GIVEN: Final = "A value that is given for the item, from the item and `error`."
OFFERED: Final = ("tool", "agent", "collection")
"""The kinds of names that a model may be given as tools."""

TEST: Final = re.compile(r"\bis(\s+not)?\Z")
KEY_ALONE: Final = re.compile(r"(?:^|[\n,]|(?<!\{)\{|- ) *[\w.-]+:\Z")
"""A key without the blank that makes it one; not a name in an expression between braces."""

AT_MARGIN: Final = re.compile(r"^[\"']?([\w-]+)[\"']? *:", re.MULTILINE)
"""A section of a spec."""

LONGEST: Final = 200
"""So long a line is looked at for its key."""

FAR: Final = 20_000
"""So far before the cursor a loop of a prompt may begin."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something that may be written.

    Args:
        label: What it is called, and what is written unless ``insert`` says more.
        detail: A few words about it, such as its type.
        about: What it is for.
        start: Where in the text what it replaces begins.
        snippet: Whether ``insert`` has places to fill in, as editors know them: ``${1:name}``.
    """

    label: str
    what: What
    start: int
    detail: str = ""
    about: str = ""
    insert: str = ""
    snippet: bool = False


def proposals(documents: Documents, document: OpenDocument, offset: int) -> list[Proposal]:
    """Return all that may be written at a place of a document, which may be unfinished or broken."""
    text = document.text
    cursor = cursor_at(text, offset)
    near = entry_at(text, cursor)
    data = data_near(document, offset)
    data = data if near is None else {**data, **merged(data, near)}
    found = list(fitting(documents, document, offset, cursor, data, near))
    if cursor.kind != "key" and is_behind_key(text, cursor.start):
        found = [replace(each, insert=f" {each.insert or each.label}") for each in found]
    return found


def is_behind_key(text: str, at: int) -> bool:
    """Return whether a place is right behind the colon of a key."""
    return KEY_ALONE.search(text[max(0, at - LONGEST) : at]) is not None


def fitting(
    documents: Documents,
    document: OpenDocument,
    offset: int,
    cursor: Cursor,
    data: Mapping[str, Any],
    near: Mapping[str, Any] | None,
) -> Iterable[Proposal]:
    """Yield all that may be written at a place, of which it is known what stands around it."""
    text = document.text
    if cursor.kind == "value" and means(cursor.path, data, "condition", "expression"):
        cursor = as_expression(cursor, text, offset)
    if cursor.kind == "expression":
        return in_expression(documents, document, cursor, data)
    if cursor.kind == "key":
        return keys(documents, document, cursor, data, used_keys(text, cursor, data, near))
    return values(documents, document, cursor, data)


def as_expression(cursor: Cursor, text: str, offset: int) -> Cursor:
    """Return the place within a value that is an expression as a whole."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    word = DOTTED.search(line)
    assert word is not None
    return Cursor(
        cursor.path, "expression", word.group(), offset - len(word.group()), line[: word.start()].rstrip()
    )


def data_near(document: OpenDocument, offset: int) -> Mapping[str, Any]:
    """Return what a document says, though the line at a place may be unfinished."""
    if ":" not in document.text:
        return {}  # and not what it said before it was emptied
    data = document.data_at_once
    if len(document.text) <= LARGE and not document.readable:
        without = data_of(without_line(document.text, offset))
        data = without if isinstance(without, dict) else data
    return data if isinstance(data, dict) else {}


def used_keys(text: str, cursor: Cursor, data: Mapping[str, Any], near: Mapping[str, Any] | None) -> set[str]:
    """Return the keys that stand already where one is being typed."""
    line = text[text.rfind("\n", 0, cursor.start) + 1 : cursor.start]
    is_block = near is not None and not line.strip(" -")
    there = data_at(near if is_block and cursor.path else data, cursor.path)  # near is one section alone
    used = set(there) if isinstance(there, dict) else set()
    if is_block and not cursor.path:
        used &= set(AT_MARGIN.findall(text))  # a broken text may have lost one that it had
    used = used if is_block and cursor.path else used - {cursor.word}
    return used | set(keys_after(text, cursor.start)) if is_block else used


def keys(
    documents: Documents, document: OpenDocument, cursor: Cursor, data: Mapping[str, Any], used: set[str]
) -> Iterator[Proposal]:
    text = document.text
    end = cursor.start + len(cursor.word)
    colon = text[end : end + 1] != ":"
    if text.strip() == cursor.word:
        yield Proposal("new workflow", "key", cursor.start, "a workflow", insert=NEW_WORKFLOW, snippet=True)
    if cursor.path == ("steps",) and colon:
        yield from whole_steps(documents, document, cursor, data)
    own = own_keys(documents, document, cursor.path, data)
    is_workflow = not cursor.path and "part" not in data  # as most files are
    needed = needed_at(cursor.path, {"workflow": "", **data} if is_workflow else data)
    known = keys_at(cursor.path, data)
    first = {key: known[key] for key in needed if key in known}
    for key, about in {**own, **first, **known}.items():
        if key not in used:
            said = (
                {"detail": shown_type(own[key]), "about": described(own[key])}
                if key in own
                else {"about": about}
            )
            begins = " " if cursor.path else beginning_at([key], data)  # a section stands at the margin
            yield Proposal(key, "key", cursor.start, insert=f"{key}:{begins}" if colon else key, **said)
    if colon:
        yield from whole_entries(documents, document, cursor, data, used)


def own_keys(
    documents: Documents, document: OpenDocument, path: tuple[str, ...], data: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the keys below a path that the author has chosen elsewhere, such as the fields of an event."""
    everything = documents.meant(document, data)
    owner, key = data_at(data, path[:-1]), path[-1] if path else ""
    owner = owner if isinstance(owner, dict) else {}
    if (path[:1] == ("triggers",) and key == "with") or path[-2:] == ("restart", "with"):
        return fields_of(everything, path, "inputs")
    if path[:1] == ("tests",) and (found := keys_in_tests(documents, document, path, everything)):
        return found
    if path == ("receives",):
        return documents.declared(document, "event")
    if key == "save" and path[:1] == ("steps",):
        return table(everything, "state")
    if key != "with":
        return {}
    if isinstance(owner.get("event"), str):
        return common_fields(everything, [owner["event"]])
    if isinstance(owner.get("tool"), str):
        return table(table(table(everything, "tools"), owner["tool"]), "args")
    if isinstance(owner.get("workflow"), str):
        return inputs_of(documents, document, owner["workflow"])
    return {}


def inputs_of(documents: Documents, document: OpenDocument, workflow: str) -> Mapping[str, Any]:
    """Return the fields with which runs of another workflow begin."""
    path = documents.workflows(document.path).get(workflow)
    data = None if path is None else documents.data(path)
    return (
        common_fields(data, [str(data.get("start"))]) if path is not None and isinstance(data, dict) else {}
    )


def whole_steps(
    documents: Documents, document: OpenDocument, cursor: Cursor, data: Mapping[str, Any]
) -> Iterator[Proposal]:
    """Yield a whole step of each kind."""
    text = document.text
    column = cursor.start - text.rfind("\n", 0, cursor.start) - 1
    known = documents.meant(document, data)
    for label, detail, lines in new_steps(known, documents.declared(document, "workflow")):
        insert = ("\n" + " " * column).join(lines)
        yield Proposal(label, "key", cursor.start, detail, insert=insert, snippet=True)


def whole_entries(
    documents: Documents, document: OpenDocument, cursor: Cursor, data: Mapping[str, Any], used: set[str]
) -> Iterator[Proposal]:
    """Yield a whole event, a whole test, and a whole entry of ``emit``, where one may begin."""
    text = document.text
    line = text[text.rfind("\n", 0, cursor.start) + 1 : cursor.start]
    if line.strip(" -"):
        return  # in brackets
    begins_item = line.lstrip().startswith("-") and not used
    detail, lines = new_entry(cursor.path, documents.meant(document, data), begins_item=begins_item)
    insert = ("\n" + " " * len(line)).join(lines)
    if lines:
        label = detail.partition(" ")[2]
        yield Proposal(label, "key", cursor.start, detail, insert=insert, snippet=True)


def values(
    documents: Documents, document: OpenDocument, cursor: Cursor, data: Mapping[str, Any]
) -> Iterator[Proposal]:
    for each in choices_at(cursor.path, data):
        about = kind_in_words(each) if cursor.path[-1:] == ("kind",) else ""
        yield Proposal(each, "choice", cursor.start, about=about)
    if cursor.path[-1:] == ("on_item_error",):
        yield Proposal("{give: …}", "choice", cursor.start, about=GIVEN, insert="{give: ")
    for each in error_names(cursor.path, data):
        yield Proposal(each, "choice", cursor.start)
    in_tests = values_in_tests(documents, document, cursor.path, data, cursor.start)
    for name, said in in_tests if cursor.path[:1] == ("tests",) else ():
        yield Proposal(name, "name", cursor.start, shown_type(said), described(said))
    is_other = cursor.path in {("workflow",), ("tests", "expect", "end")}  # a name of its own; told above
    kind = "" if is_other else kind_at(cursor.path)
    kind = kind or (
        "event" if cursor.path[:1] != ("tests",) and means(cursor.path, data, "event_name") else ""
    )
    for each in OFFERED if kind == "tool" and cursor.path[-1] == "tools" else filter(None, [kind]):
        for name, said in documents.declared(document, each).items():
            yield Proposal(name, "name", cursor.start, shown_type(said), told_of(each, said))
    if means(cursor.path, data, "type", "state_field", "form"):
        yield from types(documents, document, cursor)
    has_family = document.text[cursor.start - 1 : cursor.start] == ":" and not is_behind_key(
        document.text, cursor.start
    )
    if cursor.path[:1] == ("models",) and cursor.path[2:] == ("use",) and not has_family:
        for each in FAMILIES:
            yield Proposal(f"{each}:", "choice", cursor.start)
    if cursor.path[:1] != ("secrets",) and means(cursor.path, data, "secret_name"):
        secrets = documents.meant(document, data).get("secrets")
        for each in secrets if isinstance(secrets, (list, dict)) else ():
            yield Proposal(str(each), "name", cursor.start)
    line = document.text[document.text.rfind("\n", 0, cursor.start) + 1 : cursor.start]
    if cursor.path and line.strip() and not line.strip(" -"):  # an item of a list may be a map
        yield from keys(documents, document, cursor, data, set())


def types(documents: Documents, document: OpenDocument, cursor: Cursor) -> Iterator[Proposal]:
    """Yield the types that a field may have: those of the language, and those that are declared."""
    for each in (*PLAIN, *BUILT_IN):
        yield Proposal(each, "choice", cursor.start)
    for each in ("list of", "map of", "optional"):
        yield Proposal(each, "choice", cursor.start, insert=f"{each} ")
    for kind in ("type", "event"):
        for name, said in documents.declared(document, kind).items():
            yield Proposal(name, "name", cursor.start, shown_type(said), told_of(kind, said))


def in_expression(
    documents: Documents, document: OpenDocument, cursor: Cursor, data: Mapping[str, Any]
) -> Iterator[Proposal]:
    everything = documents.meant(document, data)
    roots = roots_of(everything, cursor.path)
    head, dot, _ = cursor.word.rpartition(".")
    start = cursor.start + len(head) + len(dot)
    text, begin = document.text, document.text.rfind("\n", 0, cursor.start) + 1
    end = text.find("\n", cursor.start)
    loops = {
        **loops_before(text[max(0, cursor.start - FAR) : cursor.start]),
        **loops_around(text[begin : len(text) if end < 0 else end], cursor.start - begin),
    }
    if cursor.before.endswith("|") and not cursor.before.endswith("||"):
        yield from filters(cursor, everything, loops)
        return
    if tested := TEST.search(cursor.before):
        yield from tests(cursor, everything, has_not=bool(tested[1]))
        return
    if not dot:
        for name, over in loops.items():
            yield Proposal(name, "field", start, about=f"An item of `{over}`.")
        for name, about in roots.items():
            yield Proposal(name, "field", start, about=about)
        return
    for name, said in fields_behind(everything, cursor.path, head, loops).items():
        yield Proposal(name, "field", start, shown_type(said), described(said))


def filters(cursor: Cursor, data: Mapping[str, Any], loops: Mapping[str, str]) -> Iterator[Proposal]:
    """Yield the filters for the value before a ``|``: those that fit it, and if that is not sure, then the others."""
    fitting = filters_for(cursor.before, data, cursor.path, loops)
    others = () if fitting.is_sure else FILTERS.values()
    for each in dict.fromkeys(each.name for each in (*fitting.filters, *others)):
        found = FILTERS[each]
        said = f"{signature_of(found)}: {found.takes} → {found.gives}"
        yield Proposal(each, "filter", cursor.start, said, about_filter(found))


def tests(cursor: Cursor, data: Mapping[str, Any], *, has_not: bool) -> Iterator[Proposal]:
    """Yield what a value may be asked for after ``is``."""
    if not has_not:
        yield Proposal("not", "choice", cursor.start)
    for name, about in TESTS_IN_WORDS.items():
        yield Proposal(name, "choice", cursor.start, about=about)
    for kind in ("event", "type"):
        for name, said in table(data, SECTIONS[kind]).items():
            yield Proposal(name, "name", cursor.start, shown_type(said), told_of(kind, said))


def data_at(data: Any, path: tuple[str, ...]) -> Any:
    """Return what stands at a path, within the one item of a list; ``None`` if there is nothing."""
    for key in path:
        if isinstance(data, list):
            data = data[0] if len(data) == 1 else None
        data = data.get(key) if isinstance(data, dict) else None
    return data[0] if isinstance(data, list) and len(data) == 1 else data


def told_of(kind: str, said: Any) -> str:
    """Return what is told of something that is declared: in an event or a record `description` is one of its fields."""
    is_record = kind == "event" or (kind == "type" and isinstance(said, dict) and not is_long_form(said))
    return "" if is_record else described(said)


def described(said: Any) -> str:
    return str(said.get("description", "")) if isinstance(said, dict) else ""
