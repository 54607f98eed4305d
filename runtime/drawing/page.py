"""A graph as a self-contained HTML page: a picture, and the same content as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape as escaped
from math import fsum
from typing import Final
from unicodedata import combining, east_asian_width

from wfc.runtime.drawing.changed import change_list, change_style, legend
from wfc.runtime.drawing.graph import Arrow, Box, Graph
from wfc.runtime.drawing.interactive import policy, script, sources, style
from wfc.runtime.drawing.layout import Layout, SideWay, Spot, arrange
from wfc.runtime.drawing.shapes import CHANGES
from wfc.runtime.drawing.ways import slant, way_back, way_down

__all__ = ["COLOURS", "DRAWN", "as_page", "as_picture"]

LINE = 17.0
MARGIN = 24.0
LETTER = 7.4
SMALL_LETTER = 6.4
LOOP = 46.0  # how far an arrow from a box to itself extends

COLOURS: Final = """\
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6675; --paper: #ffffff; --line: #8a94a3;
  --green: #dff3e4; --blue: #dfe9fb; --red: #fbe1e1; --grey: #f3f4f6; --orange: #fdf0d9; --cyan: #e3f4f6;
  --violet: #efe5fb; --pink: #fde4f0; --yellow: #fbf7d8; --indigo: #e4ecfd; --bad: #b4232a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf0; --soft: #a7b0bd; --paper: #14181f; --line: #77828f;
  --green: #1d3b27; --blue: #1c2f4d; --red: #4a2023; --grey: #262c36; --orange: #443416; --cyan: #173a40;
  --violet: #35264c; --pink: #4b2139; --yellow: #3d3817; --indigo: #1f3157; --bad: #ff8d8d; } }
"""

_PAGE: Final = """\
body { margin: 1.5rem; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0; } p { max-width: 60rem; margin: .3rem 0 1rem; white-space: pre-line; }
fieldset { border: 0; margin: 0; padding: 0; color: var(--soft); } legend { float: left; margin-right: 1rem; }
fieldset label { margin-right: .8rem; }
figure { margin: .5rem 0 0; overflow: auto; max-height: calc(100vh - 3.5rem); }
figure:focus-visible { outline: 2px solid var(--line); }
figure > svg { display: block; height: auto; width: var(--fit); }
body:has(#whole:checked) svg { width: var(--whole); } body:has(#half:checked) svg { width: calc(var(--width) * .5); }
body:has(#full:checked) svg { width: var(--width); } body:has(#double:checked) svg { width: calc(var(--width) * 2); }
@media print { fieldset { display: none; } figure { max-height: none; } svg { width: var(--whole) !important; } }
"""

DRAWN: Final = """\
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; text-anchor: middle; }
svg .title { font-weight: 600; } svg .note { fill: var(--soft); font-size: 11px; }
svg .box > path, svg .box > rect { stroke: var(--line); stroke-width: 1.2; fill: var(--fill, var(--grey)); }
svg .box > .line { fill: none; }
svg .start, svg .outside, svg .ellipse { --fill: var(--green); } svg .component { --fill: var(--orange); }
svg .end { --fill: var(--blue); } svg .fail { --fill: var(--red); } svg .trapezium { --fill: var(--pink); }
svg .framed, svg .signal { --fill: var(--indigo); } svg .parallelogram { --fill: var(--cyan); }
svg .hexagon { --fill: var(--violet); }
svg .stack, svg .cylinder, svg .dashed { --fill: var(--yellow); }
svg .dashed > rect, svg .outside > rect { stroke-dasharray: 5 3; }
svg .arrow > path { fill: none; stroke: var(--line); stroke-width: 1.4; marker-end: url(#tip); }
svg .batch > path { stroke-width: 3; } svg .error > path { stroke: var(--bad); stroke-dasharray: 6 4; }
svg .limit > path, svg .time-out > path { stroke-dasharray: 2 4; }
svg .arrow rect { fill: var(--paper); opacity: .9; } #tip path { fill: var(--line); }
svg g:focus { outline: none; } svg .box:focus > rect, svg .box:focus > path { stroke: var(--ink); stroke-width: 3; }
svg .arrow:focus > path, svg .arrow:hover > path { stroke: var(--ink); }
"""

_TABLE: Final = """\
table { border-collapse: collapse; margin-top: 1.5rem; } caption { text-align: left; font-weight: 600; }
th, td { text-align: left; vertical-align: top; padding: .3rem 1rem .3rem 0; border-top: 1px solid var(--line); }
"""

STYLE: Final = COLOURS + _PAGE + DRAWN + _TABLE

ZOOM: Final = """\
<fieldset><legend>Size of the drawing</legend>
<label><input type="radio" name="size" id="fit" checked> fit, readable</label>
<label><input type="radio" name="size" id="whole"> whole</label>
<label><input type="radio" name="size" id="half"> 50 %</label>
<label><input type="radio" name="size" id="full"> 100 %</label>
<label><input type="radio" name="size" id="double"> 200 %</label>
</fieldset>"""
READABLE: Final = 0.6  # of the full size: the least to which a drawing is shrunk when the page opens


def as_page(graph: Graph) -> str:
    """Return the page; every text in it is escaped."""
    layout = laid_out(graph)
    description = f"<p>{escape(graph.description)}</p>\n" if graph.description else ""
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy()}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(graph.title)}</title>",
        f"<style>\n{STYLE}{style()}{change_style(graph)}{widths(layout)}</style>",
        "</head>",
        "<body>",
        f"<h1>{escape(graph.title)}</h1>",
        f"{description}{legend(graph)}{ZOOM}",
        '<div id="beside"><div id="drawing">',
        '<figure tabindex="0" role="region" aria-label="Drawing; arrow keys move it">',
        *svg(graph, layout),
        "</figure></div>",
        *sources(graph, escape),
        "</div>",
        *change_list(graph, escape),
        *table(graph),
        *insides(graph),
        script(),
        "</body>",
        "</html>",
    ]
    # in ASCII it is what it says in any encoding that the output may have
    return ("\n".join(lines) + "\n").encode("ascii", "xmlcharrefreplace").decode()


def as_picture(graph: Graph) -> str:
    """Return the picture alone, as SVG for a page that has ``COLOURS`` and ``DRAWN`` among its styles.

    The workflows that its steps may run are within it, unseen, for the viewer of such a page.
    """
    lines = [*svg(graph, laid_out(graph))]
    if graph.inside:
        inner = [
            line.replace("<svg ", f'<svg data-name="{escape(name)}" ', 1) if number == 0 else line
            for name, each in graph.inside.items()
            for number, line in enumerate(svg(each, laid_out(each)))
        ]
        lines[1:1] = ['<defs class="inside">', *inner, "</defs>"]
    drawn = "\n".join(lines) + "\n"
    return drawn.encode("ascii", "xmlcharrefreplace").decode()


def insides(graph: Graph) -> Iterator[str]:
    """Yield the workflows that steps may run: pictures below, which the script lets steps open in their place."""
    for name, inner in graph.inside.items():
        yield f'<section class="inside" data-name="{escape(name)}"><h2>{escape(name)}</h2>'
        yield from ("<figure>", *svg(inner, laid_out(inner)), "</figure>", *table(inner), "</section>")


def laid_out(graph: Graph) -> Layout:
    numbers = {box.id: number for number, box in enumerate(graph.boxes)}
    loops = widest_loops(graph)
    return arrange(
        [box_size(box, loops.get(box.id, 0.0)) for box in graph.boxes],
        [(numbers[arrow.source], numbers[arrow.target]) for arrow in graph.arrows],
        [label_size(arrow) for arrow in graph.arrows],
    )


def size(layout: Layout) -> tuple[float, float]:
    """Return the width and height of the picture."""
    return layout.width + 2 * MARGIN + LOOP, layout.height + 2 * MARGIN


def widths(layout: Layout) -> str:
    """Return the widths of the picture: at full size, fitted to the window, and initially.

    Initially it is fitted to the window, but no smaller than readable, and no larger than full size.
    """
    width, height = size(layout)
    share = width / height
    return (
        f":root {{ --width: {width:.0f}px; --least: {READABLE * width:.0f}px; "
        f"--whole: min(var(--width), 100%, {share:.4f} * (100vh - 12rem)); "
        "--fit: max(var(--whole), var(--least)); }\n"
    )


def escape(text: str) -> str:
    """Escape a text for HTML, with invisible and text-direction characters made visible."""
    return escaped("\n".join(map(printable, text.split("\n"))))


def printable(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in line)


# --- the picture


def svg(graph: Graph, layout: Layout) -> Iterator[str]:
    boxes = {box.id: box for box in graph.boxes}
    width, height = size(layout)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{-MARGIN:.0f} {-MARGIN:.0f} {width:.0f} {height:.0f}" '
        f'role="group" aria-label="{escape(graph.title)}: the flow, the same as in the table below">'
    )
    yield (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
    )
    opens = any(box.opens for box in graph.boxes)
    for arrow, way, side_way, label in zip(
        graph.arrows, layout.ways, layout.side_ways, layout.labels, strict=True
    ):
        yield from drawn_arrow(arrow, boxes, way, side_way, label, arrow_facts(arrow, opens))
    for box, place in zip(graph.boxes, layout.boxes, strict=True):
        yield from drawn_box(box, place, box_facts(box, place, opens))
    yield "</svg>"


def arrow_facts(arrow: Arrow, opens: bool) -> str:
    """Return what the script has to know of an arrow: its line, and its boxes if something there can be opened."""
    line = f' data-line="{arrow.line}"' if arrow.line else ""
    return line + (f' data-ends="{escape(arrow.source)} {escape(arrow.target)}"' if opens else "")


def box_facts(box: Box, place: Spot, opens: bool) -> str:
    """Return the same of a box: its line, its place with the room that it has, and what it opens."""
    facts = f' data-line="{box.line}"' if box.line else ""
    if opens:
        width, height = box_size(box)
        spot = " ".join(f"{each:.1f}" for each in (place.x, place.y, width, height, place.width))
        facts += f' data-id="{escape(box.id)}" data-spot="{spot}"'
    return facts + (f' data-opens="{escape(" ".join(box.opens))}"' if box.opens else "")


def drawn_arrow(
    arrow: Arrow,
    boxes: Mapping[str, Box],
    way: tuple[Spot, ...],
    side_way: SideWay | None,
    label: Spot | None,
    facts: str = "",
) -> Iterator[str]:
    source, target = boxes[arrow.source], boxes[arrow.target]
    what = arrow.label or ("a failure" if target.shape == "fail" else "")
    said = " ".join(f"{what} from {source.title} to {target.title} {arrow.note}".split())
    when = f", when {arrow.when}" if arrow.when else ""
    if arrow.change in CHANGES:
        said = f"{CHANGES[arrow.change].word}: {said}"
    style = f"{arrow.style} {arrow.change}".rstrip()
    yield f'<g class="arrow {style}"{facts} tabindex="0" role="img"><title>{escape(said + when)}</title>'
    if label is None:
        width, height = box_size(source)
        x, y = way[0].x + width / 2, way[0].y
        begin, end = (x - slant(source.shape, 1, 2 * up / height, height) for up in (-9, 9))
        turn = f"C{x + LOOP:.1f} {y - 26:.1f} {x + LOOP:.1f} {y + 26:.1f} {end:.1f} {y + 9:.1f}"
        yield f'<path d="M{begin:.1f} {y - 9:.1f}{turn}"/>'
        yield from texts(arrow.lines, x + LOOP * 0.8 + label_size(arrow)[0] / 2, y)
    else:
        if side_way is None:
            line = way_down(way)
        else:
            outlines = ((source.shape, box_size(source)[0]), (target.shape, box_size(target)[0]))
            line = way_back(way, side_way, outlines)
        yield f'<path d="{line}"/>'
        width, height = label_size(arrow)
        if arrow.lines:  # so that the line does not run through the letters
            yield (
                f'<rect x="{label.x - width / 2:.1f}" y="{label.y - height / 2:.1f}" '
                f'width="{width:.1f}" height="{height:.1f}"/>'
            )
        yield from texts(arrow.lines, label.x, label.y)
    yield "</g>"


def drawn_box(box: Box, place: Spot, facts: str = "") -> Iterator[str]:
    lit = f"lit {box.status.replace(' ', '-')}" if box.status else ""
    style = " ".join(filter(None, (box.shape, box.change, lit)))
    yield f'<g class="box {style}"{facts} tabindex="0" role="img"><title>{escape(", ".join(box.lines))}</title>'
    if box.description:
        yield f"<desc>{escape(box.description)}</desc>"
    width, height = box_size(box)
    yield outline(box.shape, place.x - width / 2, place.y - height / 2, width, height)
    yield from texts(box.lines, place.x, place.y, title=True)
    yield "</g>"


def outline(shape: str, x: float, y: float, width: float, height: float) -> str:
    """Return the outline of a shape that fills a rectangle."""
    right, bottom, middle = x + width, y + height, y + height / 2
    match shape:
        case "hexagon" | "double hexagon":
            drawn = hexagon(x, y, width, height, 12)
            return drawn + (hexagon(x + 5, y + 4, width - 10, height - 8, 10) if shape != "hexagon" else "")
        case "trapezium":
            return f'<path d="M{x + 16:.1f} {y:.1f}H{right - 16:.1f}L{right:.1f} {bottom:.1f}H{x:.1f}z"/>'
        case "signal":
            return (
                f'<path d="M{x:.1f} {y:.1f}H{right - 16:.1f}L{right:.1f} {middle:.1f}'
                f'L{right - 16:.1f} {bottom:.1f}H{x:.1f}z"/>'
            )
        case "parallelogram":
            return f'<path d="M{x + 14:.1f} {y:.1f}H{right:.1f}L{right - 14:.1f} {bottom:.1f}H{x:.1f}z"/>'
        case "cylinder":
            rim = f"C{x:.1f} {y - 4:.1f} {right:.1f} {y - 4:.1f} {right:.1f} {y + 5:.1f}"
            foot = f"C{right:.1f} {bottom + 4:.1f} {x:.1f} {bottom + 4:.1f} {x:.1f} {bottom - 5:.1f}"
            front = f"C{right:.1f} {y + 13:.1f} {x:.1f} {y + 13:.1f} {x:.1f} {y + 5:.1f}"
            top = f'<path class="line" d="M{right:.1f} {y + 5:.1f}{front}"/>'
            return f'<path d="M{x:.1f} {y + 5:.1f}{rim}V{bottom - 5:.1f}{foot}z"/>{top}'
    return rectangle(shape, x, y, width, height)


def hexagon(x: float, y: float, width: float, height: float, corner: float) -> str:
    right, bottom, middle = x + width, y + height, y + height / 2
    return (
        f'<path d="M{x + corner:.1f} {y:.1f}H{right - corner:.1f}L{right:.1f} {middle:.1f}'
        f'L{right - corner:.1f} {bottom:.1f}H{x + corner:.1f}L{x:.1f} {middle:.1f}z"/>'
    )


def rectangle(shape: str, x: float, y: float, width: float, height: float) -> str:
    """Return a rectangle with the corners and inner lines of a shape."""
    right, bottom = x + width, y + height
    round_ends = {"start", "outside", "end", "ellipse"}
    radius = height / 2 if shape in round_ends else {"dashed": 16.0, "component": 0.0}.get(shape, 6.0)
    drawn = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius:.1f}"/>'
    match shape:
        case "component" | "framed":
            bars = f"M{x + 7:.1f} {y:.1f}V{bottom:.1f}M{right - 7:.1f} {y:.1f}V{bottom:.1f}"
            drawn += f'<path class="line" d="{bars}"/>'
        case "stack":
            back = f"M{x + 5:.1f} {y:.1f}V{y - 4:.1f}H{right + 4:.1f}V{bottom - 5:.1f}H{right:.1f}"
            drawn += f'<path class="line" d="{back}"/>'
        case "end":
            drawn += (
                f'<rect class="line" x="{x + 4:.1f}" y="{y + 4:.1f}" width="{width - 8:.1f}" '
                f'height="{height - 8:.1f}" rx="{radius - 4:.1f}"/>'
            )
    return drawn


def texts(lines: tuple[str, ...], x: float, y: float, *, title: bool = False) -> Iterator[str]:
    """Yield lines of text centred at a point; the first may be a title."""
    top = y - (len(lines) - 1) * LINE / 2 + 4.5
    for number, line in enumerate(lines):
        style = ' class="title"' if title and number == 0 else ' class="note"' if title or number else ""
        yield f'<text x="{x:.1f}" y="{top + number * LINE:.1f}"{style}>{escape(line)}</text>'


def box_size(box: Box, beside: float = 0.0) -> tuple[float, float]:
    """Return the size of a box with what is drawn at its right, and the same space at its left."""
    width = max([text_width(box.lines[0], LETTER), *(text_width(line, SMALL_LETTER) for line in box.notes)])
    return max(width + 44, 90.0) + 2 * beside, (1 + len(box.notes)) * LINE + 20


def widest_loops(graph: Graph) -> dict[str, float]:
    """Return the width of the arrows from boxes to themselves, with their labels, by the ids of the boxes."""
    found: dict[str, float] = {}
    for arrow in graph.arrows:
        if arrow.source == arrow.target:
            found[arrow.source] = max(found.get(arrow.source, 0.0), LOOP + label_size(arrow)[0])
    return found


def label_size(arrow: Arrow) -> tuple[float, float]:
    width = max((text_width(line, LETTER) for line in arrow.lines), default=0.0)
    return width + 10, len(arrow.lines) * LINE + 2


def text_width(line: str, letter: float) -> float:
    return fsum(
        0.0 if combining(each) else letter * (1.8 if east_asian_width(each) in "WF" else 1) for each in line
    )


# --- the same in words


def table(graph: Graph) -> Iterator[str]:
    titles = {box.id: box.title for box in graph.boxes}
    yield "<table><caption>The flow in words</caption>"
    yield '<thead><tr><th scope="col">From</th><th scope="col">Event</th><th scope="col">To</th>'
    change = '<th scope="col">Change</th>' if graph.changed else ""
    yield f'<th scope="col">When</th>{change}</tr></thead><tbody>'
    for arrow in graph.arrows:
        when = "; ".join(part for part in (arrow.note, arrow.when) if part)
        word = CHANGES[arrow.change].word if arrow.change in CHANGES else ""
        yield (
            f'<tr><th scope="row">{escape(titles[arrow.source])}</th><td>{escape(arrow.label)}</td>'
            f"<td>{escape(titles[arrow.target])}</td><td>{escape(when)}</td>"
            f"{f'<td>{word}</td>' if graph.changed else ''}</tr>"
        )
    yield "</tbody></table>"
