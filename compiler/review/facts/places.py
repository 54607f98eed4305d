"""Places in authors' files, as facts have them."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping

from wfc.compiler.diagnostics import Address, Origin, Place
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.yaml import Document

__all__ = ["Fact", "PlaceList", "Places", "homes_of", "place_of"]

Fact = dict[str, object]
"""Something that a workflow says, as JSON data; under ``at`` stands its place."""

PlaceList = list[str | int]
"""The path of a file, and then the way to a value in its data: ``["refund.yaml", "steps", "pay", "timeout"]``."""


@dataclass(frozen=True, slots=True)
class Places:
    """What writes down places in a spec, and in the files that it uses.

    Args:
        path: The spec's.
        homes: The files that declare what the spec takes from others, by section and name.
    """

    path: str
    homes: Mapping[tuple[object, object], str] = field(default_factory=dict)

    def at(self, address: Address) -> PlaceList:
        """Return the place of an address."""
        if address and isinstance(address[0], Origin):
            return [str(address[0]), *address[1:]]
        return [
            self.homes.get((address[0], address[1]), self.path)
            if self.homes and len(address) > 1
            else self.path,
            *address,
        ]


def homes_of(document: Document, other: Callable[[str], Document | None]) -> dict[tuple[object, object], str]:
    """Return the files that declare what a spec takes from the files that it imports, by section and name.

    Args:
        other: Returns a file by its path; ``None``: it is not known.
    """
    found = dict.fromkeys(_declared(document), document.path)
    waiting, seen = [document], {document.path}
    for each in waiting:
        folder = posixpath.dirname(each.path)
        for path in _imports(each):
            full = posixpath.normpath(posixpath.join(folder, path))
            imported = other(full)
            if imported is not None and full not in seen:
                seen.add(full)
                waiting.append(imported)
                for declared in _declared(imported):
                    found.setdefault(declared, full)
    return {key: path for key, path in found.items() if path != document.path}


def _declared(document: Document) -> Iterator[tuple[object, object]]:
    data = document.data if isinstance(document.data, dict) else {}
    return ((section, name) for section, table in data.items() if isinstance(table, dict) for name in table)


def _imports(document: Document) -> list[str]:
    given = document.data.get("imports") if isinstance(document.data, dict) else None
    return [each for each in given if isinstance(each, str)] if isinstance(given, list) else []


def place_of(at: PlaceList) -> tuple[str, Place]:
    """Return the file of a place, and the place in that: that of the key which leads to a value."""
    path, *address = at
    return str(path), Place(tuple(address), "key" if address and isinstance(address[-1], str) else "value")
