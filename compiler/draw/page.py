"""A flow as one page of HTML that loads nothing: a picture, and the same in words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from html import escape as escaped
from math import fsum
from typing import Final
from unicodedata import combining, east_asian_width

from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.draw.graph import Box, Edge, Graph
from wfc.compiler.draw.layers import Place, Placed, arrange
from wfc.compiler.draw.shapes import NO_STEPS, shape_of

__all__ = ["as_page"]

LINE = 17.0
MARGIN = 24.0
LETTER = 7.4
SMALL_LETTER = 6.4
LOOP = 46.0  # how far an arrow from a box to itself stands out

STYLE: Final = """\
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6675; --paper: #ffffff; --line: #8a94a3;
  --start: #dff3e4; --end: #dfe9fb; --fail: #fbe1e1; --transform: #f3f4f6; --tool: #fdf0d9; --http: #e3f4f6;
  --llm: #efe5fb; --human: #fde4f0; --wait: #fbf7d8; --send: #e4ecfd; --bad: #b4232a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf0; --soft: #a7b0bd; --paper: #14181f; --line: #77828f;
  --start: #1d3b27; --end: #1c2f4d; --fail: #4a2023; --transform: #262c36; --tool: #443416; --http: #173a40;
  --llm: #35264c; --human: #4b2139; --wait: #3d3817; --send: #1f3157; --bad: #ff8d8d; } }
body { margin: 1.5rem; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0; } p { max-width: 60rem; margin: .3rem 0 1rem; white-space: pre-line; }
figure { margin: 0; overflow-x: auto; } svg { display: block; max-width: none; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; text-anchor: middle; }
svg .title { font-weight: 600; } svg .note { fill: var(--soft); font-size: 11px; }
svg .box > path, svg .box > rect { stroke: var(--line); stroke-width: 1.2; }
svg .start > rect { fill: var(--start); } svg .end > rect { fill: var(--end); } svg .fail > rect { fill: var(--fail); }
svg .transform > rect { fill: var(--transform); } svg .tool > rect { fill: var(--tool); }
svg .workflow > rect { fill: var(--send); }
svg .http > path { fill: var(--http); } svg .llm > path { fill: var(--llm); }
svg .human > path { fill: var(--human); } svg .send > path { fill: var(--send); }
svg .wait > rect { fill: var(--wait); stroke-dasharray: 5 3; }
svg .outside > rect { fill: var(--start); stroke-dasharray: 5 3; }
svg .arrow > path { fill: none; stroke: var(--line); stroke-width: 1.4; marker-end: url(#tip); }
svg .batch > path { stroke-width: 3; } svg .error > path { stroke: var(--bad); stroke-dasharray: 6 4; }
svg .limit > path, svg .time-out > path { stroke-dasharray: 2 4; }
svg .arrow rect { fill: var(--paper); opacity: .9; } #tip path { fill: var(--line); }
svg g:focus { outline: none; } svg .box:focus > rect, svg .box:focus > path { stroke: var(--ink); stroke-width: 3; }
svg .arrow:focus > path, svg .arrow:hover > path { stroke: var(--ink); }
table { border-collapse: collapse; margin-top: 1.5rem; } caption { text-align: left; font-weight: 600; }
th, td { text-align: left; vertical-align: top; padding: .3rem 1rem .3rem 0; border-top: 1px solid var(--line); }
"""


def as_page(graph: Graph) -> str:
    """The page; every text of the spec in it is escaped."""
    numbers = {box.id: number for number, box in enumerate(graph.boxes)}
    placed = arrange(
        [room(box, graph) for box in graph.boxes],
        [(numbers[edge.source.id], numbers[edge.target.id]) for edge in graph.edges],
        [label_size(edge) for edge in graph.edges],
    )
    description = f"<p>{escape(graph.description)}</p>\n" if graph.description else ""
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">""",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(graph.title)}</title>",
        f"<style>\n{STYLE}</style>",
        "</head>",
        "<body>",
        f"<h1>{escape(graph.title)}</h1>",
        f"{description}<figure>",
        *svg(graph, placed),
        "</figure>",
        *table(graph),
        "</body>",
        "</html>",
    ]
    # in ASCII it is what it says in any encoding that the output may have
    return ("\n".join(lines) + "\n").encode("ascii", "xmlcharrefreplace").decode()


def escape(text: str) -> str:
    return escaped("\n".join(map(printable, text.split("\n"))))


# --- the picture


def svg(graph: Graph, placed: Placed) -> Iterator[str]:
    width, height = placed.width + 2 * MARGIN + LOOP, placed.height + 2 * MARGIN
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{-MARGIN:.0f} {-MARGIN:.0f} {width:.0f} {height:.0f}" '
        f'role="group" aria-label="{escape(graph.title)}: the flow, the same as in the table below">'
    )
    yield (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
    )
    for edge, way, label in zip(graph.edges, placed.ways, placed.labels, strict=True):
        yield from arrow(edge, way, label)
    for box, place in zip(graph.boxes, placed.boxes, strict=True):
        yield from drawn_box(box, place)
    yield "</svg>"


def arrow(edge: Edge, way: tuple[Place, ...], label: Place | None) -> Iterator[str]:
    said = " ".join(
        [edge.event or "a failure", f"from {edge.source.title} to {edge.target.title}", edge.note]
    ).strip()
    when = f", when {edge.when}" if edge.when else ""
    yield f'<g class="arrow {edge.style}" tabindex="0" role="img"><title>{escape(said + when)}</title>'
    if label is None:
        width, _ = box_size(edge.source)
        x, y = way[0].x + width / 2, way[0].y
        turn = f"C{x + LOOP:.1f} {y - 26:.1f} {x + LOOP:.1f} {y + 26:.1f} {x:.1f} {y + 9:.1f}"
        yield f'<path d="M{x:.1f} {y - 9:.1f}{turn}"/>'
        yield from texts(edge.label, x + LOOP * 0.8 + label_size(edge)[0] / 2, y, "note")
    else:
        yield f'<path d="{curve(way)}"/>'
        width, height = label_size(edge)
        if edge.label:  # so that the line does not run through the letters
            yield (
                f'<rect x="{label.x - width / 2:.1f}" y="{label.y - height / 2:.1f}" '
                f'width="{width:.1f}" height="{height:.1f}"/>'
            )
        yield from texts(edge.label, label.x, label.y, "note")
    yield "</g>"


def curve(way: tuple[Place, ...]) -> str:
    """A smooth line through all places, from the rim of the first box to that of the last."""
    down = way[0].y < way[-1].y
    first, last = way[0], way[-1]
    sign = 1 if down else -1
    points = [(first.x, first.y + sign * first.height / 2)]
    points += [(place.x, place.y) for place in way[1:-1]]
    points.append((last.x, last.y - sign * last.height / 2))
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        middle = (y1 + y2) / 2
        parts.append(f"C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}")
    return "".join(parts)


def drawn_box(box: Box, place: Place) -> Iterator[str]:
    kind = "" if box.kind in NO_STEPS else f" ({box.kind})"
    said = ", ".join([f"{box.title}{kind}", *box.notes])
    yield f'<g class="box {box.kind}" tabindex="0" role="img"><title>{escape(said)}</title>'
    if box.description:
        yield f"<desc>{escape(box.description)}</desc>"
    yield shape(box, place)
    step = [] if not kind else [box.kind]
    yield from texts((box.title, *step, *box.notes), place.x, place.y, "note", title=True)
    yield "</g>"


def shape(box: Box, place: Place) -> str:
    width, height = box_size(box)
    x, y = place.x - width / 2, place.y - height / 2
    right, bottom = x + width, y + height
    outline = shape_of(box.kind).outline
    match outline:
        case "hexagon":
            return (
                f'<path d="M{x + 12:.1f} {y:.1f}H{right - 12:.1f}L{right:.1f} {place.y:.1f}'
                f'L{right - 12:.1f} {bottom:.1f}H{x + 12:.1f}L{x:.1f} {place.y:.1f}z"/>'
            )
        case "trapezium":
            return f'<path d="M{x + 16:.1f} {y:.1f}H{right - 16:.1f}L{right:.1f} {bottom:.1f}H{x:.1f}z"/>'
        case "arrow":
            return (
                f'<path d="M{x:.1f} {y:.1f}H{right - 16:.1f}L{right:.1f} {place.y:.1f}'
                f'L{right - 16:.1f} {bottom:.1f}H{x:.1f}z"/>'
            )
        case "parallelogram":
            return f'<path d="M{x + 14:.1f} {y:.1f}H{right:.1f}L{right - 14:.1f} {bottom:.1f}H{x:.1f}z"/>'
    radius = {"pill": height / 2, "ring": height / 2, "rounded": 16, "bars": 0}.get(outline, 6)
    drawn = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius:.1f}"/>'
    if outline in {"bars", "framed"}:
        drawn += (
            f'<path d="M{x + 7:.1f} {y:.1f}V{bottom:.1f}M{right - 7:.1f} {y:.1f}V{bottom:.1f}" fill="none"/>'
        )
    if outline == "ring":
        drawn += (
            f'<rect x="{x + 4:.1f}" y="{y + 4:.1f}" width="{width - 8:.1f}" '
            f'height="{height - 8:.1f}" rx="{radius - 4:.1f}" fill="none"/>'
        )
    return drawn


def texts(lines: tuple[str, ...], x: float, y: float, style: str, *, title: bool = False) -> Iterator[str]:
    """Lines of text around a middle."""
    top = y - (len(lines) - 1) * LINE / 2 + 4.5
    for number, line in enumerate(lines):
        kind = "title" if number == 0 and title else style if number or title else ""
        kind = f' class="{kind}"' if kind else ""
        yield f'<text x="{x:.1f}" y="{top + number * LINE:.1f}"{kind}>{escape(line)}</text>'


def box_size(box: Box) -> tuple[float, float]:
    step = [] if box.kind in NO_STEPS else [box.kind]
    lines = [*step, *box.notes]
    width = max([text_width(box.title, LETTER), *(text_width(line, SMALL_LETTER) for line in lines)])
    return max(width + 44, 90.0), (1 + len(lines)) * LINE + 20


def room(box: Box, graph: Graph) -> tuple[float, float]:
    """The size of a box and of what stands beside it: its arrow to itself, with its label."""
    width, height = box_size(box)
    loops = [label_size(edge)[0] for edge in graph.edges if edge.source is box and edge.target is box]
    return width + 2 * max((LOOP + loop for loop in loops), default=0.0), height


def label_size(edge: Edge) -> tuple[float, float]:
    width = max((text_width(line, LETTER) for line in edge.label), default=0.0)
    return width + 10, len(edge.label) * LINE + 2


def text_width(line: str, letter: float) -> float:
    return fsum(
        0.0 if combining(each) else letter * (1.8 if east_asian_width(each) in "WF" else 1) for each in line
    )


# --- the same in words


def table(graph: Graph) -> Iterator[str]:
    yield "<table><caption>The flow in words</caption>"
    yield '<thead><tr><th scope="col">From</th><th scope="col">Event</th><th scope="col">To</th>'
    yield '<th scope="col">When</th></tr></thead><tbody>'
    for edge in graph.edges:
        when = "; ".join(part for part in (edge.note, edge.when) if part)
        yield (
            f'<tr><th scope="row">{escape(edge.source.title)}</th><td>{escape(edge.event)}</td>'
            f"<td>{escape(edge.target.title)}</td><td>{escape(when)}</td></tr>"
        )
    yield "</tbody></table>"
