"""Specs without findings, with the place of everything in them: what mutations start from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from wfc.compiler.diagnostics import Address, Place
from wfc.compiler.passes import check_text
from wfc.compiler.yaml import Document, read

__all__ = ["Site", "Source", "sources"]

TESTS = Path(__file__).parent.parent
HEAD = "wfc: 1\nworkflow: shown\n"
CONDITIONS = {"when", "that", "in", "keep", "key", "until"}
OWN_NAMES = {
    "with",
    "args",
    "form",
    "prefill",
    "start",
    "mock",
    "ran",
    "body",
    "headers",
    "query",
    "labels",
    "save",
    "secrets",
}
"""Keys below which the author chooses the names."""
SECTIONS = {
    "events",
    "types",
    "state",
    "config",
    "models",
    "tools",
    "retries",
    "steps",
    "receives",
    "agents",
    "resources",
    "texts",
}


@dataclass(frozen=True)
class Site:
    """A key, a value or a stretch of one: where it is in the data, and where in the text."""

    address: Address
    value: Any
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Source:
    """A spec."""

    name: str
    text: str

    @cached_property
    def document(self) -> Document:
        """The spec, read."""
        return read(self.text.encode(), f"{self.name}.yaml", lambda _: None)

    @cached_property
    def data(self) -> dict[str, Any]:
        """Its data."""
        data = self.document.data
        assert isinstance(data, dict)
        return data

    @cached_property
    def everything(self) -> list[tuple[Address, Any]]:
        """All addresses and what is there."""
        return list(walk(self.data, ()))

    def declared(self, section: str) -> set[str]:
        """The names in a section."""
        found = self.data.get(section, {})
        return set(found)

    def at(self, address: Address) -> Any:
        """The value at an address."""
        value: Any = self.data
        for step in address:
            value = value[step]
        return value

    def all_keys(self) -> Iterator[Site]:
        """All keys."""
        for address, value in self.everything:
            if address and isinstance(address[-1], str):
                start, end = self.document.stretch(Place(address, "key"))
                if self.text[start:end] == address[-1]:
                    yield Site(address, value, start, end)

    def language_keys(self) -> Iterator[Site]:
        """Keys of the language; those that the author has chosen are left out."""
        return (site for site in self.all_keys() if not is_own(site.address))

    def scalars(self) -> Iterator[Site]:
        """All values that are written as they are, in quotes or not, on one line."""
        for address, value in self.everything:
            if isinstance(value, str) and value and "\n" not in value:
                start, end = self.document.stretch(Place(address).stretch(0, len(value)))
                if self.text[start:end] == value:
                    yield Site(address, value, start, end)

    def expressions(self) -> Iterator[Site]:
        """The expressions inside of values, with the value as a whole."""
        for address, value in self.everything:
            if not isinstance(value, str):
                continue
            conditional = address[-1] in CONDITIONS and not is_own(address)
            stretches = (
                [(0, len(value))] if conditional else [each.span(1) for each in BRACES.finditer(value)]
            )
            for begin, stop in stretches:
                start, end = self.document.stretch(Place(address).stretch(begin, stop))
                if self.text[start:end] == value[begin:stop] and value[begin:stop].strip():
                    yield Site(address, value[begin:stop], start, end)

    def within(self, pattern: str) -> Iterator[Site]:
        """What a pattern's first group finds in expressions, outside of the texts in them."""
        for site in self.expressions():
            bare = re.sub(r"'[^']*'|\"[^\"]*\"", lambda found: "\0" * len(found[0]), site.value)
            for found in re.finditer(pattern, bare):
                begin, stop = found.span(1)
                yield Site(site.address, found[1], site.start + begin, site.start + stop)

    def with_text(self, start: int, end: int, new: str) -> str:
        """The spec with another text at a stretch."""
        return self.text[:start] + new + self.text[end:]

    def lines_of(self, address: Address) -> tuple[int, int] | None:
        """Where the lines of an entry begin and end, if it has lines of its own."""
        start, _ = self.document.stretch(Place(address, "key"))
        _, end = self.document.stretch(Place(address))
        begin = self.text.rfind("\n", 0, start) + 1
        stop = self.text.find("\n", end)
        stop = len(self.text) if stop < 0 else stop + 1
        alone = self.text[begin:start].strip() == "" and not self.text[end:stop].split("#")[0].strip(" \n")
        return (begin, stop) if alone else None


BRACES = re.compile(r"\$\{\{(.*?)\}\}", re.S)


def walk(value: Any, address: Address) -> Iterator[tuple[Address, Any]]:
    if address:
        yield address, value
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in below:
        yield from walk(each, (*address, step))


def is_own(address: Address) -> bool:
    """Whether a key is one of the author's own."""
    if len(address) == 2 and address[0] in SECTIONS:
        return True
    if address[0] in {"events", "types", "state", "config"}:
        return True
    above = address[:-1]
    if any(each in OWN_NAMES for each in above[1:]) or (above and above[-1] == "output") or "schema" in above:
        return True
    return address[0] == "tests" and len(address) > 3


def sources() -> list[Source]:
    """All specs of the repository without findings."""
    found = [
        Source(path.stem, path.read_text(encoding="utf-8"))
        for path in sorted((TESTS.parent / "specs").glob("*.yaml"))
    ]
    for path in sorted((TESTS / "semantics").glob("*.yaml")):
        for number, text in enumerate(path.read_text(encoding="utf-8").split("\n---\n")):
            found.append(Source(f"{path.stem} {number}", HEAD + text))
    return [each for each in found if not check_text(each.text.encode(), f"{each.name}.yaml").diagnostics]
