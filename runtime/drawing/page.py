"""A picture as one page of HTML that loads nothing: an SVG, and the same in words."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import fsum
from typing import Final
from unicodedata import combining, east_asian_width

from wfc.runtime.drawing.layout import arrange
from wfc.runtime.drawing.picture import Arrow, Box, Picture

__all__ = ["as_page"]

_LINE: Final = 17.0
_MARGIN: Final = 60.0
_LETTER: Final = 7.4

_STYLE: Final = """\
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6675; --paper: #fff; --line: #8a94a3; --step: #dfe9fb;
  --event: #e4f3e4; --start: #f1e3fb; --end: #fbe6d9; --external: #e3f4f6; --resource: #f7e6f4; --child: #fdf0d9;
  --failed: #fbd9d9; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf0; --soft: #a7b0bd; --paper: #14181f; --line: #77828f;
  --step: #1c2f4d; --event: #1d3b27; --start: #3b2650; --end: #4d3320; --external: #173a40; --resource: #43264a;
  --child: #443416; --failed: #5a2023; } }
body { margin: 1.5rem; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0; } p { max-width: 60rem; white-space: pre-line; }
figure { margin: 0; overflow: auto; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; text-anchor: middle; } svg .small { fill: var(--soft); }
svg .arrow { fill: none; stroke: var(--line); stroke-width: 1.4; marker-end: url(#tip); }
#tip path { fill: var(--line); }
svg rect { stroke: var(--line); stroke-width: 1.2; }
table { border-collapse: collapse; margin-top: 1.5rem; } caption { text-align: left; font-weight: 600; }
th, td { text-align: left; vertical-align: top; padding: .3rem 1rem .3rem 0; border-top: 1px solid var(--line); }
"""
_ROUND: Final = frozenset({"event", "start", "end"})


def as_page(picture: Picture) -> str:
    """The page; every text in it is escaped, and it may load nothing."""
    said = f"<p>{escape(picture.description)}</p>" if picture.description else ""
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">""",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(picture.title)}</title>",
        f"<style>\n{_STYLE}</style>",
        "</head>",
        "<body>",
        f"<h1>{escape(picture.title)}</h1>{said}",
        "<figure>",
        *_svg(picture),
        "</figure>",
        *_table(picture),
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def _svg(picture: Picture) -> Iterator[str]:
    numbers = {box.id: number for number, box in enumerate(picture.boxes)}
    sizes = [_size(box) for box in picture.boxes]
    places = arrange(sizes, [(numbers[arrow.source], numbers[arrow.target]) for arrow in picture.arrows])
    width = max((x + size[0] / 2 for (x, _), size in zip(places, sizes, strict=True)), default=0.0)
    height = max((y + size[1] / 2 for (_, y), size in zip(places, sizes, strict=True)), default=0.0)
    width, height = width + 2 * _MARGIN, height + 2 * _MARGIN
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{-_MARGIN:.0f} {-_MARGIN:.0f} {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(picture.title)}: the same as in the table below">'
    )
    yield (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
    )
    for arrow in picture.arrows:
        one, other = numbers[arrow.source], numbers[arrow.target]
        yield from _way(arrow, places[one], sizes[one], places[other], sizes[other])
    for box, place, size in zip(picture.boxes, places, sizes, strict=True):
        yield from _box(box, place, size)
    yield "</svg>"


def _way(
    arrow: Arrow,
    start: tuple[float, float],
    start_size: tuple[float, float],
    end: tuple[float, float],
    end_size: tuple[float, float],
) -> Iterator[str]:
    (x1, y1), (x2, y2) = start, end
    if y2 > y1:
        y1, y2 = y1 + start_size[1] / 2, y2 - end_size[1] / 2
        middle = (y1 + y2) / 2
        drawn = f"M{x1:.1f} {y1:.1f}C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}"
        at = (x1 + x2) / 2, middle
    else:  # a way back, or to itself: by the right side
        x1, x2 = x1 + start_size[0] / 2, x2 + end_size[0] / 2
        out = max(x1, x2) + _MARGIN * 0.8
        y2 += 6.0 if y1 == y2 else 0.0
        drawn = f"M{x1:.1f} {y1:.1f}C{out:.1f} {y1:.1f} {out:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
        at = out - 8, (y1 + y2) / 2
    yield f'<path class="arrow" d="{drawn}"/>'
    if arrow.label:
        yield f'<text class="small" x="{at[0]:.1f}" y="{at[1]:.1f}">{escape(arrow.label)}</text>'


def _box(box: Box, place: tuple[float, float], size: tuple[float, float]) -> Iterator[str]:
    (x, y), (width, height) = place, size
    radius = height / 2 if box.kind in _ROUND else 6
    told = f"{', '.join(box.lines)} ({box.kind})" + (f": {box.description}" if box.description else "")
    yield f"<g><title>{escape(told)}</title>"
    yield (
        f'<rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'rx="{radius:.1f}" fill="var(--{box.kind})"/>'
    )
    top = y - (len(box.lines) - 1) * _LINE / 2 + 4.5
    for number, line in enumerate(box.lines):
        style = ' class="small"' if number else ""
        yield f'<text x="{x:.1f}" y="{top + number * _LINE:.1f}"{style}>{escape(line)}</text>'
    yield "</g>"


def _size(box: Box) -> tuple[float, float]:
    widest = max((_width(line) for line in box.lines), default=0.0)
    return max(widest + 36, 80.0), len(box.lines) * _LINE + 18


def _width(line: str) -> float:
    return fsum(
        0.0 if combining(each) else _LETTER * (1.8 if east_asian_width(each) in "WF" else 1) for each in line
    )


def _table(picture: Picture) -> Iterator[str]:
    titles = {box.id: ", ".join(box.lines) for box in picture.boxes}
    yield '<table><caption>The same in words</caption><thead><tr><th scope="col">From</th><th scope="col">To</th>'
    yield '<th scope="col"></th></tr></thead><tbody>'
    for arrow in picture.arrows:
        yield (
            f'<tr><th scope="row">{escape(titles[arrow.source])}</th><td>{escape(titles[arrow.target])}</td>'
            f"<td>{escape(arrow.label)}</td></tr>"
        )
    yield "</tbody></table>"
