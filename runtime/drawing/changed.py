"""What a page adds where its graph is of two versions that differ: colours, what the signs mean, and a list."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wfc.runtime.drawing.graph import Graph
from wfc.runtime.drawing.shapes import CHANGES

__all__ = ["change_list", "change_style", "legend"]


def change_style(graph: Graph) -> str:
    """Return the rules that colour what differs; empty if nothing does."""
    if not graph.changed:
        return ""
    return "".join(
        f"svg .{change} > path, svg .box.{change} > rect {{ stroke: {mark.colour}; stroke-width: 3; }}\n"
        for change, mark in CHANGES.items()
    )


def legend(graph: Graph) -> str:
    """Return what the signs mean; empty if nothing differs."""
    words = ", ".join(f"{mark.sign} {mark.word}" for mark in CHANGES.values())
    return f"<p>Two versions in one drawing: {words}.</p>\n" if graph.changed else ""


def change_list(graph: Graph, escape: Callable[[str], str]) -> Iterator[str]:
    """Yield a table of the boxes that differ; nothing if none does."""
    differing = [box for box in graph.boxes if box.change in CHANGES]
    if not differing:
        return
    yield "<table><caption>What has changed</caption>"
    yield '<thead><tr><th scope="col">Box</th><th scope="col">Change</th>'
    yield '<th scope="col">What it says</th></tr></thead><tbody>'
    for box in differing:
        said = escape("; ".join(box.notes))
        yield f'<tr><th scope="row">{escape(box.title)}</th><td>{CHANGES[box.change].word}</td><td>{said}</td></tr>'
    yield "</tbody></table>"
