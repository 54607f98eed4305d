"""A picture in Mermaid's and in Graphviz' language. Every text in it is escaped, so that it can only be shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wfc.runtime.drawing.picture import Kind, Picture

__all__ = ["as_dot", "as_mermaid"]

_IN_MERMAID: Final[dict[Kind, tuple[str, str]]] = {
    "step": ("[", "]"),
    "event": ("([", "])"),
    "start": ("([", "])"),
    "end": ("(((", ")))"),
    "external": ("[/", "/]"),
    "resource": ("[(", ")]"),
    "child": ("[[", "]]"),
    "failed": (">", "]"),
}
_IN_DOT: Final[dict[Kind, str]] = {
    "step": "shape=box",
    "event": "shape=ellipse",
    "start": "shape=ellipse, style=bold",
    "end": "shape=ellipse, peripheries=2",
    "external": "shape=parallelogram",
    "resource": "shape=cylinder",
    "child": "shape=component",
    "failed": "shape=octagon",
}
_HARMLESS: Final = frozenset(" .,_-+=:!?'/()…·")


def as_mermaid(picture: Picture) -> str:
    """A flowchart."""
    names = _names(picture)
    lines = [f"%% {_plain(picture.title)}", "flowchart TD"]
    for box in picture.boxes:
        opening, closing = _IN_MERMAID[box.kind]
        lines.append(f'    {names[box.id]}{opening}"{"<br/>".join(map(_plain, box.lines))}"{closing}')
    for arrow in picture.arrows:
        label = f'|"{_plain(arrow.label)}"|' if arrow.label else ""
        lines.append(f"    {names[arrow.source]} -->{label} {names[arrow.target]}")
    return "\n".join(lines) + "\n"


def as_dot(picture: Picture) -> str:
    """A digraph."""
    names = _names(picture)
    lines = [f"digraph {_quoted([picture.title])} {{", '    node [fontname="sans-serif"];']
    for box in picture.boxes:
        tooltip = f", tooltip={_quoted([box.description])}" if box.description else ""
        lines.append(f"    {names[box.id]} [label={_quoted(box.lines)}, {_IN_DOT[box.kind]}{tooltip}];")
    for arrow in picture.arrows:
        label = f" [label={_quoted([arrow.label])}]" if arrow.label else ""
        lines.append(f"    {names[arrow.source]} -> {names[arrow.target]}{label};")
    return "\n".join([*lines, "}"]) + "\n"


def _names(picture: Picture) -> dict[str, str]:
    return {box.id: f"n{number}" for number, box in enumerate(picture.boxes)}


def _plain(line: str) -> str:
    """Mermaid reads ``#34;`` as the character of that number."""
    return "".join(
        letter if letter.isalnum() or letter in _HARMLESS else f"#{ord(letter)};"
        for letter in line.replace("\n", " ")
    )


def _quoted(lines: Iterable[str]) -> str:
    shown = ("".join(letter if letter.isprintable() else " " for letter in line) for line in lines)
    return '"' + "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in shown) + '"'
