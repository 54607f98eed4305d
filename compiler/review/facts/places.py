"""Places in authors' files, as facts have them."""

from __future__ import annotations

from wfc.compiler.diagnostics import Address, Origin, Place
from wfc.compiler.slotted import dataclass

__all__ = ["Fact", "PlaceList", "Places", "place_of"]

Fact = dict[str, object]
"""Something that a workflow says, as JSON data; under ``at`` stands its place."""

PlaceList = list[str | int]
"""The path of a file, and then the way to a value in its data: ``["refund.yaml", "steps", "pay", "timeout"]``."""


@dataclass(frozen=True, slots=True)
class Places:
    """What writes down places in a spec, and in the files that it uses.

    Args:
        path: The spec's.
    """

    path: str

    def at(self, address: Address) -> PlaceList:
        """Return the place of an address."""
        if address and isinstance(address[0], Origin):
            return [str(address[0]), *address[1:]]
        return [self.path, *address]


def place_of(at: PlaceList) -> tuple[str, Place]:
    """Return the file of a place, and the place in that: that of the key which leads to a value."""
    path, *address = at
    return str(path), Place(tuple(address), "key" if address and isinstance(address[-1], str) else "value")
