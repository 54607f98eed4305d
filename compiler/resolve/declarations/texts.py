"""Named texts under `texts`, written in place or in separate files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from wfc.compiler.diagnostics import Origin, Place
from wfc.compiler.model import NamedText
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.declarations.fields import read_fields
from wfc.compiler.resolve.declarations.imports import report_refused
from wfc.compiler.resolve.symbols.declarations import Declarations, Refused
from wfc.compiler.rules import templates as problems
from wfc.compiler.types import Record

__all__ = ["declare_texts"]

USE: Final = re.compile(r"\{%-?\s*use\s+(?P<name>\w+)")


def declare_texts(declared: Declarations) -> None:
    """Declare the texts under `texts`; their expressions are resolved only where the texts are used."""
    for name, content, place in declared.new_entries("texts", declared.texts):
        found = None
        if isinstance(content, str):
            found = NamedText(name, content, place, place.address)
        elif isinstance(content, dict) and isinstance(content.get("file"), str):
            found = text_from_file(name, content, place, declared)
        if found is None:
            declared.texts.broken.add(name)
        else:
            declared.texts.nodes[name] = found
    report_circles(declared)


def text_from_file(
    name: str, content: Mapping[str, object], place: Place, declared: Declarations
) -> NamedText | None:
    """Return a text from a separate file, with line breaks as YAML would read them."""
    path = str(content["file"])
    found = declared.project.text(path)
    if isinstance(found, Refused):
        report_refused(found, path, place / "file", "a text", declared.report)
        return None
    args = Record("args", role="namespace", address=(*place.address, "args"))
    read_fields(content.get("args"), args.address, args, declared)
    shown, raw = found
    pieces = raw.split("\r\n")
    breaks, length = [], -1
    for piece in pieces[:-1]:
        length += len(piece) + 1
        breaks.append(length)
    text = "\n".join(pieces).replace("\r", "\n")
    return NamedText(name, text, Place((Origin(shown),), "text"), place.address, tuple(breaks), args)


def report_circles(declared: Declarations) -> None:
    """Report texts that use themselves, each circle once, and take them out of use."""
    texts = declared.texts.nodes
    uses = {name: list(uses_in(text.text)) for name, text in texts.items() if "{%" in text.text}
    done: set[str] = set()
    circling: set[str] = set()
    for first in uses:
        path: list[str] = []
        waiting = [iter([(first, 0, 0)])]
        while waiting:
            name, start, end = next(waiting[-1], ("", 0, 0))
            if not name:
                waiting.pop()
                if path:
                    done.add(path.pop())
            elif name in path:
                place = texts[path[-1]].place.stretch(start, end)
                circle = path[path.index(name) :]
                declared.report(problems.text_in_itself(place, [*circle, name]))
                circling.update(circle)
            elif name in uses and name not in done:
                path.append(name)
                waiting.append(iter(uses[name]))
    for name in circling:
        declared.texts.used.update(each for each, _, _ in uses[name])
        del texts[name]
        declared.texts.broken.add(name)


def uses_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the names of the texts that a text uses, each with its stretch."""
    for match in USE.finditer(text):
        yield normal_form(match["name"]), *match.span("name")
