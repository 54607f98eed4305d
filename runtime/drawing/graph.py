"""A graph as plain data, made by the compiler of specs and by this package of classes and runs, for drawing.

The data is a dictionary that contains only texts, lists and dictionaries::

    {
        "title": "Triage",
        "description": "",                   # for people
        "boxes": [
            {
                "id": "n1",
                "shape": "hexagon",          # one of `wfc.runtime.drawing.shapes.SHAPES`
                "title": "classify",
                "notes": ["llm"],            # further lines in the box
                "description": "",
            },
        ],
        "arrows": [
            {
                "source": "n0",              # ids of boxes
                "target": "n1",
                "label": "TicketOpened",     # what goes from one to the other
                "style": "usual",            # one of `wfc.runtime.drawing.shapes.STYLES`
                "note": "",                  # on which occasion, and how many; " · " begins a new line
                "when": "",                  # a condition
            },
        ],
    }

All but ``id``, ``shape``, ``title``, ``source`` and ``target`` may be left out. In a graph of two versions,
boxes and arrows have a ``change``, one of `wfc.runtime.drawing.shapes.CHANGES`, where the versions differ.

For pages that open and lead somewhere, boxes and arrows have a ``line`` of the text that they come from, boxes
the names of the workflows that they may run under ``opens``, and the graph has that text (``path``, ``text``) and
under ``inside`` the graphs of these workflows, by name. In a graph of a run, boxes have a ``status``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wfc.runtime.drawing.shapes import CHANGES

__all__ = ["Arrow", "Box", "Graph", "graph_from_data"]


@dataclass(frozen=True, slots=True)
class Box:
    """A box: ``title`` and ``notes`` stand in it, line by line; ``description`` is shown on request."""

    id: str
    shape: str
    title: str
    notes: tuple[str, ...] = ()
    description: str = ""
    change: str = ""
    line: int = 0
    opens: tuple[str, ...] = ()
    status: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the lines of text in the box."""
        return (_marked(self.title, self.change), *self.notes)


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow from one box to another, by their ids; ``label`` and ``note`` stand at it."""

    source: str
    target: str
    label: str = ""
    style: str = "usual"
    note: str = ""
    when: str = ""
    change: str = ""
    line: int = 0

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the lines of text at the arrow."""
        return tuple(line for line in (_marked(self.label, self.change), *self.note.split(" · ")) if line)


def _marked(line: str, change: str) -> str:
    """Return the first line of something with the sign of its change."""
    return f"{CHANGES[change].sign} {line}".rstrip() if change in CHANGES else line


@dataclass(frozen=True, slots=True)
class Graph:
    """Boxes and arrows; an arrow's ends are among the boxes."""

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    description: str = ""
    path: str = ""
    text: str = ""
    inside: Mapping[str, Graph] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """Whether it is of two versions that differ."""
        return any(box.change for box in self.boxes) or any(arrow.change for arrow in self.arrows)


def graph_from_data(data: Mapping[str, Any]) -> Graph:
    """Return the graph that plain data describes, see the module's docstring.

    Raises:
        KeyError: A required key is missing.
        TypeError: There is an unknown key.
    """
    return Graph(
        data["title"],
        tuple(_box_from_data(box) for box in data["boxes"]),
        tuple(Arrow(**arrow) for arrow in data["arrows"]),
        data.get("description", ""),
        data.get("path", ""),
        data.get("text", ""),
        {name: graph_from_data(graph) for name, graph in data.get("inside", {}).items()},
    )


def _box_from_data(box: Mapping[str, Any]) -> Box:
    return Box(**{**box, "notes": tuple(box.get("notes", ())), "opens": tuple(box.get("opens", ()))})
