"""Names over all specs of a folder: which files mean the same thing by a name, and what a rename changes in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.lsp.documents import Documents, OpenDocument, is_part, items, named_files
from wfc.compiler.lsp.earlier import earlier
from wfc.compiler.lsp.mentions import END, START, mentions_in
from wfc.compiler.lsp.names import Mention, names_of, nodes_of
from wfc.compiler.lsp.project_files import MOST_FILES
from wfc.compiler.lsp.scope import table
from wfc.compiler.slotted import dataclass, replace
from wfc.compiler.workspace.disk import root_of

__all__ = [
    "RenameError",
    "Spot",
    "at_home",
    "declaration",
    "declaration_at",
    "folder_of",
    "is_too_large",
    "mention_at",
    "nodes_in",
    "renamed",
    "uses",
]

MOST_BYTES: Final = 4_000_000
SHARING: Final = ("imports", "part", "receives", "send")
"""One of these is in each spec that shares a name with another file, unless it calls that."""

OWN_NAME: Final = re.compile(r"^workflow(?=:)", re.MULTILINE)
MOST_CHECKED: Final = 60
"""In so many files a renamed word may stand: all of them are checked before and after."""
NAME: Final = re.compile(r"[^\W\d]\w*")


class RenameError(Exception):
    """Why something cannot be renamed, in a sentence."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A stretch of a file's text.

    Args:
        is_outside: Whether it means something of another workflow, which this one runs or sends to.
    """

    path: str
    text: str
    start: int
    end: int
    declares: bool = False
    is_outside: bool = False


@dataclass(frozen=True, slots=True)
class File:
    """A spec of the folder, with the names in it."""

    path: str
    text: str
    data: Any
    mentions: tuple[Mention, ...]


def mention_at(document: OpenDocument, offset: int) -> Mention | None:
    """Return the name that a place is in, the narrowest if there are several."""
    found = [
        each
        for each in mentions_in(document.text, document.nodes, document.data)
        if each.start <= offset <= each.end
    ]
    return min(found, key=lambda each: each.end - each.start, default=None)


def declaration_at(documents: Documents, document: OpenDocument, offset: int) -> Spot | None:
    """Return where the name at a place is declared; while the text cannot be read, as its last good state has it."""
    before = earlier(document)
    place = offset if before is None else before.place(offset)
    if place is None:
        return None
    name = mention_at(document if before is None else before.document, place)
    if name is None:
        return None
    spot = declaration(documents, document if before is None else before.document, name)
    if spot is None or before is None or spot.path != document.path:
        return spot
    start, end = before.place_now(spot.start), before.place_now(spot.end)
    return replace(spot, text=document.text, start=start, end=end)


def declaration(documents: Documents, document: OpenDocument, name: Mention) -> Spot | None:
    """Return where a name is declared: in its document, or in a file that this imports or that is its part.

    A part means by a name what its workflow does. What is of another workflow is declared with that.
    """
    document, name = at_home(documents, document, name)
    if name.kind == "workflow":
        return workflow_named(documents, document.path, name.name)
    near = [(document.path, document.text), *documents.others(document).items()]
    if is_part(document.data):
        for path, text in listing(documents, document.path, folder(documents, document, "parts")):
            near += [(path, text), *documents.reached(path, documents.read(path, text)).items()]
    for path, text in near:
        for each in mentions_in(text, nodes_in(documents, path, text), None):
            if each.declares and is_same(each, name):
                return Spot(path, text, each.start, each.end, declares=True)
    return None


def is_same(one: Mention, other: Mention) -> bool:
    """Return whether two names of one document are the same."""
    return (names_of(one.kind), one.name) == (names_of(other.kind), other.name)


def at_home(documents: Documents, document: OpenDocument, name: Mention) -> tuple[OpenDocument, Mention]:
    """Return a name as the workflow says it that means something by it, with the document of that."""
    if not name.of:
        return document, name
    spot = workflow_named(documents, document.path, name.of)
    if spot is None:
        return document, name
    owner = documents.open.get(spot.path) or OpenDocument(spot.path, spot.text, documents.readings)
    meant = meanings(documents, owner.path, owner.text, name)
    return owner, replace(name, of="", name=meant[0] if meant else name.name)


def meanings(documents: Documents, path: str, text: str, name: Mention) -> list[str]:
    """Return what a name may be in a workflow of which another spec says it: of a field, that of each end with it."""
    data = documents.read(path, text)
    head, _, last = name.name.partition(".")
    if name.kind != "field" or head not in {START, END} or not isinstance(data, dict):
        return [name.name]
    said = data.get("start" if head == START else "end")
    events = said if isinstance(said, list) else [said]
    declared = {**documents.declared(OpenDocument(path, text, documents.readings), "event")}
    return [
        f"{event}.{last}"
        for event in events
        if isinstance(event, str) and isinstance(declared.get(event), dict) and last in declared[event]
    ]


def workflow_named(documents: Documents, asking: str, name: str) -> Spot | None:
    """Return where the workflow of a name is declared, as a spec sees its folder."""
    path = documents.workflows(asking).get(name)
    if path is None:
        return None
    text = found_text(documents, path)
    for each in mentions_of(documents, path, text):
        if each.declares and (each.kind, each.name) == ("workflow", name):
            return Spot(path, text, each.start, each.end, declares=True)
    return None


def uses(documents: Documents, document: OpenDocument, name: Mention) -> list[Spot]:
    """Return where a name stands, in all specs of the folder that mean the same by it.

    Events of which one spec sends what another receives are one by their names, though each may declare its own.
    """
    document, name = at_home(documents, document, name)
    found = dict.fromkeys(uses_of_one(documents, document, name))
    pairs = sendings(documents, document, name) if name.kind in {"event", "type", "field"} else []
    while True:
        reached = {each.path for each in found if not each.is_outside}
        missing = next(
            (each for pair in pairs for each in pair if len(reached & {*pair}) == 1 and each not in reached),
            None,
        )
        if missing is None:
            return list(found)
        text = found_text(documents, missing)
        more = uses_of_one(documents, OpenDocument(missing, text, documents.readings), name)
        found |= dict.fromkeys(more)
        pairs = [pair for pair in pairs if missing not in pair or missing in {each.path for each in more}]


def sendings(documents: Documents, document: OpenDocument, name: Mention) -> list[tuple[str, str]]:
    """Return which files send an event to which, by what `send` and `receives` say."""
    event = name.name.partition(".")[0]
    data = {
        path: documents.read(path, text)
        for path, text in folder(documents, document, event).items()
        if "receives" in text or "send" in text
    }
    known = {path: said for path, said in data.items() if isinstance(said, dict)}
    taking = {
        path: table(table(said, "receives"), event)
        for path, said in known.items()
        if event in table(said, "receives")
    }
    return [
        (path, other)
        for path, said in known.items()
        for step in table(said, "steps").values()
        if isinstance(step, dict) and step.get("kind") == "send" and step.get("event") == event
        for other, way in taking.items()
        if known[other].get("workflow") == step.get("to")
        or (step.get("topic") is not None and way.get("topic") == step["topic"])
    ]


def found_text(documents: Documents, path: str) -> str:
    """Return the text of a file of the project, as it is in the editor if it is open."""
    if path in documents.open:
        return documents.open[path].text
    raw = documents.project().files.read(path)
    return raw.decode("utf-8", "replace").removeprefix("\ufeff") if isinstance(raw, bytes) else ""


def uses_of_one(documents: Documents, document: OpenDocument, name: Mention) -> list[Spot]:
    """Return where a name stands that is declared once, in all specs of the folder that mean the same by it."""
    word = name.name.rpartition(".")[2]
    spot = declaration(documents, document, name)
    found = []
    texts = {
        path: text
        for path, text in folder(documents, document, word).items()
        if path == document.path or (spot and path == spot.path) or may_share(name, text)
    }
    parts = folder(documents, document, "parts")
    for path, text in texts.items():
        file = file_of(documents, path, text)
        own = path == document.path or (spot is not None and means(documents, file, spot, name, parts))
        found += [
            Spot(path, text, each.start, each.end, each.declares, bool(each.of))
            for each in sorted(file.mentions, key=lambda each: each.start)
            if names_of(each.kind) == names_of(name.kind)
            and (is_of(documents, file, each, spot, name, parts) if each.of else own and is_same(each, name))
        ]
    return found


def may_share(name: Mention, text: str) -> bool:
    """Return whether a spec may mean by a name what another file does: it imports, is a part, calls, sends or receives.

    Most specs of a large folder do nothing of that, and are not read for it.
    """
    if name.kind == "workflow" or any(each in text for each in SHARING):
        return True
    return text.count("workflow") > len(OWN_NAME.findall(text))


def is_of(
    documents: Documents,
    file: File,
    said: Mention,
    spot: Spot | None,
    name: Mention,
    parts: Mapping[str, str],
) -> bool:
    """Return whether what a file says of a workflow that it runs means what is declared at a spot."""
    other = workflow_named(documents, file.path, said.of) if spot is not None else None
    if spot is None or other is None or name.name not in meanings(documents, other.path, other.text, said):
        return False
    return means(documents, file_of(documents, other.path, other.text), spot, name, parts)


def means(documents: Documents, file: File, spot: Spot, name: Mention, parts: Mapping[str, str]) -> bool:
    """Return whether a file means by a name what is declared at a spot."""
    if name.kind == "workflow":
        return workflow_named(documents, file.path, name.name) == spot
    own = any(each.declares and is_same(each, name) for each in file.mentions)
    if file.path == spot.path or own:
        return file.path == spot.path
    if spot.path in documents.reached(file.path, file.data):
        return True
    if not is_part(file.data):
        return False
    return any(
        path == spot.path or spot.path in documents.reached(path, documents.read(path, text))
        for path, text in listing(documents, file.path, parts)
    )


def listing(documents: Documents, part: str, texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield those of some files of which a file is a part."""
    for path, text in texts.items():
        data = documents.read(path, text)
        if items(data, "parts") and part in named_files(path, data):
            yield path, text


def renamed(
    documents: Documents, document: OpenDocument, name: Mention, new: str
) -> dict[str, tuple[str, list[Spot]]]:
    """Return the places at which a new name must stand instead of a name, by file, each with the file's text.

    Raises:
        RenameError: It is declared nowhere here, or the check would find more or less than before.
    """
    if not NAME.fullmatch(new):
        raise RenameError(f"`{new}` is no name: letters, digits and `_`")
    if is_too_large(documents, document.path):
        raise RenameError(f"its project has more than {MOST_FILES:,} YAML files, too many to look through")
    places: dict[str, tuple[str, list[Spot]]] = {}
    for each in uses(documents, document, name):
        places.setdefault(each.path, (each.text, []))[1].append(each)
    if not any(each.declares for _, spots in places.values() for each in spots):
        raise RenameError(f"it is not known where `{name.name}` is declared")
    own = {path: text for path, (text, spots) in places.items() if not all(each.is_outside for each in spots)}
    refuse_taken(documents, document, own, at_home(documents, document, name)[1], new)
    changed = {path: written(text, spots, new) for path, (text, spots) in places.items()}
    around = {
        **{
            path: text
            for path, text in folder(documents, document, name.name.rpartition(".")[2]).items()
            if may_share(name, text)
        },
        **{path: places[path][0] for path in places},
    }
    if len(around) > MOST_CHECKED:
        raise RenameError(f"`{name.name}` stands in more than {MOST_CHECKED} files, too many to check each")
    for path, text in around.items():
        before = documents.findings_with(path, {**around, path: text})
        after = documents.findings_with(path, {**around, **changed})
        if said := difference(before, after):
            raise RenameError(f"as `{new}` it would not be the same: {said}")
    return places


def is_too_large(documents: Documents, path: str) -> bool:
    """Return whether the project that a file is in has more files than are looked at."""
    return os.path.isabs(path) and documents.files.are_too_many(root_of(path).replace(os.sep, "/"))


def refuse_taken(
    documents: Documents, document: OpenDocument, texts: dict[str, str], name: Mention, new: str
) -> None:
    """Refuse a new name that is declared already: in a spec with mistakes the check may not get so far."""
    if name.kind == "workflow":
        if there := workflow_named(documents, document.path, new):
            raise RenameError(f"there is `{new}` already, in {os.path.basename(there.path)}")
        return
    taken = replace(name, name=f"{name.name.rpartition('.')[0]}.{new}".removeprefix("."))
    near = dict(texts)
    for path, text in texts.items():
        near |= documents.reached(path, documents.read(path, text))
    for path, text in near.items():
        if any(each.declares and is_same(each, taken) for each in mentions_of(documents, path, text)):
            raise RenameError(f"there is `{new}` already, in {os.path.basename(path)}")


def difference(before: tuple[Diagnostic, ...], after: tuple[Diagnostic, ...]) -> str:
    """Return what is found after a change and not before, or a word that something is not found any more."""
    codes = sorted(each.code for each in before)
    if sorted(each.code for each in after) == codes:
        return ""
    new = next((each for each in after if each.code not in codes), None)
    return "a finding would come or go" if new is None else f"{new.message} ({os.path.basename(new.path)})"


def written(text: str, spots: list[Spot], new: str) -> str:
    for each in sorted(spots, key=lambda each: -each.start):
        text = text[: each.start] + new + text[each.end :]
    return text


def file_of(documents: Documents, path: str, text: str) -> File:
    return File(path, text, documents.read(path, text), mentions_of(documents, path, text))


def mentions_of(documents: Documents, path: str, text: str) -> tuple[Mention, ...]:
    found: tuple[Mention, ...] | None = documents.known.get((path, text))
    if found is None:
        named = mentions_in(text, nodes_in(documents, path, text), documents.read(path, text))
        found = documents.known[path, text] = tuple(dict.fromkeys(named))
    return found


def nodes_in(documents: Documents, path: str, text: str) -> Any:
    known = documents.open.get(path)
    if known is not None and known.text == text:
        return known.nodes
    return nodes_of(text) if isinstance(documents.read(path, text), dict) else []


def folder(documents: Documents, document: OpenDocument, word: str) -> dict[str, str]:
    """Return the texts of the specs of a document's project in which a word stands, the open ones as they are."""
    return folder_of(documents, document.path, word)


def folder_of(documents: Documents, file: str, word: str = "") -> dict[str, str]:
    """Return the texts of the specs of the project that a file is in, those in which a word stands."""
    found = {path: each.text for path, each in documents.open.items() if each.is_spec}
    wanted = word.encode()
    if os.path.isabs(file):
        for path, raw in documents.files.below(root_of(file).replace(os.sep, "/")):
            if path not in documents.open and len(raw) <= MOST_BYTES and wanted in raw:
                found[path] = raw.decode("utf-8", "replace").removeprefix("\ufeff")
    whole = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)" if word else "")
    return {path: text for path, text in found.items() if whole.search(text)}
