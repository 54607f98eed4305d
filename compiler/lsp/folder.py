"""Names over all specs of a folder: which files mean the same thing by a name, and what a rename changes in them."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.lsp.documents import Documents, OpenDocument, items, named_files
from wfc.compiler.lsp.mentions import mentions_in
from wfc.compiler.lsp.names import Mention, nodes_of
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.detection import looks_like_spec
from wfc.compiler.workspace.disk import root_of
from wfc.compiler.workspace.reading import read_or_reason
from wfc.compiler.workspace.sources import yaml_files

__all__ = ["RenameError", "Spot", "declaration", "mention_at", "renamed", "uses"]

MOST_BYTES: Final = 4_000_000
MOST_FILES: Final = 2_000
MOST_CHECKED: Final = 60
"""In so many files a renamed word may stand: all of them are checked before and after."""
NAME: Final = re.compile(r"[^\W\d]\w*")


class RenameError(Exception):
    """Why something cannot be renamed, in a sentence."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A stretch of a file's text."""

    path: str
    text: str
    start: int
    end: int
    declares: bool = False


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


def declaration(documents: Documents, document: OpenDocument, name: Mention) -> Spot | None:
    """Return where a name is declared: in its document, or in a file that this imports or that is its part.

    A part means by a name what its workflow does.
    """
    near = [(document.path, document.text), *documents.others(document).items()]
    if is_part(document.data):
        for path, text in listing(documents, document.path, folder(documents, document, "parts")):
            near += [(path, text), *documents.reached(path, documents.read(path, text)).items()]
    for path, text in near:
        for each in mentions_in(text, nodes_in(documents, path, text), None):
            if each.declares and (each.kind, each.name) == (name.kind, name.name):
                return Spot(path, text, each.start, each.end, declares=True)
    return None


def uses(documents: Documents, document: OpenDocument, name: Mention) -> list[Spot]:
    """Return where a name stands, in all specs of the folder that mean the same by it."""
    word = name.name.rpartition(".")[2]
    spot = declaration(documents, document, name)
    found = []
    texts = folder(documents, document, word)
    parts = {**texts, **folder(documents, document, "parts")}
    for path, text in texts.items():
        file = file_of(documents, path, text)
        if path != document.path and (spot is None or not means(documents, file, spot, name, parts)):
            continue
        found += [
            Spot(path, text, each.start, each.end, each.declares)
            for each in sorted(file.mentions, key=lambda each: each.start)
            if (each.kind, each.name) == (name.kind, name.name)
        ]
    return found


def means(documents: Documents, file: File, spot: Spot, name: Mention, parts: Mapping[str, str]) -> bool:
    """Return whether a file means by a name what is declared at a spot."""
    own = any(each.declares and (each.kind, each.name) == (name.kind, name.name) for each in file.mentions)
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


def is_part(data: Any) -> bool:
    return isinstance(data, dict) and "part" in data


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
    if sum(1 for _ in islice(yaml_files(root_of(document.path)), MOST_FILES + 1)) > MOST_FILES:
        raise RenameError(f"its project has more than {MOST_FILES:,} YAML files, too many to look through")
    places: dict[str, tuple[str, list[Spot]]] = {}
    for each in uses(documents, document, name):
        places.setdefault(each.path, (each.text, []))[1].append(each)
    if not any(each.declares for _, spots in places.values() for each in spots):
        raise RenameError(f"it is not known where `{name.name}` is declared")
    refuse_taken(documents, {path: text for path, (text, _) in places.items()}, name, new)
    changed = {path: written(text, spots, new) for path, (text, spots) in places.items()}
    around = {
        **folder(documents, document, name.name.rpartition(".")[2]),
        **{path: places[path][0] for path in places},
    }
    if len(around) > MOST_CHECKED:
        raise RenameError(f"`{name.name}` stands in more than {MOST_CHECKED} files, too many to check each")
    for path, text in around.items():
        before = documents.findings_with(path, {path: text})
        after = documents.findings_with(path, {**around, **changed})
        if said := difference(before, after):
            raise RenameError(f"as `{new}` it would not be the same: {said}")
    return places


def refuse_taken(documents: Documents, texts: dict[str, str], name: Mention, new: str) -> None:
    """Refuse a new name that is declared already: in a spec with mistakes the check may not get so far."""
    taken = (name.kind, f"{name.name.rpartition('.')[0]}.{new}".removeprefix("."))
    near = dict(texts)
    for path, text in texts.items():
        near |= documents.reached(path, documents.read(path, text))
    for path, text in near.items():
        if any(
            each.declares and (each.kind, each.name) == taken for each in mentions_of(documents, path, text)
        ):
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
    found = mentions_in(text, nodes_in(documents, path, text), documents.read(path, text))
    return tuple(dict.fromkeys(found))


def nodes_in(documents: Documents, path: str, text: str) -> Any:
    known = documents.open.get(path)
    if known is not None and known.text == text:
        return known.nodes
    return nodes_of(text) if isinstance(documents.read(path, text), dict) else []


def folder(documents: Documents, document: OpenDocument, word: str) -> dict[str, str]:
    """Return the texts of the specs of a document's project in which a word stands, the open ones as they are."""
    found = {path: each.text for path, each in documents.open.items() if each.is_spec and word in each.text}
    wanted = word.encode()
    for path in spec_files(document.path):
        if path in documents.open:
            continue
        raw = read_or_reason(path, MOST_BYTES)
        if isinstance(raw, bytes) and wanted in raw and looks_like_spec(raw):
            found[path] = raw.decode("utf-8", "replace").removeprefix("\ufeff")
    return found


def spec_files(path: str) -> Iterator[str]:
    """Yield the YAML files of the project that a file is in; links that lead out of it are passed over."""
    if not os.path.isabs(path):
        return
    root = root_of(path)
    inside = os.path.realpath(root).rstrip(os.sep) + os.sep
    for number, each in enumerate(sorted(yaml_files(root))):
        if number == MOST_FILES:
            return
        if os.path.realpath(each).startswith(inside):
            yield posixpath.normpath(each.replace(os.sep, "/"))
