"""Named texts under `prompts`, written in place or in separate files."""

from __future__ import annotations

from wfc.compiler.diagnostics import Origin, Place
from wfc.compiler.model import Prompt
from wfc.compiler.resolve.declarations import imports
from wfc.compiler.resolve.symbols.declarations import Declarations, Refused

__all__ = ["declare_prompts"]


def declare_prompts(declared: Declarations) -> None:
    """Declare the texts under `prompts`; their expressions are resolved only where the texts are used."""
    for name, content, place in declared.new_entries("prompts", declared.prompts):
        found = None
        if isinstance(content, str):
            found = Prompt(name, content, place, place.address)
        elif isinstance(content, dict) and isinstance(content.get("file"), str):
            found = prompt_from_file(name, content["file"], place, declared)
        if found is None:
            declared.prompts.broken.add(name)
        else:
            declared.prompts.nodes[name] = found


def prompt_from_file(name: str, path: str, place: Place, declared: Declarations) -> Prompt | None:
    """Return a text from a separate file, with line breaks as YAML would read them."""
    found = declared.project.text(path)
    if isinstance(found, Refused):
        imports.report_refused(found, path, place / "file", "a text", declared.report)
        return None
    shown, raw = found
    pieces = raw.split("\r\n")
    breaks, length = [], -1
    for piece in pieces[:-1]:
        length += len(piece) + 1
        breaks.append(length)
    text = "\n".join(pieces).replace("\r", "\n")
    return Prompt(name, text, Place((Origin(shown),), "text"), place.address, tuple(breaks))
